import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import { progressLines } from "../RowProgress.ts"
import { clusterEngine } from "../Services.ts"
import { audit } from "./Audit.ts"
import { confirm, yes } from "./Confirmation.ts"
import { nameStore } from "./DatabaseFlags.ts"
import { hostsOf, requireCluster, storeFlags } from "./StoreFlags.ts"

const { indexPrefix, keyFile, opensearch } = storeFlags

export const upgrade = Command.make(
  "upgrade",
  { opensearch, keyFile, indexPrefix, yes },
  Effect.fnUntraced(function* ({ yes, ...flags }) {
    const options = yield* requireCluster({ ...flags, database: Option.none() })
    const engine = yield* clusterEngine
    const cluster = hostsOf(options)
    const upgraded = yield* engine
      .upgrade({
        options,
        confirm: (plan) => confirm(plan, yes),
        progress: progressLines("copying")
      })
      .pipe(nameStore(cluster))
    if (upgraded.length === 0) return yield* Console.log(`The indices of ${cluster} need no upgrade.`)
    yield* audit("upgrade", { database: cluster })
    yield* Console.log(`The indices of ${cluster} are of this version: ${upgraded.join(", ")}. Start its services now.`)
  })
).pipe(Command.withDescription("Upgrade the indices of a cluster to this version, while services answer searches"))
