import * as Context from "effect/Context"
import type { Vault } from "./Vault.ts"

/** The vault of the served data, whichever engine stores it. */
export class CurrentVault extends Context.Service<
  CurrentVault,
  {
    /** The key may be rotated at any time, so read this again for each request. */
    readonly vault: Vault
  }
>()("@threat-exposure/service/crypto/CurrentVault") {}
