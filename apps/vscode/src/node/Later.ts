/** What the first leak check loads. */
export { engine } from "../leaks/Engine.ts"
export { folderScans } from "./FolderScans.ts"
