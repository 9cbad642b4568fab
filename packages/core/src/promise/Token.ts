/** Tokens of an API key. See docs/api.md#describe-a-token. */
import type { Open } from "./Page.ts"

export interface TokenDescription {
  readonly tenant_id: number | null
  /** Null where the API key belongs to no user. */
  readonly user_id: number | null
  readonly scopes: ReadonlyArray<Open<"Read Tenant" | "Write Tenant" | "Write Tenant Admin">>
}
