import type {
  MatchingPolicy,
  MatchingPolicyUpdate,
  NewMatchingPolicy
} from "@threat-exposure/core/domain/MatchingPolicy"
import { Effect, Predicate } from "effect"
import type { Cancelled, Editor } from "../editor/Editor.ts"
import { form, type FormStep, stepsOf } from "../editor/form/Form.ts"
import { filled } from "../editor/form/Validation.ts"
import { capitalized, t } from "../words/Localisation.ts"
import { kindOfType } from "./Policy.ts"

/** `before` has the answers that are offered. */
export const askNewPolicy = (
  editor: Editor["Service"],
  before: NewMatchingPolicy = { name: "", type: "INCLUDED_KEYWORDS", value: { keywords: [] } }
): Effect.Effect<NewMatchingPolicy, Cancelled> => {
  const title = t("Create Policy")
  const { pick } = stepsOf<Answers>(editor, title)
  const asked = form<Answers>(
    [
      pick<NewMatchingPolicy["type"]>({
        choices: () =>
          Object.entries(types).flatMap(([type, detail]) =>
            isType(type) ? [{ label: capitalized(kindOfType(type)), detail: detail(), value: type }] : []
          ),
        get: ({ type }) => type,
        question: () => ({ placeholder: t("What kind of rule?") }),
        set: (answers, type) => ({ ...answers, type })
      }),
      ...valueSteps(editor, title),
      nameStep(editor, title)
    ],
    answersOf(before.name, before.type, { ...before.value })
  )
  return Effect.map(asked, newPolicyOf)
}

/** Asks for changes. The value of an unknown type is not changed. */
export const askPolicyUpdate = (
  editor: Editor["Service"],
  { name, policy_type, value }: MatchingPolicy
): Effect.Effect<MatchingPolicyUpdate, Cancelled> => {
  const title = t("Change Policy")
  if (!isType(policy_type)) {
    const asked = form([nameStep(editor, title)], answersOf(name, "LUCENE_QUERY", value))
    return Effect.map(asked, (answers) => ({ name: answers.name.trim(), value }))
  }
  const asked = form([nameStep(editor, title), ...valueSteps(editor, title)], answersOf(name, policy_type, value))
  return Effect.map(asked, (answers) => {
    const changed = newPolicyOf(answers)
    return { name: changed.name, value: { ...changed.value } }
  })
}

/** Answers about a policy, for all types of values. */
interface Answers {
  readonly name: string
  readonly type: NewMatchingPolicy["type"]
  /** Keywords or cookie names, separated by commas. */
  readonly words: string
  readonly query: string
  readonly matchMode: MatchMode
  readonly matchSubdomains: boolean
}

const matchModes = ["auth_domain_and_email_domain", "email_domain_only", "auth_domain_only"] as const
type MatchMode = (typeof matchModes)[number]

const types: Readonly<Record<NewMatchingPolicy["type"], () => string>> = {
  INCLUDED_KEYWORDS: () => t("Keeps events that contain one of the keywords"),
  EXCLUDED_KEYWORDS: () => t("Leaves out events that contain one of the keywords"),
  LUCENE_QUERY: () => t("Keeps events that the query matches"),
  ASTP_DOMAIN: () => t("Which credentials match a domain"),
  ASTP_COOKIES: () => t("Which cookies match a domain")
}

const isType = (type: string): type is NewMatchingPolicy["type"] => type in types

const matchModeText = (mode: MatchMode): string =>
  ({
    auth_domain_and_email_domain: t("Accounts at the domain, and logins at it"),
    email_domain_only: t("Only accounts whose address is at the domain"),
    auth_domain_only: t("Only logins at the domain")
  })[mode]

const nameStep = (editor: Editor["Service"], title: string): FormStep<Answers> =>
  stepsOf<Answers>(editor, title).text({
    question: ({ name }) => ({ prompt: t("Name of the policy"), value: name, check: filled }),
    set: (answers, name) => ({ ...answers, name })
  })

const valueSteps = (editor: Editor["Service"], title: string): ReadonlyArray<FormStep<Answers>> => {
  const { pick, text } = stepsOf<Answers>(editor, title)
  return [
    text({
      isAsked: ({ type }) => type === "INCLUDED_KEYWORDS" || type === "EXCLUDED_KEYWORDS" || type === "ASTP_COOKIES",
      question: ({ type, words }) => ({
        prompt:
          type === "ASTP_COOKIES" ? t("Names of cookies, separated by commas") : t("Keywords, separated by commas"),
        value: words,
        check: (typed) => filled(wordsOf(typed).join())
      }),
      set: (answers, words) => ({ ...answers, words })
    }),
    text({
      isAsked: ({ type }) => type === "LUCENE_QUERY",
      question: ({ query }) => ({
        prompt: t("Query, such as severity:high OR type:leak"),
        value: query,
        check: filled
      }),
      set: (answers, query) => ({ ...answers, query })
    }),
    pick<MatchMode>({
      isAsked: ({ type }) => type === "ASTP_DOMAIN",
      choices: () => matchModes.map((mode) => ({ label: matchModeText(mode), value: mode })),
      get: ({ matchMode }) => matchMode,
      set: (answers, matchMode) => ({ ...answers, matchMode })
    }),
    pick<boolean>({
      isAsked: ({ type }) => type === "ASTP_COOKIES",
      choices: () => [
        { label: t("Cookies of the domain"), value: false },
        { label: t("Cookies of subdomains as well"), value: true }
      ],
      get: ({ matchSubdomains }) => matchSubdomains,
      set: (answers, matchSubdomains) => ({ ...answers, matchSubdomains })
    })
  ]
}

const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")

const newPolicyOf = (answers: Answers): NewMatchingPolicy => {
  const { type, words } = answers
  const name = answers.name.trim()
  switch (type) {
    case "INCLUDED_KEYWORDS":
    case "EXCLUDED_KEYWORDS":
      return { name, type, value: { keywords: wordsOf(words) } }
    case "LUCENE_QUERY":
      return { name, type, value: { query: answers.query.trim() } }
    case "ASTP_DOMAIN":
      return { name, type, value: { match_mode: answers.matchMode } }
    case "ASTP_COOKIES":
      return { name, type, value: { cookie_names: wordsOf(words), match_subdomains: answers.matchSubdomains } }
  }
}

/** Initial answers for the questions. */
const answersOf = (
  name: string,
  type: NewMatchingPolicy["type"],
  value: Readonly<Record<string, unknown>>
): Answers => {
  const words = [value["keywords"], value["cookie_names"]].flatMap((part): ReadonlyArray<unknown> =>
    Array.isArray(part) ? part : []
  )
  return {
    name,
    type,
    words: words.filter(Predicate.isString).join(", "),
    query: Predicate.isString(value["query"]) ? value["query"] : "",
    matchMode: matchModes.find((mode) => mode === value["match_mode"]) ?? matchModes[0],
    matchSubdomains: value["match_subdomains"] === true
  }
}
