/**
 * Work on the database that a thread can be asked to do by name.
 *
 * Input and output cross the thread boundary by structured clone: plain data and `Uint8Array`, no functions or classes.
 * A job does not read the clock and draws no random numbers: both come with the input. What a caller can act on is part
 * of the output; what is thrown becomes a defect, a logged 500.
 */
import type { Vault } from "../crypto/Vault.ts"
import type { Connection } from "./Connection.ts"

export interface Job<Input, Output> {
  readonly name: string
  // A method, so that a list can hold jobs of every input.
  run(room: JobRoom, input: Input): Output
}

/** What a job finds where it runs. */
export interface JobRoom {
  readonly connection: Connection
  readonly vault: Vault
}

/** The name is the concept and the verb, as in `"credentials.page"`; add the job to `src/jobs.ts`. */
export const job = <Input, Output>(name: string, run: (room: JobRoom, input: Input) => Output): Job<Input, Output> => ({
  name,
  run
})
