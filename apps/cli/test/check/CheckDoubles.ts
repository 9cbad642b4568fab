/** A repository in memory, for tests of the selection of commits and files. */
import type { Candidate } from "@threat-exposure/detect/Candidate"
import { Git } from "@threat-exposure/detect/git/Git"
import { type Scan, Scanner } from "@threat-exposure/detect/Scanner"
import { GitFailed } from "@threat-exposure/detect/ScanError"
import { Clone } from "@threat-exposure/leak-check/range/Clone"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

export interface MemoryRepository {
  /** Commits with their parents, which come before their children. */
  readonly commits: Readonly<Record<string, ReadonlyArray<string>>>
  /** Commits by the full name of a ref, by `HEAD` or by a branch name. */
  readonly refs: Readonly<Record<string, string>>
  /** Output of `git diff --numstat` and `git log --numstat`. */
  readonly numstat?: string
  /** Number of files that a scan reads; default: one. */
  readonly files?: number
}

/** `scanned` records all scans in order, with their bounds. */
export const memoryRepository = ({ commits, files = 1, numstat = "", refs }: MemoryRepository) => {
  const scanned: Array<Readonly<Record<string, unknown>>> = []
  const order = Object.keys(commits)
  const idOf = (revision: string) => refs[revision] ?? (revision in commits ? revision : undefined)

  const ancestorsOf = (revision: string | undefined): ReadonlySet<string> => {
    const found = new Set<string>()
    const visit = (commit: string) => {
      found.add(commit)
      for (const parent of commits[commit] ?? []) visit(parent)
    }
    const id = revision === undefined ? undefined : idOf(revision)
    if (id !== undefined) visit(id)
    return found
  }

  /** The newest commit that can be reached from `one` and from any of the others. */
  const mergeBaseOf = (one: string, others: ReadonlyArray<string>) => {
    const reached = new Set(others.flatMap((other) => [...ancestorsOf(other)]))
    const ofOne = ancestorsOf(one)
    return order.findLast((commit) => ofOne.has(commit) && reached.has(commit))
  }

  const scan = (name: string, bounds: Readonly<Record<string, unknown>>) =>
    Effect.sync((): Scan => {
      scanned.push({ scan: name, ...bounds })
      return {
        candidates: Stream.make(candidateOf(`${name}-${scanned.length}`)),
        summary: Effect.succeed({
          files,
          filesTotal: undefined,
          bytes: 0,
          commits: 0,
          commitsTotal: undefined,
          skipped: []
        })
      }
    })

  const git = (args: ReadonlyArray<string>): string | undefined => {
    const [command, ...rest] = args
    switch (command) {
      case "rev-list": {
        const [head, base] = [rest[1], rest[3]]
        return String([...ancestorsOf(head)].filter((commit) => !ancestorsOf(base).has(commit)).length)
      }
      case "for-each-ref": {
        const pattern = rest.at(-1) ?? ""
        const matches = (name: string) => name === pattern || (pattern.endsWith("/") && name.startsWith(pattern))
        return Object.keys(refs)
          .filter(matches)
          .map((name) => refs[name])
          .join("\n")
      }
      case "merge-base":
        return mergeBaseOf(rest[0] ?? "", rest.slice(1))
      case "log":
      case "diff":
        return numstat
      default:
        return undefined
    }
  }

  const layer = Layer.mergeAll(
    Layer.mock(Git, {
      text: (_, args) => {
        const answer = git(args)
        return answer === undefined
          ? Effect.fail(new GitFailed({ command: args[0], exitCode: 1, reason: "none" }))
          : Effect.succeed(answer)
      }
    }),
    Layer.mock(Clone, {
      files: Effect.succeed(["a.env"]),
      isShallow: Effect.succeed(false),
      commitOf: (revision) => Effect.succeed(Option.fromUndefinedOr(idOf(revision))),
      mergeBaseOf: (one, other) => Effect.succeed(Option.fromUndefinedOr(mergeBaseOf(one, [other]))),
      changed: () => Effect.succeed([])
    }),
    Layer.mock(Scanner, {
      tree: () => scan("tree", {}),
      history: () => scan("history", {}),
      range: ({ base, head }) => scan("range", { base, head }),
      changes: ({ staged = false }) =>
        Effect.map(scan("changes", { staged }), (opened) => ({ ...opened, base: idOf("HEAD") }))
    })
  )
  return { layer, scanned }
}

const candidateOf = (value: string): Candidate => ({
  value: Redacted.make(value),
  kind: "password",
  rule: "assignment",
  confidence: 1,
  location: { path: "a.env", line: 1, column: 1, endLine: 1, endColumn: 2 }
})
