import { Credentials } from "@threat-exposure/core/client/Credentials"
import { Events } from "@threat-exposure/core/client/Events"
import { type Credential, type CredentialInclude, passwordFormOf } from "@threat-exposure/core/domain/Credential"
import { defaultLinkField } from "@threat-exposure/core/domain/ServiceNames"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stdio from "effect/Stdio"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Prompt from "effect/cli/Prompt"
import { stringify } from "yaml"
import { switchFlag } from "@threat-exposure/command-line/SwitchFlag"
import { client } from "../connection/Client.ts"
import { resolveConnection } from "../connection/Connection.ts"
import { escapedText, json, print, printJson, tableOptions } from "../output/Output.ts"
import { eventPage } from "../export/EventPage.ts"
import { severityColor } from "../output/Table.ts"
import { highlightTags, redacted, redactEvent } from "../redaction/Redaction.ts"
import { credentialFlags, credentialInputs, credentialSearchOf } from "../request/CredentialRequest.ts"
import { eventFlags, eventRequestOf, namingRequest } from "../request/EventRequest.ts"
import { countFlag, textArgument } from "../request/Flags.ts"
import { namingInputs, namingMissing } from "../request/Refusal.ts"
import { collect, printListing } from "../request/Listing.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"
import { secretOf, withoutSecret } from "../request/Secrets.ts"
import { credentialRecord, member, text } from "../export/Records.ts"

const limit = countFlag("limit", 50, "Maximum number of results; 100 results cost one unit of the search quota")

const moreResults = "raise --limit, or use threat-exposure export"

const reveal = switchFlag("reveal", "Show passwords in clear: only on a terminal, and after confirmation")

const confirmReveal = Effect.fnUntraced(function* (isAsked: boolean) {
  if (!isAsked) return false
  const stdio = yield* Stdio.Stdio
  if (!(yield* stdio.stdoutIsTerminal) || !(yield* stdio.stdinIsTerminal) || (yield* json)) {
    return yield* new UsageInvalid({
      message: "--reveal shows passwords on a terminal only: neither in a pipe nor as JSON"
    })
  }
  return yield* Prompt.run(Prompt.Confirm({ message: "Show passwords in clear on this screen?" }))
})

const searchCredentials = Command.make(
  "credentials",
  { ...credentialFlags, limit, reveal },
  Effect.fnUntraced(function* (flags) {
    const secret = yield* secretOf(flags)
    const search = yield* credentialSearchOf(flags, secret)
    const safe = withoutSecret(secret)
    const isRevealed = yield* confirmReveal(flags.reveal)
    const credentials = yield* Credentials
    const size = Math.min(flags.limit, 10_000)
    const listing = yield* namingInputs(credentialInputs)(collect(credentials.pages({ ...search, size }), flags.limit))
    yield* printListing(listing, {
      noun: "credential",
      more: moreResults,
      columns: [
        { title: "ACCOUNT", rank: 0 },
        { title: "PASSWORD", rank: 0 },
        { title: "SOURCE", rank: 3, isFlexible: true },
        { title: "IMPORTED", rank: 2 },
        ...flags.include.map((name) => ({ title: includeTitles[name], rank: 1, isFlexible: true }))
      ],
      shownOf: (credential) => safe(credentialRecord(credential, false)),
      rowOf: (shown, credential) => [
        text(member(shown, "identity_name")),
        isRevealed && credential.hash !== null ? Redacted.value(credential.hash) : secretKind(credential),
        text(member(member(shown, "source"), "name")) || text(member(shown, "source_id")),
        text(member(shown, "imported_at")).slice(0, 10),
        ...flags.include.map((name) => listText(member(shown, name)))
      ]
    })
  }, Effect.provide(client))
).pipe(
  Command.withDescription("Search leaked credentials"),
  Command.withExamples([
    { command: "threat-exposure search credentials --domain example.com --since 30d", description: "New in a month" },
    {
      command: "threat-exposure search credentials --secret-env DATABASE_PASSWORD",
      description: "Whether a password has leaked"
    }
  ])
)

/** Titles of the columns that `--include` adds. */
const includeTitles = {
  known_password_id: "KNOWN PASSWORD",
  auth_domains: "LOGINS AT",
  urls: "URLS"
} satisfies Record<CredentialInclude, string>

const listText = (value: unknown): string => (Array.isArray(value) ? value.map(text).join(" ") : text(value))

const secretKind = (credential: Credential) => {
  const form = passwordFormOf(credential)
  return form === "hashed" ? (credential.hash_type ?? form) : form
}

const searchEvents = Command.make(
  "events",
  { ...eventFlags, limit },
  Effect.fnUntraced(function* (flags) {
    const secret = yield* secretOf(flags)
    const request = yield* eventRequestOf(flags, secret)
    const safe = withoutSecret(secret)
    const events = yield* Events
    const pages =
      request._tag === "Global"
        ? events.pages(request.search)
        : events.pagesOfIdentifier(request.identifierId, request.search)
    yield* printListing(yield* namingRequest(request)(collect(pages, flags.limit)), {
      noun: "event",
      more: moreResults,
      columns: [
        { title: "SEVERITY", rank: 0 },
        { title: "CREATED", rank: 2 },
        { title: "TYPE", rank: 3 },
        { title: "TITLE", rank: 1, isFlexible: true },
        { title: "UID", rank: 0 }
      ],
      shownOf: (event) => safe(redactEvent(event)),
      rowOf: (shown, { metadata, tenant_metadata }) => {
        const severity = tenant_metadata.severity?.override ?? metadata.severity
        return [
          { text: severity, color: severityColor(severity) },
          (metadata.estimated_created_at ?? "").slice(0, 10),
          metadata.type,
          listedTitle(shown),
          metadata.uid
        ]
      }
    })
  }, Effect.provide(client))
).pipe(
  Command.withDescription("Search events: leaks, pastes, stealer logs, posts and other findings"),
  Command.withExamples([
    {
      command: "threat-exposure search events --domain example.com --severity high",
      description: "Events of high or critical severity"
    },
    {
      command: "threat-exposure search events --identifier 42 --since 7d --json",
      description: "As JSON, for another program"
    }
  ])
)

/** The title of the event, or else the first passage that matched. */
const listedTitle = (event: unknown): string => {
  const passages = Object.values(member(event, "highlights") ?? {}).flatMap((passages) =>
    Array.isArray(passages) ? passages.map(text) : []
  )
  const matched = passages.find((passage) => passage !== redacted) ?? ""
  return text(member(member(event, "metadata"), "title")) || matched.replaceAll(highlightTags, "")
}

export const search = Command.make("search").pipe(
  Command.withDescription("Search leaked credentials or events"),
  Command.withSubcommands([searchCredentials, searchEvents])
)

export const event = Command.make(
  "event",
  {
    uid: textArgument("UID", "The UID, as in the results of search events"),
    output: Flag.Literals("output", ["page", "yaml", "json"]).pipe(
      Flag.withMetavar("CHOICE"),
      Flag.withDefault("page"),
      Flag.withDescription("page: for people (default); yaml or json: all that the service sent, without secrets")
    )
  },
  Effect.fnUntraced(function* ({ output, uid }) {
    const events = yield* Events
    const found = redactEvent(yield* namingMissing("event", uid)(events.get(uid)))
    if (output === "json" || (yield* json)) return yield* printJson(found)
    if (output === "yaml")
      return yield* print(escapedText(stringify(found, { defaultStringType: "QUOTE_DOUBLE", lineWidth: 0 })).trimEnd())
    const { options } = yield* resolveConnection
    for (const line of eventPage(found, { ...(yield* tableOptions), linkField: options.linkField ?? defaultLinkField }))
      yield* print(line)
  }, Effect.provide(client))
).pipe(
  Command.withDescription("Show one event in full, without the secrets in it"),
  Command.withExamples([
    {
      command: "threat-exposure event paste/quicknote/4ios9vzhcgslbh35",
      description: "An event from the results of search events"
    }
  ])
)
