import { Identifiers } from "@threat-exposure/core/client/Identifiers"
import { IdentifierGroups } from "@threat-exposure/core/client/IdentifierGroups"
import { maxIdentifiers, type MonitoredIdentifier } from "@threat-exposure/core/domain/MonitoredIdentifier"
import { identifierTypes, searchTypes } from "@threat-exposure/core/domain/Identifier"
import { severities as knownSeverities } from "@threat-exposure/core/domain/Severity"
import { counted } from "@threat-exposure/leak-check/Counted"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { switchFlag } from "@threat-exposure/command-line/SwitchFlag"
import { client } from "../connection/Client.ts"
import { member, text } from "../export/Records.ts"
import { redactJson } from "../redaction/Redaction.ts"
import { oneOf, typesOf } from "../request/EventRequest.ts"
import { countFlag, listFlag, optionalText } from "../request/Flags.ts"
import { dataFlags, dataOf, dataText, updateOf } from "../request/IdentifierData.ts"
import { collect, printListing, printRecord } from "../request/Listing.ts"
import { namingInputs, namingMissing } from "../request/Refusal.ts"
import { actOnTargets, confirmDeletion, idsOf, targetFlags, yesFlag } from "../request/Targets.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"

const idArgument = Argument.Int("ID").pipe(Argument.withDescription("The id, as identifiers list shows it"))

const idFlags = targetFlags("ID", "Ids of identifiers, as identifiers list shows them")

const shownOf = (identifier: MonitoredIdentifier) => redactJson(identifier)

const groupFlag = optionalText("group", "GROUP", "The group, by its id or its name")

/** Finds a group by its id or its name, and returns the id. */
const groupIdOf = Effect.fnUntraced(function* (given: string) {
  if (/^\d{1,15}$/u.test(given)) return Number(given)
  const groups = yield* Effect.flatMap(IdentifierGroups, (groups) => groups.list())
  const named = groups.filter(({ name }) => name === given)
  return named.length === 1 && named[0] !== undefined
    ? named[0].id
    : yield* new UsageInvalid({
        message: `--group: ${named.length === 0 ? "there is no group" : "there are several groups"} of that name: see threat-exposure groups list`
      })
})

const optionalGroup = (given: Option.Option<string>) =>
  Option.isNone(given) ? Effect.undefined : groupIdOf(given.value)

const list = Command.make(
  "list",
  {
    group: groupFlag,
    types: listFlag("types", "LIST", "Types of identifiers, such as domain, keyword, identity"),
    disabled: switchFlag("disabled", "Only those that are disabled"),
    limit: countFlag("limit", 1000, "Maximum number of identifiers")
  },
  Effect.fnUntraced(function* ({ disabled, group, limit, types }) {
    const group_id = yield* optionalGroup(group)
    const identifiers = yield* Identifiers
    const pages = identifiers.pages({
      size: Math.min(limit, maxIdentifiers),
      ...(group_id === undefined ? {} : { group_id }),
      ...(types.length === 0 ? {} : { types: yield* typesOf("types", types, identifierTypes) }),
      ...(disabled ? { is_disabled: true } : {})
    })
    yield* printListing(yield* collect(pages, limit), {
      noun: "identifier",
      columns: [
        { title: "ID", rank: 0 },
        { title: "STATE", rank: 1 },
        { title: "TYPE", rank: 1 },
        { title: "NAME", rank: 0, isFlexible: true },
        { title: "MATCHES", rank: 2, isFlexible: true },
        { title: "GROUP", rank: 3 },
        { title: "EVENTS", rank: 3 }
      ],
      shownOf,
      rowOf: (shown, { data, enrichments, group_id, id, is_disabled }) => [
        String(id),
        is_disabled ? "disabled" : "enabled",
        data.type,
        text(member(shown, "name")),
        dataText(data),
        group_id === null ? "" : String(group_id),
        String(enrichments?.event_count ?? "")
      ]
    })
  }, Effect.provide(client))
).pipe(
  Command.withDescription("List what is monitored"),
  Command.withExamples([{ command: "threat-exposure identifiers list --types domain", description: "The domains" }])
)

const get = Command.make(
  "get",
  { id: idArgument },
  Effect.fnUntraced(function* ({ id }) {
    const identifiers = yield* Identifiers
    yield* printRecord(shownOf(yield* namingMissing("identifier", id)(identifiers.get(id))))
  }, Effect.provide(client))
).pipe(
  Command.withDescription("Show one identifier"),
  Command.withExamples([{ command: "threat-exposure identifiers get 42 --json", description: "As JSON" }])
)

const contentFlags = {
  ...dataFlags,
  name: optionalText("name", "TEXT", "A name for people"),
  group: groupFlag,
  categories: listFlag("categories", "LIST", "Types of events that it matches; all, if none is given"),
  severities: listFlag("severities", "LIST", "Severities that it matches; all, if none is given")
}

const inputs = namingInputs({
  data: "--value",
  first_name: "--value",
  last_name: "--value",
  secret: "--secret-env",
  name: "--name",
  group_id: "--group",
  categories: "--categories",
  severities: "--severities"
})

const categoriesOf = (given: ReadonlyArray<string>) => typesOf("categories", given, searchTypes)

const create = Command.make(
  "create",
  contentFlags,
  Effect.fnUntraced(
    function* ({ categories, group, name, severities, ...flags }) {
      const data = yield* dataOf(flags)
      if (data === undefined) return yield* new UsageInvalid({ message: "Give --type with --value or --secret-env" })
      const known = yield* oneOf("severities", severities, knownSeverities)
      const group_id = yield* optionalGroup(group)
      const identifiers = yield* Identifiers
      const created = yield* identifiers.create({
        data,
        categories: yield* categoriesOf(categories),
        emerging_categories: [],
        severities: known,
        ...(Option.isNone(name) ? {} : { name: name.value }),
        ...(group_id === undefined ? {} : { group_id })
      })
      yield* printRecord(shownOf(created))
    },
    inputs,
    Effect.provide(client)
  )
).pipe(
  Command.withDescription("Monitor something"),
  Command.withExamples([
    {
      command: "threat-exposure identifiers create --type domain --value example.com --name Shop",
      description: "A domain"
    },
    {
      command: "threat-exposure identifiers create --type identity --value email=ada@example.com --value username=ada",
      description: "A person"
    }
  ])
)

const update = Command.make(
  "update",
  { id: idArgument, ...contentFlags, ungrouped: switchFlag("ungrouped", "Leave the group") },
  Effect.fnUntraced(
    function* ({ categories, group, id, name, severities, ungrouped, ...flags }) {
      if (ungrouped && Option.isSome(group))
        return yield* new UsageInvalid({ message: "Give only one of --group and --ungrouped" })
      const data = yield* dataOf(flags)
      const known = yield* oneOf("severities", severities, knownSeverities)
      const group_id = ungrouped ? null : yield* optionalGroup(group)
      const changes = {
        ...(data === undefined ? {} : { data }),
        ...(Option.isNone(name) ? {} : { name: name.value }),
        ...(categories.length === 0 ? {} : { categories: yield* categoriesOf(categories) }),
        ...(known.length === 0 ? {} : { severities: known }),
        ...(group_id === undefined ? {} : { group_id })
      }
      if (Object.keys(changes).length === 0)
        return yield* new UsageInvalid({ message: "Nothing to change: give a flag" })
      const identifiers = yield* Identifiers
      const body = yield* updateOf(yield* namingMissing("identifier", id)(identifiers.get(id)), changes)
      yield* printRecord(shownOf(yield* identifiers.update(id, body)))
    },
    inputs,
    Effect.provide(client)
  )
).pipe(
  Command.withDescription("Change an identifier, which is then matched again; what no flag names stays"),
  Command.withExamples([
    { command: "threat-exposure identifiers update 42 --name Shop --group retail", description: "Name and group" }
  ])
)

const setDisabled = (name: "enable" | "disable", done: string, description: string) =>
  Command.make(
    name,
    idFlags,
    Effect.fnUntraced(function* (flags) {
      const ids = yield* idsOf(flags)
      const identifiers = yield* Identifiers
      yield* actOnTargets(ids, {
        noun: "identifier",
        done,
        key: "id",
        maxTargets: 1,
        run: Effect.fnUntraced(function* ([id = 0]) {
          const body = yield* updateOf(yield* identifiers.get(id), { is_disabled: name === "disable" })
          const { is_disabled } = yield* identifiers.update(id, body)
          return { is_disabled }
        })
      })
    }, Effect.provide(client))
  ).pipe(
    Command.withDescription(description),
    Command.withExamples([{ command: `threat-exposure identifiers ${name} 42 43`, description: "Two of them" }])
  )

const remove = Command.make(
  "delete",
  { ...idFlags, yes: yesFlag },
  Effect.fnUntraced(function* ({ yes, ...flags }) {
    const ids = yield* idsOf(flags)
    yield* confirmDeletion(
      `${counted(ids.length, "identifier")} and what was matched to ${ids.length === 1 ? "it" : "them"}`,
      yes
    )
    const identifiers = yield* Identifiers
    yield* actOnTargets(ids, {
      noun: "identifier",
      done: "deleted",
      key: "id",
      maxTargets: 1,
      run: ([id = 0]) => identifiers.delete(id)
    })
  }, Effect.provide(client))
).pipe(
  Command.withDescription("Delete identifiers with their matches; a service may take up to an hour to show it"),
  Command.withExamples([{ command: "threat-exposure identifiers delete 42 --yes", description: "Without asking" }])
)

export const identifiers = Command.make("identifiers").pipe(
  Command.withDescription("Manage what is monitored"),
  Command.withSubcommands([
    list,
    get,
    create,
    update,
    setDisabled("enable", "enabled", "Match again what disabled identifiers would have matched meanwhile"),
    setDisabled("disable", "disabled", "Match nothing new; what was matched stays"),
    remove
  ])
)
