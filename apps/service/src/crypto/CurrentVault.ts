import * as Context from "effect/Context"
import type { Vault } from "./Vault.ts"

/** The vault of the data that is served, whichever engine keeps them. */
export class CurrentVault extends Context.Service<CurrentVault, Vault>()(
  "@threat-exposure/service/crypto/CurrentVault"
) {}
