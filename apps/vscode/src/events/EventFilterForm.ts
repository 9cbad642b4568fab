/** Asks for filters and queries, one quick pick after the other. */
import { type EventQuery, globalEventTypes, identifierEventTypes } from "@threat-exposure/core/domain/Event"
import { severities } from "@threat-exposure/core/domain/Severity"
import { Clock, DateTime, Effect, Redacted } from "effect"
import { endOf, endPrompt, faultOfEnd, faultOfStart, startOf, startPrompt } from "../editor/DateRange.ts"
import { filled } from "../editor/Validation.ts"
import { type Cancelled, type Choice, Editor } from "../editor/Editor.ts"
import { count, t } from "../words/Localisation.ts"
import { describe, type EventFilter, severityText } from "./EventFilter.ts"
import { severityIcon } from "./EventRow.ts"
import { queryFields } from "./QueryFields.ts"
import { nameOfType } from "../words/TypeNames.ts"

/** Asks until the person finishes; earlier choices are marked. */
export const editFilter = (
  before: EventFilter,
  title: string,
  scope: "global" | "identifiers"
): Effect.Effect<EventFilter, Cancelled, Editor> =>
  Effect.gen(function* () {
    const editor = yield* Editor
    let filter = before
    for (;;) {
      const part = yield* editor.pick(parts(filter, scope), { title, placeholder: describe(filter) || t("No filter") })
      if (part === "done") return filter
      // Escape in one part leads back to the list of parts.
      filter = yield* editPart(part, filter, title).pipe(Effect.catchTag("Cancelled", () => Effect.succeed(filter)))
    }
  })

type Part = "severity" | "type" | "time" | "tags" | "status" | "clear" | "done"

const parts = (filter: EventFilter, scope: "global" | "identifiers"): ReadonlyArray<Choice<Part>> => {
  const only = (part: EventFilter) => describe(part) || t("any")
  const { severity, type, estimated_created_at, tags, status } = filter
  const ofIdentifiers: ReadonlyArray<Choice<Part>> = [
    { label: t("Tags"), description: only(tags === undefined ? {} : { tags }), icon: "tag", value: "tags" },
    {
      label: t("Status"),
      description: only(status === undefined ? {} : { status }),
      icon: "circle-slash",
      value: "status"
    }
  ]
  return [
    { label: t("Apply"), icon: "check", value: "done" },
    {
      label: t("Severity"),
      description: only(severity === undefined ? {} : { severity }),
      icon: "warning",
      value: "severity"
    },
    { label: t("Type"), description: only(type === undefined ? {} : { type }), icon: "symbol-class", value: "type" },
    {
      label: t("Time"),
      description: only(estimated_created_at === undefined ? {} : { estimated_created_at }),
      icon: "calendar",
      value: "time"
    },
    ...(scope === "identifiers" ? ofIdentifiers : []),
    { label: t("Clear all"), icon: "clear-all", value: "clear" }
  ]
}

const editPart = (
  part: Exclude<Part, "done">,
  filter: EventFilter,
  title: string
): Effect.Effect<EventFilter, Cancelled, Editor> =>
  Effect.gen(function* () {
    const editor = yield* Editor
    switch (part) {
      case "clear":
        return {}
      case "severity": {
        const { severity: _, ...rest } = filter
        const chosen = yield* editor.pick<EventFilter>(
          [
            { label: t("Any severity"), value: rest },
            ...severities.toReversed().map((severity) => ({
              label: severityText(severity),
              icon: severityIcon(severity).id,
              picked: filter.severity === severity,
              value: { ...rest, severity }
            })),
            { label: t("Exactly…"), value: { ...rest, severity: [] } }
          ],
          { title }
        )
        if (typeof chosen.severity !== "object") return chosen
        const exact = yield* editor.pickMany(
          severities.map((severity) => ({
            label: t(severity),
            picked: typeof filter.severity === "object" && filter.severity.includes(severity),
            value: severity
          })),
          { title }
        )
        return exact.length === 0 ? rest : { ...rest, severity: exact }
      }
      case "type": {
        const { type, ...rest } = filter
        const known = [...new Set<string>([...identifierEventTypes, ...globalEventTypes])].toSorted()
        const chosen = yield* editor.pickMany(
          known.map((name) => ({ label: nameOfType(name), picked: type?.includes(name) ?? false, value: name })),
          { title, placeholder: t("Types (none means all)") }
        )
        return chosen.length === 0 ? rest : { ...rest, type: chosen }
      }
      case "time": {
        const { estimated_created_at: _, ...rest } = filter
        const days = yield* editor.pick(
          [
            { label: t("Any time"), value: 0 },
            ...[1, 7, 30, 90, 365].map((days) => ({
              label: count(days, "The last day", "The last {0} days"),
              value: days
            })),
            { label: t("From … to …"), value: -1 }
          ],
          { title }
        )
        if (days === 0) return rest
        if (days > 0) {
          const now = yield* Clock.currentTimeMillis
          const since = DateTime.formatIso(DateTime.makeUnsafe(now - days * 86_400_000)).slice(0, 10)
          return { ...rest, estimated_created_at: { gte: `${since}T00:00:00Z` } }
        }
        const start = yield* editor.ask({ title, prompt: startPrompt(), check: faultOfStart })
        const end = yield* editor.ask({ title, prompt: endPrompt(), check: (text) => faultOfEnd(text, start) })
        const [gte, lte] = [startOf(start), endOf(end)]
        return gte === undefined && lte === undefined
          ? rest
          : {
              ...rest,
              estimated_created_at: {
                ...(gte === undefined ? {} : { gte }),
                ...(lte === undefined ? {} : { lte })
              }
            }
      }
      case "tags": {
        const { tags, ...rest } = filter
        const text = yield* editor.ask({ title, prompt: t("Tags, separated by commas"), value: tags?.join(", ") })
        const chosen = words(text)
        return chosen.length === 0 ? rest : { ...rest, tags: chosen }
      }
      case "status": {
        const { status, ...rest } = filter
        const chosen = yield* editor.pickMany(
          (["open", "ignored", "remediated"] as const).map((state) => ({
            label: t(state),
            picked: status?.includes(state) ?? false,
            value: state
          })),
          { title }
        )
        return chosen.length === 0 ? rest : { ...rest, status: chosen }
      }
    }
  })

const words = (text: string) =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")

/** Asks for one of the thirteen queries; a saved one is none of those with a secret, which no setting may hold. */
export const askQuery = (title: string, kind: "any" | "saved"): Effect.Effect<EventQuery, Cancelled, Editor> =>
  Effect.gen(function* () {
    const editor = yield* Editor
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
    const type = yield* editor.pick(
      types.map((name) => ({ label: nameOfType(name), value: name })),
      { title, placeholder: t("Search by") }
    )
    const answers: Record<string, string> = {}
    for (const field of queryFields[type]) {
      answers[field] = yield* editor.ask({
        title,
        prompt: promptOf(field),
        password: field === "password" || field === "secret",
        check: filled
      })
    }
    const answer = (field: string) => answers[field] ?? ""
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
      case "name": {
        const isStrict = yield* editor.pick(
          [
            { label: t("Exactly this name"), value: true },
            { label: t("Similar names too"), value: false }
          ],
          { title }
        )
        return { type, first_name: text("first_name"), last_name: text("last_name"), is_strict: isStrict }
      }
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
  })

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
      return t("The user name")
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

/** "domain example.com", without a secret. */
export const describeQuery = (query: EventQuery, hide = (value: string): string => value): string => {
  const values = Object.entries(query).flatMap(([key, value]) =>
    key === "type" || typeof value === "boolean" ? [] : [typeof value === "string" ? hide(value) : "•••"]
  )
  return `${nameOfType(query.type)} ${values.join(" ")}`
}
