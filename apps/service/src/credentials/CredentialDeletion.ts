import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CredentialQuery } from "@threat-exposure/core/domain/Credential"
import type { SelectedRecords } from "../load/RecordDeletion.ts"

export class CredentialDeletion extends Context.Service<
  CredentialDeletion,
  {
    select(selection: CredentialSelection): Effect.Effect<SelectedRecords>
  }
>()("@threat-exposure/service/credentials/CredentialDeletion") {}

export interface CredentialSelection {
  /** The secret in the query is in clear: never log it. Undefined selects every credential. */
  readonly query: typeof CredentialQuery.Encoded | undefined
  /** Microseconds since 1970, exclusive. */
  readonly importedBefore: number
}

export const everyCredential: CredentialSelection = { query: undefined, importedBefore: Number.MAX_SAFE_INTEGER }

export const decodeQuery = Schema.decodeSync(CredentialQuery)
