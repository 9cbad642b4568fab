/** The embedded engine, put together: the one place that knows both its driver and the stores that run on it. */
import { Database, type DatabaseFiles } from "./sqlite/Database.ts"

/** For `serve`, and for commands with much to do: reader threads and a writer thread. */
export const sqlite = (files: DatabaseFiles) => Database.layer(files, new URL("sqliteThread.ts", import.meta.url))

/** For other commands and for tests: everything on the caller's thread. */
export const sqliteSameThread = (files: DatabaseFiles) => Database.layerSameThread(files)
