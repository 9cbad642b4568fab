/** Every job that a database thread knows by name. */
import type { Job } from "./sql/Job.ts"

export const jobs: ReadonlyArray<Job<unknown, unknown>> = []
