/** The rule files of other scanners, from the Go module proxy. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "smol-toml"

const gitleaks = "github.com/zricethezav/gitleaks/v8"
export const sources = [
  { program: "gitleaks", module: gitleaks, version: "v8.16.0" },
  { program: "gitleaks", module: gitleaks, version: "v8.18.4" },
  { program: "gitleaks", module: gitleaks, version: "v8.24.0" },
  { program: "gitleaks", module: gitleaks, version: "v8.30.1" },
  { program: "betterleaks", module: "github.com/betterleaks/betterleaks", version: "v1.7.0" }
]

export interface RuleEntry {
  readonly id: string
  readonly regex?: string
  readonly path?: string
  readonly skipReport?: boolean
}

/** Returns the output of a program; undefined if it is missing or fails. */
export const output = (program: string, args: ReadonlyArray<string>): string | undefined => {
  try {
    return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
  } catch {
    return undefined
  }
}

/** A rule file from the Go module proxy; undefined if it is not available. */
export const rulesOf = ({ module, program, version }: (typeof sources)[number]): string | undefined => {
  const folder = /"Dir": "(.+)"/.exec(output("go", ["mod", "download", "-json", `${module}@${version}`]) ?? "")?.[1]
  return folder === undefined ? undefined : readFileSync(join(folder, "config", `${program}.toml`), "utf8")
}

/** The rules of a rule file. */
export const entriesOf = (toml: string): ReadonlyArray<RuleEntry> => {
  const { rules } = parse(toml)
  return Array.isArray(rules) ? rules.map((rule) => rule as unknown as RuleEntry) : []
}
