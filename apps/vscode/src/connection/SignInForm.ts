/** Form of a sign-in: the address, the method, and the token or API key. */
import { Effect, Redacted } from "effect"
import { type Cancelled, type Choice, Editor, type Question, type TextQuestion } from "../editor/Editor.ts"
import { form, type FormStep, stepsOf, within } from "../editor/form/Form.ts"
import { filled } from "../editor/form/Validation.ts"
import { t } from "../words/Localisation.ts"
import { faultOf } from "./ClientRules.ts"
import type { Profile, SignInWith } from "./Profile.ts"

export { trySample } from "./SampleService.ts"

export interface Answers {
  readonly profile: Profile
  readonly secret: Redacted.Redacted
}

const title = () => t("Sign In to a Threat-Exposure Service")

interface NewProfile {
  readonly baseUrl: string
  readonly signInWith: SignInWith
  /** Undefined until the person enters it. */
  readonly secret: Redacted.Redacted | undefined
}

const emptyProfile: NewProfile = { baseUrl: "", signInWith: "token", secret: undefined }

/** Asks for a new profile and its secret; `before` contains the previous answers if they were rejected. */
export const askProfile = Effect.fnUntraced(function* (
  taken: ReadonlyArray<string>,
  before?: Profile
): Effect.fn.Return<Answers, Cancelled, Editor> {
  const answers = yield* form(profileSteps(yield* Editor), {
    ...emptyProfile,
    ...(before === undefined ? {} : { baseUrl: before.baseUrl, signInWith: before.signInWith ?? "token" })
  })
  return answersOf(answers, taken, before)
})

/** Lets the person choose a profile, or undefined for a new one. A new profile is returned with its secret. */
export const chooseProfile = Effect.fnUntraced(function* (
  choices: ReadonlyArray<Choice<Profile | undefined>>,
  question: Question,
  taken: ReadonlyArray<string>
): Effect.fn.Return<Answers | { readonly profile: Profile; readonly secret: undefined }, Cancelled, Editor> {
  interface Choosing {
    readonly known: Profile | undefined
    readonly added: NewProfile
  }
  const editor = yield* Editor
  const { pick } = stepsOf<Choosing>(editor, question.title)
  const { added, known } = yield* form<Choosing>(
    [
      pick<Profile | undefined>({
        choices: () => choices,
        get: ({ known }) => known,
        question: () => question,
        set: (answers, known) => ({ ...answers, known })
      }),
      ...within<Choosing, NewProfile>(profileSteps(editor), {
        isAsked: ({ known }) => known === undefined,
        get: ({ added }) => added,
        set: (answers, added) => ({ ...answers, added })
      })
    ],
    { known: (choices.find(({ picked }) => picked) ?? choices[0])?.value, added: emptyProfile }
  )
  return known === undefined ? answersOf(added, taken) : { profile: known, secret: undefined }
})

const profileSteps = (editor: Editor["Service"]): ReadonlyArray<FormStep<NewProfile>> => {
  const { pick, text } = stepsOf<NewProfile>(editor, title())
  return [
    text({
      question: (answers) => ({
        prompt: t("Address of the service"),
        placeholder: "https://api.example.com",
        value: answers.baseUrl,
        check: (given) => filled(given) ?? faultOf({ baseUrl: given.trim() })
      }),
      // If the address changes, forget the secret: it belongs to another service.
      set: (answers, given) =>
        given.trim() === answers.baseUrl ? answers : { ...answers, baseUrl: given.trim(), secret: undefined }
    }),
    pick<SignInWith>({
      choices: () => [
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
          value: "apiKey"
        },
        {
          label: t("No credentials"),
          detail: t("For a proxy that adds them to each request"),
          icon: "server-environment",
          value: "none"
        }
      ],
      get: ({ signInWith }) => signInWith,
      question: () => ({ placeholder: t("How do you sign in?") }),
      set: (answers, signInWith) => ({ ...answers, signInWith })
    }),
    text({
      isAsked: (answers) => answers.signInWith !== "none",
      question: ({ baseUrl, secret, signInWith }) => ({
        ...secretQuestion({ name: hostOf(baseUrl), baseUrl, signInWith }),
        value: secret === undefined ? undefined : Redacted.value(secret)
      }),
      set: (answers, given) => ({ ...answers, secret: Redacted.make(given.trim()) })
    })
  ]
}

const answersOf = (
  { baseUrl, secret, signInWith }: NewProfile,
  taken: ReadonlyArray<string>,
  before?: Profile
): Answers => ({
  profile: { ...before, name: before?.name ?? freeName(hostOf(baseUrl), taken), baseUrl, signInWith },
  secret: secret === undefined || signInWith === "none" ? noSecret() : secret
})

export const askSecret = Effect.fnUntraced(function* (
  profile: Profile
): Effect.fn.Return<Redacted.Redacted, Cancelled, Editor> {
  if (profile.signInWith === "none") return noSecret()
  const editor = yield* Editor
  const text = yield* editor.ask({ title: title(), ...secretQuestion(profile) })
  return Redacted.make(text.trim())
})

/** Asks for the path prefix, which few services change from the default. */
export const askPathPrefix = Effect.fnUntraced(function* (
  profile: Profile,
  usual: string
): Effect.fn.Return<Profile, Cancelled, Editor> {
  const editor = yield* Editor
  const text = yield* editor.ask({
    title: title(),
    prompt: t("Path prefix of the service, such as svc"),
    value: profile.pathPrefix ?? usual,
    check: (text) => faultOf({ ...profile, pathPrefix: text.trim() })
  })
  const pathPrefix = text.trim()
  // A service uses the last segment of the prefix in the name of the link field, too.
  return { ...profile, pathPrefix, linkField: `${pathPrefix.split("/").at(-1) ?? pathPrefix}_url` }
})

const secretQuestion = (profile: Profile): Partial<TextQuestion> => ({
  prompt:
    profile.signInWith === "apiKey" ? t("API key for {0}", profile.name) : t("Access token for {0}", profile.name),
  placeholder: t("Stored only in the editor's secret storage"),
  password: true,
  check: (text) => filled(text) ?? faultOf({ ...profile, token: text.trim() })
})

/** A profile without credentials gets a random secret, so that its cache is separate from those of other profiles. */
const noSecret = () => Redacted.make(crypto.randomUUID())

const hostOf = (baseUrl: string) => new URL(baseUrl).host

/** A name from the host, such as "api.example.com", or "api.example.com 2" if that name is taken. */
const freeName = (name: string, taken: ReadonlyArray<string>): string => {
  let free = name
  for (let number = 2; taken.includes(free); number++) free = `${name} ${number}`
  return free
}
