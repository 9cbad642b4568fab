import { Events } from "@threat-exposure/core/client/Events"
import { type EventAnnotation, maxEventTargets } from "@threat-exposure/core/domain/Event"
import { severities } from "@threat-exposure/core/domain/Severity"
import type { TriageAction } from "@threat-exposure/core/domain/Triage"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { switchFlag } from "@threat-exposure/command-line/SwitchFlag"
import { client } from "../connection/Client.ts"
import { redactJson } from "../redaction/Redaction.ts"
import { optionalText } from "../request/Flags.ts"
import { namingInputs } from "../request/Refusal.ts"
import { actOnTargets, type TargetFlagValues, targetFlags, targetsOf } from "../request/Targets.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"

const uidFlags = targetFlags("UID", "UIDs of events, as in the results of search events")

const exampleUid = "paste/quicknote/4ios9vzhcgslbh35"

const event = { noun: "event", key: "uid" }

const action = (name: TriageAction, done: string, description: string) =>
  Command.make(
    name,
    uidFlags,
    Effect.fnUntraced(function* (flags) {
      const uids = yield* targetsOf(flags)
      const events = yield* Events
      yield* actOnTargets(uids, {
        ...event,
        done,
        maxTargets: maxEventTargets,
        run: (some) => Effect.as(events.act(some, name), { action: name })
      })
    }, Effect.provide(client))
  ).pipe(
    Command.withDescription(description),
    Command.withExamples([
      { command: `threat-exposure events ${name} ${exampleUid}`, description: "One event" },
      { command: `threat-exposure events ${name} --from-file uids.txt`, description: "Many, one a line" }
    ])
  )

/** Applies the same annotation to each event, one request per event: the API has no batch operation for it. */
const annotate = Effect.fnUntraced(
  function* (flags: TargetFlagValues, annotation: typeof EventAnnotation.Type) {
    const uids = yield* targetsOf(flags)
    const events = yield* Events
    yield* actOnTargets(uids, {
      ...event,
      done: "annotated",
      maxTargets: 1,
      run: ([uid = ""]) =>
        Effect.map(events.annotate(uid, annotation), ({ notes, severity, tags }) => ({
          tags,
          severity,
          notes: redactJson(notes)
        }))
    })
  },
  namingInputs({ tags: "--tags", notes: "--text", severity: "--to" }),
  Effect.provide(client)
)

const clear = switchFlag("clear", "Remove it instead")

/** The value of the flag, or null for `--clear`; exactly one of them must be given. */
const valueOf = <A>(given: Option.Option<A>, isCleared: boolean, flag: string) =>
  Option.isSome(given) === isCleared
    ? Effect.fail(new UsageInvalid({ message: `Give either ${flag} or --clear` }))
    : Effect.succeed(Option.getOrNull(given))

const tag = Command.make(
  "tag",
  {
    ...uidFlags,
    tags: optionalText("tags", "LIST", "All tags of the event, separated by commas: at most 50 of 100 characters"),
    clear
  },
  Effect.fnUntraced(function* ({ clear, tags, ...flags }) {
    const list = (yield* valueOf(tags, clear, "--tags"))
      ?.split(",")
      .flatMap((tag) => (tag.trim() === "" ? [] : [tag.trim()]))
    if (list?.length === 0)
      return yield* new UsageInvalid({ message: "--tags is empty: give --clear to remove all tags" })
    yield* annotate(flags, { tags: list ?? null })
  })
).pipe(
  Command.withDescription("Replace the tags of events"),
  Command.withExamples([
    { command: `threat-exposure events tag ${exampleUid} --tags payroll,urgent`, description: "Two tags" }
  ])
)

const note = Command.make(
  "note",
  { ...uidFlags, text: optionalText("text", "TEXT", "The note: at most 10,000 characters"), clear },
  Effect.fnUntraced(function* ({ clear, text, ...flags }) {
    const notes = yield* valueOf(text, clear, "--text")
    if (notes?.trim() === "")
      return yield* new UsageInvalid({ message: "--text is empty: give --clear to remove the note" })
    yield* annotate(flags, { notes })
  })
).pipe(
  Command.withDescription("Replace the note of events"),
  Command.withExamples([
    { command: `threat-exposure events note ${exampleUid} --text "passwords changed"`, description: "What was done" }
  ])
)

const severity = Command.make(
  "severity",
  {
    ...uidFlags,
    to: Flag.Literals("to", severities).pipe(
      Flag.withMetavar("LEVEL"),
      Flag.optional,
      Flag.withDescription("The severity for your tenant")
    ),
    clear
  },
  Effect.fnUntraced(function* ({ clear, to, ...flags }) {
    yield* annotate(flags, { severity: yield* valueOf(to, clear, "--to") })
  })
).pipe(
  Command.withDescription("Rate events for your tenant"),
  Command.withExamples([
    { command: `threat-exposure events severity ${exampleUid} --to high`, description: "Rate it high" },
    { command: `threat-exposure events severity ${exampleUid} --clear`, description: "As the service rates it" }
  ])
)

export const events = Command.make("events").pipe(
  Command.withDescription("Triage events: say what is dealt with, tag, note and rate it"),
  Command.withSubcommands([
    action("ignore", "ignored", "Ignore events: they are of no interest, and listings leave them out"),
    action("unignore", "no longer ignored", "Undo ignore"),
    action("remediate", "remediated", "Mark events as dealt with: listings leave them out"),
    action("unremediate", "no longer remediated", "Undo remediate"),
    tag,
    note,
    severity
  ])
)
