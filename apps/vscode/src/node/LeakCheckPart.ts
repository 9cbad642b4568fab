/** Bundle part that the first leak check loads. */
import { layer as scrypt } from "@threat-exposure/leak-check/node/NodeScrypt"
import { engine as portable, type LeakCheckEngine } from "../leaks/check/LeakCheckEngine.ts"

export const engine: LeakCheckEngine = {
  ...portable,
  scrypt
}
export { folderScans } from "./FolderScans.ts"
