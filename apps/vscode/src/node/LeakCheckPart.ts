/** What the first leak check loads. */
import { layer as scrypt } from "@threat-exposure/leak-check/node/NodeScrypt"
import { type Engine, engine as anywhere } from "../leaks/Engine.ts"

export const engine: Engine = { ...anywhere, scrypt }
export { folderScans } from "./FolderScans.ts"
