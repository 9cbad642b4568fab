import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { SampleDeletion, sampleTenant } from "../sample/SampleDeletion.ts"
import { audit } from "./Audit.ts"
import { confirm, yes } from "./Confirmation.ts"
import { storeFlags, withStores } from "./StoreFlags.ts"

const removeSample = Command.make("delete", { ...storeFlags, yes }, (given) =>
  Effect.gen(function* () {
    const deletion = yield* SampleDeletion
    const rows = Object.entries(yield* deletion.count)
    const total = rows.reduce((sum, [, rows]) => sum + rows, 0)
    if (total === 0) return yield* Console.log("There is no sample data.")
    const counts = rows.map(([name, rows]) => `${name}: ${rows.toLocaleString("en-GB")}`)
    yield* confirm(`Of the sample data this deletes ${counts.join(", ")}.`, given.yes)
    yield* deletion.delete
    yield* audit("sample.delete", { tenant_id: sampleTenant, rows: total })
    yield* Console.log("The sample data is deleted.")
  }).pipe(withStores(given))
).pipe(Command.withDescription("Delete what serve --sample loaded, and its keys; other data stays"))

export const sample = Command.make("sample").pipe(
  Command.withDescription("Delete the synthetic sample data"),
  Command.withSubcommands([removeSample])
)
