/** Deletes credentials with everything that they are found by. */
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
  /** With its secret in clear: never log it. Undefined selects every credential. */
  readonly query: typeof CredentialQuery.Encoded | undefined
  /** In microseconds since 1970; later imports stay. */
  readonly importedBefore: number
}

export const everyCredential: CredentialSelection = { query: undefined, importedBefore: Number.MAX_SAFE_INTEGER }

export const decodeQuery = Schema.decodeSync(CredentialQuery)
