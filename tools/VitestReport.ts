/** The JSON report of vitest. */
import { existsSync, readFileSync } from "node:fs"

export interface Assertion {
  readonly status: string
  readonly title: string
  /** The titles of its groups, and its own. */
  readonly fullName: string
  readonly ancestorTitles: ReadonlyArray<string>
  readonly failureMessages: ReadonlyArray<string>
}

export interface TestFile {
  /** An absolute path. */
  readonly name: string
  readonly status: string
  readonly message: string
  readonly assertionResults: ReadonlyArray<Assertion>
}

/** The files of the report; undefined if vitest has not written one. */
export const readReport = (path: string): ReadonlyArray<TestFile> | undefined => {
  if (!existsSync(path)) return undefined
  const { testResults }: { readonly testResults: ReadonlyArray<TestFile> } = JSON.parse(readFileSync(path, "utf8"))
  return testResults
}
