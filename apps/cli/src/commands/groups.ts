import { IdentifierGroups } from "@threat-exposure/core/client/IdentifierGroups"
import type { IdentifierGroup } from "@threat-exposure/core/domain/IdentifierGroup"
import { counted } from "@threat-exposure/leak-check/Counted"
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { client } from "../connection/Client.ts"
import { redactJson } from "../redaction/Redaction.ts"
import { textArgument } from "../request/Flags.ts"
import { printListing, printRecord } from "../request/Listing.ts"
import { namingInputs, namingMissing } from "../request/Refusal.ts"
import { actOnTargets, confirmDeletion, idsOf, targetFlags, yesFlag } from "../request/Targets.ts"

const shownOf = (group: IdentifierGroup) => redactJson(group)

const list = Command.make(
  "list",
  {},
  Effect.fnUntraced(function* () {
    const found = yield* Effect.flatMap(IdentifierGroups, (groups) => groups.list())
    yield* printListing(
      { found, hasMore: false, unreadable: 0 },
      {
        noun: "group",
        columns: [
          { title: "ID", rank: 0 },
          { title: "NAME", rank: 0, isFlexible: true }
        ],
        shownOf,
        rowOf: (_, { id, name }) => [String(id), name ?? ""]
      }
    )
  }, Effect.provide(client))
).pipe(
  Command.withDescription("List the groups of identifiers"),
  Command.withExamples([{ command: "threat-exposure groups list", description: "All of them" }])
)

const nameArgument = textArgument("NAME", "Its name")

const inputs = namingInputs({ name: "NAME" })

const create = Command.make(
  "create",
  { name: nameArgument },
  Effect.fnUntraced(
    function* ({ name }) {
      const groups = yield* IdentifierGroups
      yield* printRecord(shownOf(yield* groups.create({ name })))
    },
    inputs,
    Effect.provide(client)
  )
).pipe(
  Command.withDescription("Create a group"),
  Command.withExamples([{ command: "threat-exposure groups create retail", description: "A group for the shops" }])
)

const rename = Command.make(
  "rename",
  { id: Argument.Int("ID").pipe(Argument.withDescription("The id, as groups list shows it")), name: nameArgument },
  Effect.fnUntraced(
    function* ({ id, name }) {
      const groups = yield* IdentifierGroups
      yield* printRecord(shownOf(yield* namingMissing("group", id)(groups.update(id, { name }))))
    },
    inputs,
    Effect.provide(client)
  )
).pipe(
  Command.withDescription("Rename a group"),
  Command.withExamples([{ command: "threat-exposure groups rename 3 shops", description: "By its id" }])
)

const remove = Command.make(
  "delete",
  { ...targetFlags("ID", "Ids of groups, as groups list shows them"), yes: yesFlag },
  Effect.fnUntraced(function* ({ yes, ...flags }) {
    const ids = yield* idsOf(flags)
    yield* confirmDeletion(counted(ids.length, "group"), yes)
    const groups = yield* IdentifierGroups
    yield* actOnTargets(ids, {
      noun: "group",
      done: "deleted",
      key: "id",
      maxTargets: 1,
      run: ([id = 0]) => groups.delete(id)
    })
  }, Effect.provide(client))
).pipe(
  Command.withDescription("Delete groups; their identifiers stay"),
  Command.withExamples([{ command: "threat-exposure groups delete 3 --yes", description: "Without asking" }])
)

export const groups = Command.make("groups").pipe(
  Command.withDescription("Manage groups of identifiers"),
  Command.withSubcommands([list, create, rename, remove])
)
