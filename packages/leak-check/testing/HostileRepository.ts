/** Creates a repository in which every setting that can run a program names one that leaves a mark. */
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { cloneOf, testRepository } from "./TestRepository.ts"

/** Settings with a command line; each leaves a mark with its name. */
const commandLines = [
  "core.sshCommand",
  "core.pager",
  "core.editor",
  "core.gitProxy",
  "core.alternateRefsCommand",
  "pager.diff",
  "pager.log",
  "diff.external",
  "diff.evil.command",
  "diff.evil.textconv",
  "filter.evil.clean",
  "filter.evil.smudge",
  "filter.other.process",
  "merge.evil.driver",
  "remote.origin.uploadpack",
  "remote.origin.receivepack",
  "interactive.diffFilter",
  "sequence.editor",
  "uploadpack.packObjectsHook",
  "hook.evil.command"
]

const hooks = ["reference-transaction", "post-index-change", "pre-auto-gc", "post-checkout", "fsmonitor-watchman"]

/** Settings whose value is not itself a command line. */
const otherSettings = (program: (mark: string) => string): ReadonlyArray<readonly [key: string, value: string]> => [
  ["core.fsmonitor", program("core.fsmonitor")],
  ["core.askPass", program("core.askPass")],
  ["core.hooksPath", "hooks"],
  ["credential.helper", `!${program("credential.helper")} #`],
  ["credential.https://127.0.0.1.helper", `!${program("credential.url.helper")} #`],
  ["gpg.program", program("gpg.program")],
  ["log.showSignature", "true"],
  ["filter.other.required", "true"],
  ["hook.evil.event", "reference-transaction"],
  ["alias.log", `!${program("alias.log")}`],
  ["protocol.ext.allow", "always"],
  ["submodule.recurse", "true"],
  ["submodule.module.ignore", "none"],
  ["status.submoduleSummary", "true"],
  ["gc.auto", "1"]
]

/**
 * Has two commits and uncommitted changes in all of its files, a remote whose branch is ahead, a submodule with a
 * hostile configuration, and a committed folder `embedded` that looks like a bare repository.
 */
export const hostileRepository = Effect.gen(function* () {
  const origin = yield* testRepository
  origin.commit({ "a.env": "A=1\n" })
  const repository = yield* cloneOf(origin, "main")
  const { path } = repository
  const marks = join(path, ".git", "marks")
  const bin = join(path, ".git", "programs")
  mkdirSync(marks)
  mkdirSync(bin)
  const program = (mark: string) => {
    const file = join(bin, mark.replaceAll(/[^\w.-]/gu, "_"))
    writeFileSync(file, `#!/bin/sh\ntouch '${join(marks, mark)}'\n`)
    chmodSync(file, 0o755)
    return file
  }
  const module = join(path, "module")
  execFileSync("git", ["init", "--quiet", module])
  execFileSync("git", [
    "-C",
    module,
    "-c",
    "user.name=A",
    "-c",
    "user.email=a@example.com",
    "commit",
    "--quiet",
    "--allow-empty",
    "-m",
    "a"
  ])
  repository.git("-c", "advice.addEmbeddedRepo=false", "add", "module")
  const base = repository.commit({
    ".gitattributes": "*.env filter=evil diff=evil\n",
    "a.yml": "a: 1\n",
    "b.env": "B=1\n"
  })
  const embedded = join(path, "embedded")
  execFileSync("git", ["init", "--quiet", "--bare", embedded])
  execFileSync("git", ["-C", embedded, "config", "core.bare", "false"])
  execFileSync("git", ["-C", embedded, "config", "core.worktree", ".."])
  execFileSync("git", ["-C", embedded, "config", "core.fsmonitor", program("embedded.fsmonitor")])
  // git does not track empty folders, so each needs a file.
  writeFileSync(join(embedded, "refs", "kept"), "")
  writeFileSync(join(embedded, "objects", "kept"), "")
  const head = repository.commit({ "b.env": "B=2\n" })
  origin.commit({ "a.env": "A=2\n" })
  origin.git("tag", "v1")

  writeFileSync(join(path, ".git", "info", "attributes"), "*.env filter=evil diff=evil\n*.yml filter=other\n")
  execFileSync("git", ["-C", module, "config", "core.fsmonitor", program("module.fsmonitor")])
  writeFileSync(join(module, "new"), "")
  mkdirSync(join(path, "hooks"))
  for (const folder of [join(path, "hooks"), join(path, ".git", "hooks")]) {
    for (const name of hooks) {
      writeFileSync(join(folder, name), readFileSync(program(`hooks.${name}`)))
      chmodSync(join(folder, name), 0o755)
    }
  }
  for (const key of commandLines) repository.git("config", key, program(key))
  for (const [key, value] of otherSettings(program)) repository.git("config", "--add", key, value)
  writeFileSync(join(path, "a.yml"), "a: 2\n")
  writeFileSync(join(path, "b.env"), "B=3\n")
  writeFileSync(join(path, "c.env"), "C=1\n")
  const marksLeft = () => readdirSync(marks).toSorted()
  return {
    repository,
    base,
    head,
    marksLeft,
    embedded,
    program,
    forgetMarks: () => marksLeft().forEach((mark) => execFileSync("rm", [join(marks, mark)]))
  }
})

/** A clone without the content of old files, which would be fetched from a hostile remote. */
export const hostilePartialClone = Effect.gen(function* () {
  const repository = yield* testRepository
  const base = repository.commit({ "a.env": "A=1\n" })
  const missing = repository.git("rev-parse", "HEAD:a.env")
  const head = repository.commit({ "a.env": "A=2\n" })
  const mark = join(repository.path, ".git", "fetched")
  execFileSync("rm", ["-f", join(repository.path, ".git", "objects", missing.slice(0, 2), missing.slice(2))])
  for (const [key, value] of [
    ["extensions.partialClone", "evil"],
    ["remote.evil.url", `ext::sh -c touch% ${mark}`],
    ["remote.evil.promisor", "true"],
    ["protocol.ext.allow", "always"]
  ] as const) {
    repository.git("config", key, value)
  }
  return { repository, base, head, missing, wasFetched: () => existsSync(mark) }
})
