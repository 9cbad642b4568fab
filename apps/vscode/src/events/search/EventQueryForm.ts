/** Questions for a query of events, which has one of thirteen types. */
import type { EventQuery } from "@threat-exposure/core/domain/Event"
import { Redacted } from "effect"
import type { Editor } from "../../editor/Editor.ts"
import { type FormStep, stepsOf } from "../../editor/form/Form.ts"
import { filled } from "../../editor/form/Validation.ts"
import { capitalized, t } from "../../words/Localisation.ts"
import { nameOfType } from "../../words/TypeNames.ts"
import { queryFields } from "./QueryFields.ts"

export interface QueryAnswers {
  readonly type: EventQuery["type"]
  /** Typed values by field. */
  readonly texts: Readonly<Record<string, string>>
  readonly isStrict: boolean
}

export const noQuery: QueryAnswers = { type: "domain", texts: {}, isStrict: true }

/**
 * Asks for a query of one of the thirteen types. `saved` excludes those with a secret, because settings must not
 * contain one.
 */
export const querySteps = (
  editor: Editor["Service"],
  title: string,
  kind: "any" | "saved"
): ReadonlyArray<FormStep<QueryAnswers>> => {
  const { pick, text } = stepsOf<QueryAnswers>(editor, title)
  const types: ReadonlyArray<EventQuery["type"]> = [
    "domain",
    "email",
    "keyword",
    "query_string",
    "username",
    "github_repository",
    "brand",
    "name",
    "bin",
    "ip",
    "azure_tenant",
    ...(kind === "saved" ? [] : (["credentials", "secret"] as const))
  ]
  /** The question for the field at this position, if the query has one. */
  const field = (place: number) =>
    text({
      isAsked: ({ type }) => place < queryFields[type].length,
      question: ({ texts, type }) => {
        const name = queryFields[type][place]
        return {
          prompt: name === undefined ? "" : promptOf(name),
          value: name === undefined ? undefined : texts[name],
          password: name === "password" || name === "secret",
          check: filled
        }
      },
      set: (answers, given) => {
        const name = queryFields[answers.type][place]
        return name === undefined ? answers : { ...answers, texts: { ...answers.texts, [name]: given } }
      }
    })
  return [
    pick<EventQuery["type"]>({
      choices: () => types.map((name) => ({ label: capitalized(nameOfType(name)), value: name })),
      get: ({ type }) => type,
      question: () => ({ placeholder: t("Search by") }),
      set: (answers, type) => ({ ...answers, type })
    }),
    field(0),
    field(1),
    pick<boolean>({
      isAsked: ({ type }) => type === "name",
      choices: () => [
        { label: t("Exactly this name"), value: true },
        { label: t("Similar names too"), value: false }
      ],
      get: ({ isStrict }) => isStrict,
      set: (answers, isStrict) => ({ ...answers, isStrict })
    })
  ]
}

export const queryOf = ({ isStrict, texts, type }: QueryAnswers): EventQuery => {
  const answer = (field: string) => texts[field] ?? ""
  const text = (field: string) => answer(field).trim()
  switch (type) {
    case "domain":
      return { type, fqdn: text("fqdn") }
    case "email":
      return { type, email: text("email") }
    case "keyword":
      return { type, keyword: text("keyword") }
    case "query_string":
      return { type, query_string: text("query_string") }
    case "username":
      return { type, username: text("username") }
    case "github_repository":
      return { type, repo_owner: text("repo_owner"), repo_name: text("repo_name") }
    case "brand":
      return { type, name: text("name") }
    case "name":
      return { type, first_name: text("first_name"), last_name: text("last_name"), is_strict: isStrict }
    case "bin":
      return { type, bin: text("bin") }
    case "ip":
      return { type, ip: text("ip") }
    case "credentials":
      return { type, username: text("username"), password: Redacted.make(answer("password")) }
    case "secret":
      return { type, secret: Redacted.make(answer("secret")) }
    case "azure_tenant":
      return { type, tenant_id: text("tenant_id") }
  }
}

const promptOf = (field: (typeof queryFields)[EventQuery["type"]][number]): string => {
  switch (field) {
    case "fqdn":
      return t("The domain, such as example.com")
    case "email":
      return t("The address, such as someone@example.com")
    case "keyword":
      return t("The keyword")
    case "query_string":
      return t("The text to search for, in the service's query language")
    case "username":
      return t("The username")
    case "repo_owner":
      return t("The owner of the repository")
    case "repo_name":
      return t("The name of the repository")
    case "name":
      return t("The name of the brand")
    case "first_name":
      return t("The first name")
    case "last_name":
      return t("The last name")
    case "bin":
      return t("The first digits of the card number")
    case "ip":
      return t("The IP address")
    case "password":
      return t("The password; it is sent to the service")
    case "secret":
      return t("The secret; it is sent to the service")
    case "tenant_id":
      return t("ID of the Azure tenant")
  }
}
