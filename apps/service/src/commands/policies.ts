import { randomUUID } from "node:crypto"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { wordsOf } from "../search/Tokenizer.ts"
import { createPolicyJob } from "../matching-policies/Policies.ts"
import { Database } from "../sqlite/Database.ts"
import { withDatabase, databaseFlags, tenant } from "./DatabaseFlags.ts"

const create = Command.make(
  "create",
  {
    ...databaseFlags,
    tenant,
    name: Flag.String("name").pipe(Flag.withSchema(Schema.NonEmptyString), Flag.withDescription("What it is called")),
    keywords: Flag.String("keywords").pipe(
      Flag.withMetavar("A,B"),
      Flag.map((words) =>
        words
          .split(",")
          .map((word) => word.trim())
          .filter((word) => word !== "")
      ),
      Flag.filter(
        (keywords) => keywords.length > 0 && keywords.every((keyword) => wordsOf(keyword).length > 0),
        () => "keywords with a letter or a digit in each, several with commas between"
      ),
      Flag.withDescription("Events match only when they contain one of these; several with commas between")
    )
  },
  Effect.fnUntraced(function* ({ keywords, name, tenant, ...given }) {
    const uuid = yield* Effect.sync(() => randomUUID())
    const now = DateTime.formatIso(yield* DateTime.now)
    yield* Effect.flatMap(Database, ({ write }) =>
      write(createPolicyJob, { tenantId: tenant, name, keywords, uuid, now })
    ).pipe(withDatabase(given))
    yield* Console.log(uuid)
  })
).pipe(Command.withDescription("Create a policy of included keywords, and print its uuid"))

export const policies = Command.make("policies").pipe(
  Command.withDescription("Matching policies, which the API assigns and cannot create"),
  Command.withSubcommands([create])
)
