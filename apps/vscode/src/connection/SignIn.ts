/** Signing in and out, and choosing a profile. */
import { defaultPathPrefix } from "@threat-exposure/core/domain/ServiceNames"
import { Effect, Layer, Option, Redacted } from "effect"
import { filled, whole } from "../editor/Validation.ts"
import { Commands } from "../editor/Commands.ts"
import { type Cancelled, type Choice, Editor } from "../editor/Editor.ts"
import { t } from "../words/Localisation.ts"
import { type Failure, problemOf } from "../editor/Problem.ts"
import { faultOf } from "./ClientRules.ts"
import { Connections } from "./Connections.ts"
import type { Profile } from "./Profile.ts"
import { Profiles } from "./Profiles.ts"
import type { Connection } from "./Connection.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const connections = yield* Connections
    const profiles = yield* Profiles
    const title = t("Sign In to a Threat-Exposure Service")

    const signIn = Effect.fnUntraced(function* (): Effect.fn.Return<void, Failure | Cancelled> {
      const known = yield* profiles.all
      const now = yield* profiles.now
      const profile =
        known.length === 0
          ? undefined
          : yield* editor.pick(choicesOf(known, now), {
              title,
              placeholder: t("Sign in again or choose another service")
            })
      yield* signInTo(profile ?? (yield* askProfile(known)))
    })

    const askProfile = Effect.fnUntraced(function* (
      known: ReadonlyArray<KnownProfile>,
      before?: Profile
    ): Effect.fn.Return<Profile, Cancelled> {
      const baseUrl = (yield* editor.ask({
        title,
        prompt: t("Address of the service"),
        placeholder: "https://api.example.com",
        value: before?.baseUrl,
        check: faultOfUrl
      })).trim()
      const pathPrefix = (yield* editor.ask({
        title,
        prompt: t("Path prefix (keep “svc” unless your service says otherwise)"),
        value: before?.pathPrefix ?? defaultPathPrefix,
        check: (text) => faultOf({ baseUrl, pathPrefix: text.trim() })
      })).trim()
      const signInWith = yield* editor.pick<"token" | "apiKey">(
        [
          {
            label: t("Access token"),
            detail: t("Used as is; usually expires in an hour"),
            icon: "symbol-key",
            value: "token"
          },
          {
            label: t("API key"),
            detail: t("Exchanged for tokens, which are renewed automatically"),
            icon: "key",
            picked: before?.signInWith === "apiKey",
            value: "apiKey"
          }
        ],
        { title }
      )
      const tenant =
        signInWith === "apiKey"
          ? yield* editor.ask({
              title,
              prompt: t("Tenant ID (only if the key has several tenants)"),
              value: before?.tenantId === undefined ? undefined : String(before.tenantId),
              check: (text) => (text.trim() === "" ? undefined : whole(text))
            })
          : ""
      const taken = known.map(({ profile }) => profile.name)
      const name = yield* editor.ask({
        title,
        prompt: t("Name of the profile"),
        value: before?.name ?? freeName(new URL(baseUrl).host, taken),
        check: (text) =>
          filled(text) ?? (taken.includes(text.trim()) ? t("A profile with this name already exists") : undefined)
      })
      return {
        name: name.trim(),
        baseUrl,
        pathPrefix,
        // The specification uses one word in both places.
        linkField: `${pathPrefix.split("/").at(-1) ?? pathPrefix}_url`,
        signInWith,
        ...(tenant.trim() === "" ? {} : { tenantId: Number(tenant) })
      }
    })

    const askSecret = Effect.fnUntraced(function* (profile: Profile): Effect.fn.Return<Redacted.Redacted, Cancelled> {
      const text = yield* editor.ask({
        title,
        prompt:
          profile.signInWith === "apiKey"
            ? t("API key for {0}", profile.name)
            : t("Access token for {0}", profile.name),
        placeholder: t("Stored only in the editor's secret storage"),
        password: true,
        check: (text) => filled(text) ?? faultOf({ ...profile, token: text.trim() })
      })
      return Redacted.make(text.trim())
    })

    /** Until the service answers, or the person has had enough; what was right is not asked for again. */
    const signInTo = Effect.fnUntraced(function* (first: Profile): Effect.fn.Return<void, Failure | Cancelled> {
      const again = t("Try Again")
      const correct = t("Change the Address")
      const anyway = t("Sign In Anyway")
      let profile = first
      let secret = yield* askSecret(profile)
      for (;;) {
        const failure = yield* editor
          .progress(t("Signing in to {0}", profile.baseUrl), () => connections.probe(profile, secret))
          .pipe(
            Effect.as(undefined),
            Effect.catchIf(
              (failure) => failure._tag !== "Cancelled",
              (failure) => Effect.succeed(failure)
            )
          )
        if (failure === undefined) return yield* finish(profile, secret)
        yield* editor.log("error", `signIn: ${failure._tag}: ${failure.message}`)
        if (failure._tag === "Unauthorized") {
          const answer = yield* editor.notify("error", t("The service refused this token or key."), again)
          if (Option.isNone(answer)) return
          secret = yield* askSecret(profile)
          continue
        }
        const message =
          failure._tag === "NotFound"
            ? t(
                "No service found at {0} under “{1}”. Check the address and the path prefix.",
                profile.baseUrl,
                profile.pathPrefix ?? defaultPathPrefix
              )
            : problemOf(failure).message
        const answer = Option.getOrUndefined(yield* editor.notify("error", message, again, correct, anyway))
        if (answer === undefined) return
        if (answer === anyway) return yield* finish(profile, secret)
        if (answer === correct) {
          const others = (yield* profiles.all).filter((known) => known.profile.name !== profile.name)
          profile = yield* askProfile(others, profile)
        }
      }
    })

    const finish = Effect.fnUntraced(function* (profile: Profile, secret: Redacted.Redacted) {
      yield* profiles.signIn(profile, secret)
      yield* editor.notify("info", t("Signed in to {0}.", profile.name)).pipe(Effect.forkDetach)
      yield* editor.execute("threatExposure.events.focus")
    })

    yield* commands.on("signIn", () => signIn())
    yield* commands.on("signOut", () =>
      Effect.andThen(profiles.signOut, Effect.forkDetach(editor.notify("info", t("Signed out."))))
    )
    yield* commands.on(
      "switchProfile",
      Effect.fnUntraced(function* () {
        const known = yield* profiles.all
        if (known.length === 0) return yield* signIn()
        const now = yield* profiles.now
        const profile = yield* editor.pick(choicesOf(known, now), { title: t("Switch Profile") })
        if (profile === undefined) return yield* signInTo(yield* askProfile(known))
        yield* profiles.select(profile)
        if ((yield* profiles.now)._tag === "SignedOut") yield* signInTo(profile)
      })
    )
    yield* commands.on(
      "testConnection",
      Effect.fnUntraced(function* () {
        const quota = yield* editor.progress(t("Testing the connection"), () => connections.test)
        const remaining = quota.searchesRemaining
        yield* editor
          .notify(
            "info",
            remaining === undefined
              ? t("Connected and signed in.")
              : t("Connected and signed in. {0} searches left.", remaining)
          )
          .pipe(Effect.forkDetach)
      })
    )
  })
)

const faultOfUrl = (text: string) => filled(text) ?? faultOf({ baseUrl: text.trim() })

interface KnownProfile {
  readonly profile: Profile
  readonly isSignedIn: boolean
}

/** Every profile, and a new one. */
const choicesOf = (known: ReadonlyArray<KnownProfile>, now: Connection): ReadonlyArray<Choice<Profile | undefined>> => [
  ...known.map(({ profile, isSignedIn }) => ({
    label: profile.name,
    description: isSignedIn ? profile.baseUrl : `${profile.baseUrl} · ${t("signed out")}`,
    icon: isSignedIn ? "pass-filled" : "account",
    picked: now._tag !== "SignedOut" && now.profile.name === profile.name,
    value: profile
  })),
  { label: t("New profile…"), icon: "add", value: undefined }
]

/** "api.example.com", or "api.example.com 2" where that is taken. */
const freeName = (name: string, taken: ReadonlyArray<string>): string => {
  let free = name
  for (let number = 2; taken.includes(free); number++) free = `${name} ${number}`
  return free
}
