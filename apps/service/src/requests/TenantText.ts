/**
 * JSON that is encrypted together with the number of its tenant. Someone who can write to the store, but does not have
 * the key file, cannot move it to another tenant, to which the service would show it.
 */
import * as Schema from "effect/Schema"
import { jsonDecoder } from "./JsonText.ts"
import { type Vault, ValueForeign } from "../crypto/Vault.ts"

export const tenantText = (tenantId: number, json: object): string => JSON.stringify({ ...json, tenant_id: tenantId })

/** Throws {@link ValueForeign} if the text names another tenant. Earlier versions stored texts that name none. */
export const decryptForTenant = (
  vault: Vault,
  tenantId: number,
  encrypted: Uint8Array | string,
  context: string
): string => {
  const text = vault.decrypt(encrypted, context)
  const { tenant_id = tenantId } = decodeTenant(text)
  if (tenant_id !== tenantId) throw new ValueForeign(context)
  return text
}

const decodeTenant = jsonDecoder(Schema.Struct({ tenant_id: Schema.optionalKey(Schema.Int) }))
