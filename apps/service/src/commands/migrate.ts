import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { progressLines } from "../RowProgress.ts"
import { clusterEngine } from "../Services.ts"
import { Database } from "../sqlite/database/Database.ts"
import { openTransferSource } from "../transfer/TransferredTables.ts"
import { audit } from "./Audit.ts"
import { nameStore, textFlag, withDatabase } from "./DatabaseFlags.ts"
import { clusterOptionsOf, existingStoreFlags, hostsOf } from "./StoreFlags.ts"

export const migrate = Command.make(
  "migrate",
  {
    database: existingStoreFlags.database,
    keyFile: existingStoreFlags.keyFile,
    to: textFlag(
      "to",
      "URL,…",
      "Nodes of an OpenSearch cluster without data (user, password and certificates: see docs/opensearch.md)"
    ),
    indexPrefix: existingStoreFlags.indexPrefix
  },
  Effect.fnUntraced(
    function* ({ indexPrefix, to }) {
      const { file, keyFile } = (yield* Database).files
      const options = yield* clusterOptionsOf(to, indexPrefix, keyFile)
      const { transfer } = yield* clusterEngine
      const cluster = hostsOf(options)
      const counts = yield* Effect.flatMap(openTransferSource, (source) =>
        transfer(options, source, progressLines("copying"))
      ).pipe(
        Effect.scoped,
        nameStore(cluster),
        Effect.onInterrupt(() => Console.error("stopped: run migrate again to continue where it stopped."))
      )
      yield* audit("migrate", {
        database: file,
        cluster,
        rows: counts.reduce((sum, [, count]) => sum + count, 0)
      })
      const rows = counts.map(([name, count]) => `${name.replaceAll("-", " ")}: ${count.toLocaleString("en-GB")}`)
      yield* Console.log(`${file} is copied to ${cluster} under ${indexPrefix}, and checked: ${rows.join(", ")}.`)
      yield* Console.log(
        `What is written to ${file} from now on is not in the cluster. Serve with --opensearch and the same key file, ${keyFile}.`
      )
    },
    (work, given) => withDatabase(given)(work)
  )
).pipe(Command.withDescription("Copy an embedded database to a cluster, also while a service reads it"))
