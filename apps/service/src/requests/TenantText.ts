/**
 * JSON that is encrypted together with the number of its tenant. Someone who can write to the store, but does not have
 * the key file, cannot move it to another tenant, to which the service would show it.
 */
import * as Schema from "effect/Schema"
import { jsonDecoder } from "./JsonText.ts"
import { type Vault, ValueForeign } from "../crypto/Vault.ts"

export const tenantText = (tenantId: number, json: object): string => JSON.stringify({ ...json, tenant_id: tenantId })

/** The text of an earlier version with its tenant, unless it names one already. */
export const withTenant = (tenantId: number, text: string): string =>
  JSON.stringify({ tenant_id: tenantId, ...decodeObject(text) })

const decodeObject = jsonDecoder(Schema.Record(Schema.String, Schema.Unknown))

/** Throws {@link ValueForeign} unless the text names the tenant. */
export const decryptForTenant = (
  vault: Vault,
  tenantId: number,
  encrypted: Uint8Array | string,
  context: string
): string => {
  const text = vault.decrypt(encrypted, context)
  if (decodeObject(text)["tenant_id"] !== tenantId) throw new ValueForeign(context)
  return text
}
