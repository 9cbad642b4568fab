import type { Vault } from "../../crypto/Vault.ts"
import type { Connection } from "./Connection.ts"
import type { OpenDatabase } from "./Procedure.ts"

/**
 * A value per connection. It is made again for another vault, and after a rollback: what was read in the transaction is
 * invalid then, and its revision numbers are used again.
 */
export const cachePerConnection = <Known>(make: () => Known): ((database: OpenDatabase) => Known) => {
  const caches = new WeakMap<Connection, { readonly known: Known; readonly rollbacks: number; readonly vault: Vault }>()
  return ({ connection, vault }) => {
    const { rollbacks } = connection
    const cache = caches.get(connection)
    if (cache?.rollbacks === rollbacks && cache.vault === vault) return cache.known
    const known = make()
    caches.set(connection, { known, rollbacks, vault })
    return known
  }
}
