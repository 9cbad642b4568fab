/** Starts a local service with synthetic data, for people without a service to sign in to. */
import { Effect, Option, Predicate } from "effect"
import { type Cancelled, Editor } from "../editor/Editor.ts"
import { t } from "../words/Localisation.ts"
import type { Profile } from "./Profile.ts"

/** The default address of the local service. */
const sampleProfile: Profile = { name: "sample", baseUrl: "http://127.0.0.1:8787" }

const command = "npx @threat-exposure/service serve --sample"

/**
 * Starts the service in a terminal if it is installed, or else explains how to install it. Then offers `signIn`,
 * because the service prints a token.
 */
export const trySample = Effect.fnUntraced(function* <E, R>(
  find: (name: string) => Promise<string | undefined>,
  signIn: (profile: Profile) => Effect.Effect<void, E, R>
): Effect.fn.Return<void, E | Cancelled, Editor | R> {
  const editor = yield* Editor
  const program = yield* Effect.promise(() => find("threat-exposure-service"))
  const [offer, copy] = [t("Sign In"), t("Copy Command")]
  if (Predicate.isNotUndefined(program)) {
    yield* editor.runInTerminal(t("Sample Service"), program, ["serve", "--sample"])
    const pressed = yield* editor.notify("info", t("The sample service prints a token in the terminal."), offer)
    return Option.isSome(pressed) ? yield* signIn(sampleProfile) : undefined
  }
  const message = t("Run {0} in a terminal, and sign in with the token that it prints.", command)
  const pressed = Option.getOrUndefined(yield* editor.notify("info", message, copy, offer))
  if (pressed === offer) return yield* signIn(sampleProfile)
  if (pressed === copy) yield* editor.copy(command)
})
