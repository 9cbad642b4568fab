import * as Context from "effect/Context"
import type { Vault } from "./Vault.ts"

/** The vault of the data that is served, whichever engine stores it. */
export class CurrentVault extends Context.Service<
  CurrentVault,
  {
    /** As of now: the key may be rotated at any time, so read it again for each request. */
    readonly vault: Vault
  }
>()("@threat-exposure/service/crypto/CurrentVault") {}
