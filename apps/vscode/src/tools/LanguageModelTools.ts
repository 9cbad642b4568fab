/** Read-only tools for language models. Each states its cost before it runs; none returns a secret. */
import { Credentials } from "@threat-exposure/core/client/Credentials"
import { Events } from "@threat-exposure/core/client/Events"
import { faultsOf, inOneLine } from "@threat-exposure/core/domain/schema/SchemaFaults"
import { Severity } from "@threat-exposure/core/domain/Severity"
import { Effect, Layer, Option, Predicate, Result, Schema, Stream } from "effect"
import { Connections } from "../connection/Connections.ts"
import { Profiles } from "../connection/Profiles.ts"
import { Editor } from "../editor/Editor.ts"
import { EventCache } from "../events/EventCache.ts"
import { LeakChecks } from "../leaks/check/LeakChecks.ts"
import { Detection } from "../detection/Detection.ts"
import { evidenceText } from "../leaks/LeakFinding.ts"
import { t } from "../words/Localisation.ts"
import { withoutSecrets } from "../editor/page/Secrets.ts"
import { masking, Settings } from "../editor/Settings.ts"
import { severityOf, titleOf } from "../events/AnyEvent.ts"

const SearchInput = Schema.Struct({ query: Schema.NonEmptyString, minimumSeverity: Schema.optionalKey(Severity) })
const EventInput = Schema.Struct({ uid: Schema.NonEmptyString })
const DomainInput = Schema.Struct({ domain: Schema.NonEmptyString })

const maxShown = 200

/** Maximum number of counted credentials, which cost one unit of quota. */
const counted = 100

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const connections = yield* Connections
    const profiles = yield* Profiles
    const seen = yield* EventCache
    const checks = yield* LeakChecks
    const settings = yield* Settings
    const detection = yield* Detection

    /** The confirmation before a tool runs: its title, and the data that it sends to the service's address. */
    const question = (title: string, sends: (baseUrl: string) => string) =>
      Effect.map(profiles.now, (connection) => ({
        title,
        message: connection._tag === "SignedOut" ? t("You are not signed in.") : sends(connection.profile.baseUrl)
      }))

    const answerWith = <A, E extends { readonly message: string }>(
      schema: Schema.Codec<A, unknown>,
      answer: (input: A) => Effect.Effect<unknown, E>
    ) =>
      Effect.fnUntraced(function* (input: unknown) {
        const decoded = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })(input)
        if (Result.isFailure(decoded)) {
          const faults = inOneLine(faultsOf(decoded.failure.issue))
          return { text: `Invalid input: ${faults}` }
        }
        return yield* answer(decoded.success).pipe(
          Effect.map((value) => ({ text: typeof value === "string" ? value : JSON.stringify(value) })),
          Effect.catch((failure) => Effect.succeed({ text: `This failed: ${failure.message}` }))
        )
      })

    const hidden = <A>(value: A, other: string) =>
      Effect.map(settings.get(masking), (isMasked) => (isMasked ? other : value))

    /**
     * The model's input for the confirmation, because it leaves the machine and may contain more than the person wants
     * to send.
     */
    const readField = (input: unknown, field: string) => {
      const value = Predicate.isObject(input) ? input[field] : undefined
      if (!Predicate.isString(value)) return "?"
      return value.length > maxShown ? `${value.slice(0, maxShown)}…` : value
    }

    yield* editor.tool("searchEvents", {
      prepare: (input) =>
        question(t("Search exposure events"), (baseUrl) =>
          t("Searches {0} for “{1}”. This uses one unit of your search quota.", baseUrl, readField(input, "query"))
        ),
      answer: answerWith(
        SearchInput,
        Effect.fnUntraced(function* ({ query, minimumSeverity }) {
          const page = yield* connections.ask(
            Effect.flatMap(Events, (events) =>
              Stream.runHead(
                events.pages({
                  query: /^[^\s@]+@[^\s@]+$/u.test(query)
                    ? { type: "email", email: query }
                    : /^[\w-]+(?:\.[\w-]+)+$/u.test(query)
                      ? { type: "domain", fqdn: query }
                      : { type: "query_string", query_string: query },
                  filters: minimumSeverity === undefined ? undefined : { severity: minimumSeverity }
                })
              )
            )
          )
          const events = Option.match(page, { onNone: () => [], onSome: ({ items }) => items })
          yield* seen.note(events)
          const { secretsIn } = yield* detection.load
          const found = yield* Effect.forEach(events, (event) =>
            Effect.map(
              hidden(withoutSecrets(titleOf(event).text, secretsIn(titleOf(event).text)), "masked"),
              (title) => ({
                uid: event.metadata.uid,
                type: event.metadata.type,
                severity: severityOf(event),
                seen: event.metadata.estimated_created_at,
                title
              })
            )
          )
          return { events: found, more: Option.isSome(page) && page.value.next !== null }
        })
      )
    })

    yield* editor.tool("getEvent", {
      prepare: (input) =>
        question(t("Read an exposure event"), (baseUrl) =>
          t("Reads the event {1} from {0}, without its secrets.", baseUrl, readField(input, "uid"))
        ),
      answer: answerWith(
        EventInput,
        Effect.fnUntraced(function* ({ uid }) {
          const event = yield* connections.ask(Effect.flatMap(Events, (events) => events.get(uid)))
          const isMasked = yield* settings.get(masking)
          const { eventDocument, eventMarkdown } = yield* Effect.promise(() => import("../events/page/EventPart.ts"))
          const { secretsIn } = yield* detection.load
          return eventMarkdown(eventDocument(event, seen.get(uid), { masked: isMasked, secretsIn })).text
        })
      )
    })

    yield* editor.tool("countCredentials", {
      prepare: (input) =>
        question(t("Count leaked credentials"), (baseUrl) =>
          t("Searches {0} for “{1}”. This uses one unit of your search quota.", baseUrl, readField(input, "domain"))
        ),
      answer: answerWith(
        DomainInput,
        Effect.fnUntraced(function* ({ domain }) {
          const page = yield* connections.ask(
            Effect.flatMap(Credentials, (credentials) =>
              Stream.runHead(credentials.pages({ query: { type: "domain", fqdn: domain }, size: counted }))
            )
          )
          const items = Option.match(page, { onNone: () => [], onSome: ({ items }) => items })
          const bySource = Map.groupBy(items, ({ source, source_id }) => source?.name ?? source_id)
          return {
            domain,
            credentials: items.length,
            more: Option.isSome(page) && page.value.next !== null,
            accounts: new Set(items.map(({ identity_name }) => identity_name.toLowerCase())).size,
            bySource: Object.fromEntries([...bySource].map(([name, members]) => [name, members.length]))
          }
        })
      )
    })

    yield* editor.tool("checkOpenFile", {
      prepare: () =>
        Effect.flatMap(editor.activeText, (open) =>
          question(t("Check the open file for leaks"), (baseUrl) =>
            Option.match(open, {
              onNone: () => t("No file is open."),
              onSome: ({ path }) => t("Sends the secrets found in {1} to {0}, two searches for each.", baseUrl, path)
            })
          )
        ),
      answer: answerWith(
        Schema.Struct({}),
        Effect.fnUntraced(function* () {
          const open = yield* editor.activeText
          if (Option.isNone(open)) return "No file is open."
          const { report } = yield* checks.check({ _tag: "File", open: open.value })
          return {
            verdict: report.verdict,
            searches: report.searches,
            unsearched: report.unsearched.length,
            leaks: report.leaks.map((leak) => ({
              kind: leak.subject.type === "domain" ? "domain" : leak.subject.kind,
              lines: leak.subject.type === "domain" ? [] : leak.subject.locations.map(({ line }) => line),
              severity: leak.severity,
              evidence: evidenceText(leak),
              counts: leak.counts
            }))
          }
        })
      )
    })
  })
)
