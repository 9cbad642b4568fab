import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { TenantDeletion } from "../tenants/TenantDeletion.ts"
import { audit } from "./Audit.ts"
import { confirm, yes } from "./Confirmation.ts"
import { storeFlags, withStores } from "./StoreFlags.ts"

const remove = Command.make(
  "delete",
  {
    ...storeFlags,
    yes,
    tenant: Argument.Int("TENANT").pipe(Argument.withDescription("The tenant's number"))
  },
  Effect.fnUntraced(
    function* ({ tenant, yes }) {
      const deletion = yield* TenantDeletion
      const found = yield* deletion.count(tenant)
      if (found.length === 0) return yield* Console.log(`Tenant ${tenant} has no data.`)
      const counts = found.map(({ rows, table }) => `${table.replaceAll("_", " ")}: ${rows.toLocaleString("en-GB")}`)
      yield* confirm(
        `Of tenant ${tenant} this deletes ${counts.join(", ")}. Credentials and events belong to no tenant and stay.`,
        yes
      )
      yield* deletion.delete(tenant)
      const rows = found.reduce((sum, { rows }) => sum + rows, 0)
      yield* audit("tenants.delete", { tenant_id: tenant, rows })
      yield* Console.log(`Tenant ${tenant} is deleted.`)
    },
    (work, given) => withStores(given)(work)
  )
).pipe(Command.withDescription("Delete a tenant with everything that belongs to it, also while the service runs"))

export const tenants = Command.make("tenants").pipe(
  Command.withDescription("Delete a tenant"),
  Command.withSubcommands([remove])
)
