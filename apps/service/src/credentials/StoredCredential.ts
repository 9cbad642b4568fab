import * as Schema from "effect/Schema"
import type { Vault } from "../crypto/Vault.ts"
import { credentialHashTerm, termsOf } from "./CredentialTerm.ts"
import { jsonColumn, jsonDecoder } from "../requests/JsonText.ts"

const Hosts = Schema.NullOr(jsonColumn(Schema.Array(Schema.String)))

export const foundByColumns = { document: Schema.String, auth_domains: Hosts, further_auth_domains: Hosts }

const StoredCredential = Schema.Struct(foundByColumns)
type StoredCredential = typeof StoredCredential.Type

/** The terms of a stored credential. `hash` is the decrypted `sealed_hash`. */
export const termsOfStored = (
  vault: Vault,
  { auth_domains, document, further_auth_domains }: StoredCredential,
  hash: string | null
): ReadonlySet<bigint> =>
  termsOf(vault, {
    ...decodeDocument(`{${document}}`),
    auth_domains: [...(auth_domains ?? []), ...(further_auth_domains ?? [])],
    hash: hash === null ? null : decodeHash(hash)
  })

export const hashTermOfStored = (vault: Vault, document: string): bigint | undefined => {
  const { credential_hash: hash } = decodeDocument(`{${document}}`)
  return hash === null ? undefined : credentialHashTerm(vault, hash)
}

const decodeDocument = jsonDecoder(
  Schema.Struct({
    identity_name: Schema.String,
    domain: Schema.NullOr(Schema.String),
    credential_hash: Schema.NullOr(Schema.String)
  })
)

const decodeHash = jsonDecoder(Schema.String)
