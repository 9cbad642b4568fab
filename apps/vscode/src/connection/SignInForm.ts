/** The questions of a sign-in: the address, how to sign in, and the token or API key. */
import { Effect, Redacted } from "effect"
import { type Cancelled, Editor, type Step } from "../editor/Editor.ts"
import { form } from "../editor/Form.ts"
import { filled } from "../editor/Validation.ts"
import { t } from "../words/Localisation.ts"
import { faultOf } from "./ClientRules.ts"
import type { Profile, SignInWith } from "./Profile.ts"

export interface Answers {
  readonly profile: Profile
  readonly secret: Redacted.Redacted
}

const title = () => t("Sign In to a Threat-Exposure Service")

/** Asks for a new profile and its secret; `before` has the previous answers, if they were rejected. */
export const askProfile = Effect.fnUntraced(function* (
  taken: ReadonlyArray<string>,
  before?: Profile
): Effect.fn.Return<Answers, Cancelled, Editor> {
  const editor = yield* Editor
  const { baseUrl, secret, signInWith } = yield* form<{
    readonly baseUrl: string
    readonly signInWith: SignInWith
    readonly secret: Redacted.Redacted
  }>(
    [
      {
        ask: (answers, step) =>
          Effect.map(
            editor.ask({
              title: title(),
              step,
              prompt: t("Address of the service"),
              placeholder: "https://api.example.com",
              value: answers.baseUrl,
              check: (text) => filled(text) ?? faultOf({ baseUrl: text.trim() })
            }),
            (text) => ({ ...answers, baseUrl: text.trim() })
          )
      },
      {
        ask: (answers, step) =>
          Effect.map(
            editor.pick<SignInWith>(
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
                  picked: answers.signInWith === "apiKey",
                  value: "apiKey"
                },
                {
                  label: t("No credentials"),
                  detail: t("For a proxy that adds them to each request"),
                  icon: "server-environment",
                  picked: answers.signInWith === "none",
                  value: "none"
                }
              ],
              { title: title(), step, placeholder: t("How do you sign in?") }
            ),
            (signInWith) => ({ ...answers, signInWith })
          )
      },
      {
        isAsked: (answers) => answers.signInWith !== "none",
        ask: (answers, step) =>
          Effect.map(askText(editor, { name: hostOf(answers.baseUrl), ...answers }, step), (given) => ({
            ...answers,
            secret: given
          }))
      }
    ],
    {
      baseUrl: before?.baseUrl ?? "",
      signInWith: before?.signInWith ?? "token",
      // A profile without credentials still has a secret: it separates the cache from those of other profiles.
      secret: Redacted.make(crypto.randomUUID())
    }
  )
  return { profile: { ...before, name: before?.name ?? freeName(hostOf(baseUrl), taken), baseUrl, signInWith }, secret }
})

/** Asks for the token or API key of a known profile. */
export const askSecret = Effect.fnUntraced(function* (
  profile: Profile
): Effect.fn.Return<Redacted.Redacted, Cancelled, Editor> {
  if (profile.signInWith === "none") return Redacted.make(crypto.randomUUID())
  return yield* askText(yield* Editor, profile)
})

/** Asks for the path prefix, which few services change. */
export const askPathPrefix = Effect.fnUntraced(function* (
  profile: Profile,
  usual: string
): Effect.fn.Return<Profile, Cancelled, Editor> {
  const editor = yield* Editor
  const text = yield* editor.ask({
    title: title(),
    prompt: t("First word of the service's paths"),
    value: profile.pathPrefix ?? usual,
    check: (text) => faultOf({ ...profile, pathPrefix: text.trim() })
  })
  const pathPrefix = text.trim()
  // The service uses one word in both places.
  return { ...profile, pathPrefix, linkField: `${pathPrefix.split("/").at(-1) ?? pathPrefix}_url` }
})

const askText = (editor: Editor["Service"], profile: Profile, step?: Step) =>
  Effect.map(
    editor.ask({
      title: title(),
      step,
      prompt:
        profile.signInWith === "apiKey" ? t("API key for {0}", profile.name) : t("Access token for {0}", profile.name),
      placeholder: t("Stored only in the editor's secret storage"),
      password: true,
      check: (text) => filled(text) ?? faultOf({ ...profile, token: text.trim() })
    }),
    (text) => Redacted.make(text.trim())
  )

const hostOf = (baseUrl: string) => new URL(baseUrl).host

/** "api.example.com", or "api.example.com 2" where that is taken. */
const freeName = (name: string, taken: ReadonlyArray<string>): string => {
  let free = name
  for (let number = 2; taken.includes(free); number++) free = `${name} ${number}`
  return free
}
