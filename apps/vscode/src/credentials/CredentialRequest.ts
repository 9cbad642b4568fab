/** The request of a credential search, and its pages. */
import { Credentials } from "@threat-exposure/core/client/Credentials"
import { CredentialFilters, CredentialInclude, CredentialQuery } from "@threat-exposure/core/domain/Credential"
import { Effect, Schema, Stream } from "effect"

/** Results per page, which is the number that one unit of the quota pays for. */
export const pageSize = 100

export const CredentialRequest = Schema.Struct({
  query: CredentialQuery,
  filters: Schema.optionalKey(CredentialFilters),
  include: Schema.Array(CredentialInclude)
})
export interface CredentialRequest extends Schema.Schema.Type<typeof CredentialRequest> {}

export const credentialPages = ({ query, filters, include }: CredentialRequest, from: string | undefined) =>
  Stream.unwrap(
    Effect.map(Credentials, (service) =>
      service.pages({ query, filters, include: include.length === 0 ? undefined : include, from, size: pageSize })
    )
  )
