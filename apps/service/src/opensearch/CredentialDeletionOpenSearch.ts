import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { KeyedCluster } from "./cluster/ClusterStart.ts"
import { CredentialDeletion, decodeQuery } from "../credentials/CredentialDeletion.ts"
import { credentialIndex, termText } from "./CredentialIndex.ts"
import { termsSought } from "../credentials/CredentialTerm.ts"

export const CredentialDeletionOpenSearch = Layer.effect(
  CredentialDeletion,
  Effect.gen(function* () {
    const keyed = yield* KeyedCluster
    return CredentialDeletion.of({
      select: Effect.fnUntraced(function* ({ importedBefore, query }) {
        const { cluster, vault } = keyed.now
        const terms = query === undefined ? [] : termsSought(vault, decodeQuery(query))
        const selected = {
          bool: {
            filter: [
              { range: { imported_at: { lt: importedBefore } } },
              ...terms.map((term) => ({ term: { terms: termText(term) } }))
            ]
          }
        }
        return {
          count: yield* cluster.count(credentialIndex, selected),
          delete: cluster.removeAll(credentialIndex, selected)
        }
      })
    })
  })
)
