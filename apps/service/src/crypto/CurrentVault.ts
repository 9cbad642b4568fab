import * as Context from "effect/Context"
import type { Vault } from "./Vault.ts"

export class CurrentVault extends Context.Service<
  CurrentVault,
  {
    /** The key may be rotated at any time, so read this again for each request. */
    readonly vault: Vault
  }
>()("@threat-exposure/service/crypto/CurrentVault") {}
