/** Loaded with the first leak check. */
import { loadGitleaksConfig } from "@threat-exposure/detect/config/GitleaksConfig"
import { timed } from "@threat-exposure/detect/node/NodeTimeLimit"
import { layer as scrypt } from "@threat-exposure/leak-check/node/NodeScrypt"
import { engine as portable, type LeakCheckEngine } from "../leaks/LeakCheckEngine.ts"

export const engine: LeakCheckEngine = {
  ...portable,
  scrypt,
  loadGitleaksConfig: (read, warn) => loadGitleaksConfig(read, { timed, warn })
}
export { folderScans } from "./FolderScans.ts"
