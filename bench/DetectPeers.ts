/** The peers of detection that are installed, and how they are run. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A scanner of whole folders that is a program: from the variable of its name, as in `GITLEAKS`, or the PATH. */
const findProgram = (name: string, versionArgument: string): string | undefined =>
  [process.env[name.toUpperCase()], name].find(
    (program) => program !== undefined && spawnSync(program, [versionArgument]).status === 0
  )

export const gitleaks = findProgram("gitleaks", "version")

export interface PeerProgram {
  readonly name: string
  /** The factor by which we must be faster. */
  readonly least: number
  /** Undefined where it is not installed. Throws if the scan fails. */
  readonly scan: ((root: string) => void) | undefined
}

const peerProgram = (
  name: string,
  least: number,
  versionArgument: string,
  argumentsFor: (root: string) => ReadonlyArray<string>
): PeerProgram => {
  const program = findProgram(name, versionArgument)
  if (program === undefined) return { name, least, scan: undefined }
  return {
    name,
    least,
    scan: (root) => {
      const { status, stderr } = spawnSync(program, argumentsFor(root), {
        stdio: ["ignore", "ignore", "pipe"],
        encoding: "utf8",
        maxBuffer: 1 << 28
      })
      // 1, and 200 of kingfisher, mean that something was found.
      if (status !== 0 && status !== 1 && status !== 200) throw new Error(`${name} ended with ${status}: ${stderr}`)
    }
  }
}

/** The options make each program read every file and verify no secret over the network. */
export const peerPrograms: ReadonlyArray<PeerProgram> = [
  peerProgram("kingfisher", 1.3, "--version", (root) => [
    "scan",
    root,
    "--no-validate",
    "--no-update-check",
    "--git-history",
    "none",
    "--format",
    "json"
  ]),
  peerProgram("ripsecrets", 5, "--version", (root) => [root]),
  peerProgram("gitleaks", 10, "version", (root) => ["dir", root, "--no-banner", "--exit-code", "0"]),
  peerProgram("betterleaks", 5, "version", (root) => ["dir", root, "--no-banner", "--exit-code", "0"])
]

export interface PeerFinding {
  /** Relative to the scanned folder. */
  readonly path: string
  readonly line: number
  readonly value: string
}

export const gitleaksFindings = (root: string): ReadonlyArray<PeerFinding> | undefined => {
  if (gitleaks === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), "bench-"))
  const report = join(folder, "report.json")
  spawnSync(gitleaks, ["dir", root, "--no-banner", "--exit-code", "0", "-f", "json", "-r", report])
  const found: ReadonlyArray<{ readonly File: string; readonly StartLine: number; readonly Secret: string }> =
    JSON.parse(readFileSync(report, "utf8"))
  rmSync(folder, { recursive: true })
  return found.map(({ File, Secret, StartLine }) => ({
    path: File.slice(root.length + 1),
    line: StartLine,
    value: Secret
  }))
}

export const secretlint = new URL("node_modules/secretlint/bin/secretlint.js", import.meta.url).pathname

export const secretlintRun = (root: string, format: string) => {
  if (!existsSync(secretlint)) return undefined
  const folder = mkdtempSync(join(import.meta.dirname, "node_modules/.detect-"))
  const config = join(folder, ".secretlintrc.json")
  writeFileSync(config, JSON.stringify({ rules: [{ id: "@secretlint/secretlint-rule-preset-recommend" }] }))
  const ignore = join(folder, ".secretlintignore")
  writeFileSync(ignore, "**/.git/**\n")
  const { stdout } = spawnSync(
    process.execPath,
    [secretlint, "--secretlintrc", config, "--secretlintignore", ignore, "--format", format, "**/*"],
    { cwd: root, encoding: "utf8", maxBuffer: 1 << 30 }
  )
  rmSync(folder, { recursive: true })
  return stdout
}

export const secretlintFindings = (root: string): ReadonlyArray<PeerFinding> | undefined => {
  const stdout = secretlintRun(root, "json")
  if (stdout === undefined) return undefined
  const files: ReadonlyArray<{
    readonly filePath: string
    readonly messages: ReadonlyArray<{
      readonly range: readonly [number, number]
      readonly loc: { readonly start: { readonly line: number } }
    }>
  }> = JSON.parse(stdout)
  return files.flatMap(({ filePath, messages }) => {
    const text = messages.length === 0 ? "" : readFileSync(filePath, "utf8")
    return messages.map(({ loc, range }) => ({
      path: filePath.slice(root.length + 1),
      line: loc.start.line,
      value: text.slice(...range)
    }))
  })
}
