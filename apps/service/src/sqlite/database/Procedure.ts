/**
 * Stored procedures: named functions that a database thread runs in one transaction.
 *
 * Input and output cross the thread boundary by structured clone: plain data and `Uint8Array`, no functions or class
 * instances. A procedure reads no clock and draws no random numbers; both are part of the input. An outcome that a
 * caller can act on is part of the output. An exception becomes a defect: a logged 500.
 */
import type { Vault } from "../../crypto/Vault.ts"
import type { Connection } from "./Connection.ts"

export interface Procedure<Input, Output> {
  readonly name: string
  // Declared as a method, whose parameters are bivariant, so that a list can hold procedures with any input.
  run(database: OpenDatabase, input: Input): Output
  /** The buffers of an output that are transferred to the caller's thread instead of being copied. */
  moved(output: Output): Array<ArrayBuffer>
}

export interface OpenDatabase {
  readonly connection: Connection
  readonly vault: Vault
}

/** `name` is the store and the method. `src/sqlite/Sqlite.ts` must import the module. */
export const procedure = <Input, Output>(
  name: string,
  run: (database: OpenDatabase, input: Input) => Output,
  moved: (output: Output) => Array<ArrayBuffer> = () => []
): Procedure<Input, Output> => {
  const made = { name, run, moved }
  procedures.set(name, made)
  return made
}

export const procedures = new Map<string, Procedure<unknown, unknown>>()

export const checkReading = procedure("Database.checkReading", ({ connection }, _input: undefined): void => {
  connection.prepare("SELECT count(*) FROM migrations").get()
})

/** Proves that the writer thread can take the write lock and commit a page to the disk. Nothing reads the number. */
export const checkWriting = procedure("Database.checkWriting", ({ connection }, _input: undefined): void => {
  connection.exec("PRAGMA user_version = 1")
})
