/** The questions of Search Credentials…: the five queries of docs/api.md#search-credentials. */
import type { CredentialFilters, CredentialInclude, CredentialQuery } from "@threat-exposure/core/domain/Credential"
import { DateTime, Effect, Redacted } from "effect"
import { endOf, endPrompt, faultOfEnd, faultOfStart, startOf, startPrompt } from "../editor/form/DateRange.ts"
import { type Cancelled, Editor } from "../editor/Editor.ts"
import { form, type FormStep, stepsOf } from "../editor/form/Form.ts"
import { filled } from "../editor/form/Validation.ts"
import { t } from "../words/Localisation.ts"
import type { CredentialRequest } from "./CredentialRequest.ts"

interface Answers {
  readonly type: CredentialQuery["type"]
  /** The text to search for, as it was typed. */
  readonly text: string
  /** Days since the import; 0 for any number, -1 for bounds that are asked for. */
  readonly days: number
  readonly from: string
  readonly to: string
  readonly include: ReadonlyArray<CredentialInclude>
}

export const askRequest: Effect.Effect<CredentialRequest, Cancelled, Editor> = Effect.gen(function* () {
  const editor = yield* Editor
  const answers = yield* form<Answers>(steps(editor), {
    type: "domain",
    text: "",
    days: 0,
    from: "",
    to: "",
    include: []
  })
  const filters = filtersOf(answers, yield* DateTime.now)
  return { query: queryOf(answers), ...(filters === undefined ? {} : { filters }), include: answers.include }
})

const steps = (editor: Editor["Service"]): ReadonlyArray<FormStep<Answers>> => {
  const { pick, pickMany, text } = stepsOf<Answers>(editor, t("Search Credentials"))
  const hasBounds = ({ days }: Answers) => days < 0
  return [
    pick<CredentialQuery["type"]>({
      choices: searchTypes,
      get: ({ type }) => type,
      question: () => ({ placeholder: t("Search by (every hundred results use one unit of quota)") }),
      // A password is not pre-filled, because it would be visible.
      set: (answers, type) => ({ ...answers, type, text: type === answers.type ? answers.text : "" })
    }),
    text({
      question: (answers) => ({
        prompt: searchTypes().find(({ value }) => value === answers.type)?.label,
        value: answers.text,
        password: answers.type === "secret",
        check: filled
      }),
      set: (answers, given) => ({ ...answers, text: given })
    }),
    pick({
      choices: () => [
        { label: t("Imported at any time"), value: 0 },
        ...[7, 30, 365].map((days) => ({ label: t("Imported in the last {0} days", days), value: days })),
        { label: t("From … to …"), value: -1 }
      ],
      get: ({ days }) => days,
      set: (answers, days) => ({ ...answers, days })
    }),
    text({
      isAsked: hasBounds,
      question: (answers) => ({ prompt: startPrompt(), value: answers.from, check: faultOfStart }),
      set: (answers, given) => ({ ...answers, from: given.trim() })
    }),
    text({
      isAsked: hasBounds,
      question: (answers) => ({
        prompt: endPrompt(),
        value: answers.to,
        check: (given) => faultOfEnd(given, answers.from)
      }),
      set: (answers, given) => ({ ...answers, to: given.trim() })
    }),
    pickMany<CredentialInclude>({
      choices: () => [
        { label: t("Login domains"), value: "auth_domains" },
        { label: t("URLs"), value: "urls" },
        { label: t("ID of a known password"), value: "known_password_id" }
      ],
      get: ({ include }) => include,
      question: () => ({ placeholder: t("Extra fields (optional)") }),
      set: (answers, include) => ({ ...answers, include })
    })
  ]
}

/** The fields by which an account is searched. */
const searchTypes = () =>
  [
    { label: t("Domain"), detail: t("Accounts whose address is at a domain"), icon: "globe", value: "domain" },
    {
      label: t("Login domain"),
      detail: t("Accounts used to log in at a domain"),
      icon: "sign-in",
      value: "auth_domain"
    },
    { label: t("E-mail address"), detail: t("Exactly this address"), icon: "mail", value: "email" },
    { label: t("Username"), detail: t("Part before the @"), icon: "account", value: "keyword" },
    { label: t("Password"), detail: t("Accounts that have exactly this password"), icon: "lock", value: "secret" }
  ] as const

const queryOf = ({ text, type }: Answers): CredentialQuery => {
  switch (type) {
    case "domain":
    case "auth_domain":
      return { type, fqdn: text.trim() }
    case "email":
      return { type, email: text.trim() }
    case "keyword":
      return { type, keyword: text.trim() }
    case "secret":
      return { type, secret: Redacted.make(text) }
  }
}

const filtersOf = ({ days, from, to }: Answers, now: DateTime.DateTime): CredentialFilters | undefined => {
  if (days === 0) return undefined
  if (days > 0) return { imported_at: { gte: DateTime.formatIso(DateTime.subtract(now, { days })) } }
  return { imported_at: { gte: startOf(from) ?? null, lte: endOf(to) ?? null } }
}
