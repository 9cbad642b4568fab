import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { wordsOf } from "../search/Tokenizer.ts"
import { policyHandlers } from "../matching-policies/MatchingPolicies.ts"
import { audit } from "./Audit.ts"
import { tenant, textFlag } from "./DatabaseFlags.ts"
import { storeFlags, withStores } from "./StoreFlags.ts"

const create = Command.make(
  "create",
  {
    ...storeFlags,
    tenant,
    name: textFlag("name", "NAME", "The name of the policy").pipe(
      Flag.filter(
        (name) => name.trim() !== "",
        () => "a name, such as 'Brand names'"
      )
    ),
    keywords: textFlag(
      "keywords",
      "A,B",
      "Keywords separated by commas: an event must contain one of them to match"
    ).pipe(
      Flag.map((words) =>
        words
          .split(",")
          .map((word) => word.trim())
          .filter((word) => word !== "")
      ),
      Flag.filter(
        (keywords) => keywords.length > 0 && keywords.every((keyword) => wordsOf(keyword).length > 0),
        () => "keywords separated by commas, each with a letter or a digit"
      )
    )
  },
  Effect.fnUntraced(function* ({ keywords, name, tenant, ...given }) {
    const payload = { name, type: "INCLUDED_KEYWORDS" as const, value: { keywords } }
    const { uuid } = yield* Effect.flatMap(policyHandlers, ({ create }) =>
      create.handle({ payload }, { tenantId: tenant })
    ).pipe(withStores(given))
    yield* audit("policies.create", { tenant_id: tenant, policy: uuid })
    yield* Console.log(uuid)
  })
).pipe(Command.withDescription("Create a policy of type INCLUDED_KEYWORDS and print its uuid"))

export const policies = Command.make("policies").pipe(
  Command.withDescription("Create matching policies"),
  Command.withSubcommands([create])
)
