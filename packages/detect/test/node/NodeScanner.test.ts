import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Stream } from "effect"
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import type { ScanSummary, SkipReason } from "../../src/skip/Skipped.ts"
import { Files } from "../../src/files/Files.ts"
import * as NodeFiles from "../../src/node/NodeFiles.ts"
import * as NodeScanner from "../../src/node/NodeScanner.ts"
import { type ChangesOptions, type Scan, Scanner } from "../../src/Scanner.ts"
import type { ScanError } from "../../src/ScanError.ts"

/** A repository in a temporary folder, with shorthands for tests. */
const repository = () => {
  const root = mkdtempSync(join(tmpdir(), "detect-"))
  const git = (...args: ReadonlyArray<string>) =>
    // Without this setting, each commit starts another git process.
    execFileSync("git", ["-c", "maintenance.auto=false", ...args], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_AUTHOR_NAME: "A",
        GIT_AUTHOR_EMAIL: "a@example.com",
        GIT_COMMITTER_NAME: "A",
        GIT_COMMITTER_EMAIL: "a@example.com"
      }
    }).trim()
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  const inGit = (name: string) => readFileSync(join(root, ".git", name), "utf8").trim()
  const commit = (message = "change") => {
    git("add", "-A")
    git("commit", "-q", "--allow-empty", "-m", message)
    const [, branch] = /^ref: (.+)$/u.exec(inGit("HEAD")) ?? []
    return inGit(branch ?? "HEAD")
  }
  // git needs no more than this, and running `git init` would take a process.
  for (const folder of ["objects", "refs/heads", "refs/tags", "info"]) {
    mkdirSync(join(root, ".git", folder), { recursive: true })
  }
  writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/main\n")
  writeFileSync(join(root, ".git/config"), "[core]\n\trepositoryformatversion = 0\n\tlogallrefupdates = true\n")
  return { root, git, write, commit, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) }
}

/** A synthetic value, unique per seed. */
const password = (seed: string) => `k7Vq${seed}Zr9tXw2Lp`
const line = (seed: string) => `DB_PASSWORD=${password(seed)}\n`

/** git reads the attributes of a commit since 2.40; older versions use those of the work tree. */
const gitReadsAttributesOfCommits = (() => {
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(execFileSync("git", ["version"], { encoding: "utf8" })) ?? []
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 40)
})()

interface Seen {
  readonly found: ReadonlyArray<string>
  readonly summary: ScanSummary
}

const seen = (scan: Effect.Effect<Scan, ScanError, Scanner>): Effect.Effect<Seen, ScanError> =>
  Effect.gen(function* () {
    const { summary, candidates } = yield* scan
    const all = yield* Stream.runCollect(candidates)
    return {
      found: all.map(({ location, value }) => {
        const where = `${location.path}:${location.line}`
        return `${where} ${Redacted.value(value)}${location.removed === true ? " removed" : ""}`
      }),
      summary: yield* summary
    }
  }).pipe(Effect.provide(NodeScanner.layer))

/** Names of skipped items by reason. */
const skipped = (summary: ScanSummary) =>
  Object.fromEntries(summary.skipped.map(({ names, reason }) => [reason, names.toSorted()])) as Partial<
    Record<SkipReason, ReadonlyArray<string>>
  >

const tree = (root: string, more = {}) => seen(Effect.flatMap(Scanner, (scanner) => scanner.tree({ root, ...more })))
const range = (root: string, base: string | undefined, head = "HEAD", more = {}) =>
  seen(Effect.flatMap(Scanner, (scanner) => scanner.range({ root, base, head, ...more })))
const history = (root: string) => seen(Effect.flatMap(Scanner, (scanner) => scanner.history({ root })))
const staged = (root: string) => seen(Effect.flatMap(Scanner, (scanner) => scanner.changes({ root, staged: true })))
const changes = (root: string, base?: string) =>
  seen(Effect.flatMap(Scanner, (scanner) => scanner.changes({ root, base })))

describe("tree", () => {
  it.effect("reads tracked and untracked files, and none that git ignores", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write("a.env", line("A"))
      repo.write(".gitignore", "ignored.env\n")
      repo.commit()
      repo.write("new.env", line("B"))
      repo.write("ignored.env", line("C"))
      const { summary, found } = yield* tree(repo.root)
      assert.deepStrictEqual(found, [`a.env:1 ${password("A")}`, `new.env:1 ${password("B")}`])
      assert.strictEqual(summary.files, 3)
      assert.strictEqual(summary.filesTotal, 3)
    })
  )

  it.effect("reads files of any name", () =>
    Effect.gen(function* () {
      using repo = repository()
      const names = [
        "two words.env",
        "new\nline.env",
        'quo"te.env',
        "back\\slash.env",
        "tab\t.env",
        "ünï.env",
        "-flag.env",
        "b/:(glob).env"
      ]
      names.forEach((name, index) => repo.write(name, line(String(index))))
      writeFileSync(
        Buffer.concat([Buffer.from(`${repo.root}/`), Buffer.from([0x66, 0xff, 0xfe]), Buffer.from(".env")]),
        line("L")
      )
      const untracked = yield* tree(repo.root)
      repo.commit()
      const tracked = yield* tree(repo.root)
      const expected = [
        ...names.map((name, index) => `${name}:1 ${password(String(index))}`),
        `f\u00ff\u00fe.env:1 ${password("L")}`
      ]
      assert.sameMembers([...untracked.found], expected)
      assert.sameMembers([...tracked.found], expected)
    })
  )

  it.effect("accepts globs to include and exclude, and a folder for all of its files", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write("a/one.env", line("A"))
      repo.write("a/deep/two.env", line("B"))
      repo.write("b/three.env", line("C"))
      repo.write("b/.hidden/four.env", line("D"))
      repo.commit()
      const names = (seen: Seen) => seen.found.map((found) => found.split(":")[0])
      assert.sameMembers(names(yield* tree(repo.root, { paths: ["a"] })), ["a/one.env", "a/deep/two.env"])
      assert.sameMembers(names(yield* tree(repo.root, { paths: ["**/*.env"], exclude: ["a/**"] })), [
        "b/three.env",
        "b/.hidden/four.env"
      ])
      assert.sameMembers(names(yield* tree(repo.root, { exclude: ["**/deep/**", "b/"] })), ["a/one.env"])
    })
  )

  it.effect.skipIf(process.platform !== "linux")("reads a file of unknown size up to the limit", () =>
    Effect.gen(function* () {
      const files = yield* Files
      // The table has eight bytes for each page that a process could have.
      const [scan] = yield* files.scan("/proc/self", [{ path: "pagemap" }], {})
      assert.strictEqual(scan?.skipped, "too-large")
      const [short] = yield* files.scan("/proc/self", [{ path: "limits" }], {})
      assert.strictEqual(short?.skipped, undefined)
      assert.isAbove(short?.bytes ?? 0, 100)
    }).pipe(Effect.provide(NodeFiles.layer))
  )

  it.effect("reports what it did not read, and why", () =>
    Effect.gen(function* () {
      using other = repository()
      other.write("inner.env", line("X"))
      other.commit()
      using repo = repository()
      repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", other.root, "module")
      repo.write("big.env", Buffer.alloc(51 * 1024 * 1024, "x"))
      repo.write("link-target.env", line("A"))
      symlinkSync("link-target.env", join(repo.root, "link.env"))
      repo.write("logo.png", "x")
      repo.write("data", Uint8Array.of(1, 0, 2))
      repo.commit()
      const { summary, found } = yield* tree(repo.root)
      assert.deepStrictEqual(found, [`link-target.env:1 ${password("A")}`])
      assert.deepStrictEqual(skipped(summary), {
        submodule: ["module"],
        "too-large": ["big.env"],
        binary: ["data", "logo.png"],
        "symbolic-link": ["link.env"]
      })
    })
  )

  it.effect("reads nothing outside the root, whatever a link points to", () =>
    Effect.gen(function* () {
      using outside = repository()
      outside.write("credentials", line("X"))
      outside.write("folder/inner.env", line("Y"))
      using repo = repository()
      repo.write("a.env", line("A"))
      repo.write("folder/inner.env", line("B"))
      repo.write("own/inner.env", line("C"))
      repo.commit()
      // Untracked links, and a tracked folder that was replaced by a link.
      symlinkSync(join(outside.root, "credentials"), join(repo.root, "x.env"))
      symlinkSync(join(outside.root, "folder"), join(repo.root, "linked"))
      symlinkSync("a.env", join(repo.root, "inside.env"))
      rmSync(join(repo.root, "folder"), { recursive: true })
      symlinkSync(join(outside.root, "folder"), join(repo.root, "folder"))
      const inGit = yield* tree(repo.root)
      assert.sameMembers([...inGit.found], [`a.env:1 ${password("A")}`, `own/inner.env:1 ${password("C")}`])
      assert.includeMembers([...(skipped(inGit.summary)["symbolic-link"] ?? [])], ["x.env", "linked", "inside.env"])
      assert.notInclude((yield* changes(repo.root)).found.join(), password("X"))
      rmSync(join(repo.root, ".git"), { recursive: true })
      const walked = yield* tree(repo.root)
      assert.sameMembers([...walked.found], [...inGit.found])
      assert.includeMembers([...(skipped(walked.summary)["symbolic-link"] ?? [])], ["x.env", "linked", "inside.env"])
    })
  )

  it.effect("reads nothing outside the root where two folders have the same name once decoded", () =>
    Effect.gen(function* () {
      using outside = repository()
      outside.write("inner.env", line("Y"))
      using repo = repository()
      const latin1Folder = Buffer.concat([Buffer.from(`${repo.root}/d`), Buffer.from([0xff])])
      repo.write("d\u00ff/inner.env", line("A"))
      mkdirSync(latin1Folder)
      writeFileSync(Buffer.concat([latin1Folder, Buffer.from("/inner.env")]), line("B"))
      repo.commit()
      rmSync(latin1Folder, { recursive: true })
      symlinkSync(outside.root, latin1Folder)
      assert.deepStrictEqual((yield* tree(repo.root)).found, [`d\u00ff/inner.env:1 ${password("A")}`])
    })
  )

  it.effect("uses no rules from outside the root, and reports what it does not follow", () =>
    Effect.gen(function* () {
      using outside = repository()
      outside.write("rules.toml", "[allowlist]\npaths = ['''.*''']\n")
      using repo = repository()
      repo.write("a.env", line("A"))
      symlinkSync(join(outside.root, "rules.toml"), join(repo.root, ".gitleaks.toml"))
      assert.deepStrictEqual((yield* tree(repo.root)).found, [`a.env:1 ${password("A")}`])
      rmSync(join(repo.root, ".gitleaks.toml"))
      for (const path of [join(outside.root, "rules.toml"), `../${basename(outside.root)}/rules.toml`]) {
        repo.write(".gitleaks.toml", `[extend]\npath = "${path}"\n`)
        const { found, summary } = yield* tree(repo.root)
        assert.deepStrictEqual(found, [`a.env:1 ${password("A")}`])
        assert.match(skipped(summary)["config-unusable"]?.join() ?? "", /leads out of the repository/u)
      }
    })
  )

  it.effect("follows `extend` in .gitleaks.toml, and reports what it does not support", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write(
        "security/base.toml",
        `[[rules]]\nid = "ticket"\nregex = '''tick-([a-z0-9]{8})'''\n[[rules]]\nid = "other"\nregex = '''other-([a-z0-9]{8})'''\n`
      )
      repo.write(
        ".gitleaks.toml",
        `[extend]\nuseDefault = true\npath = "./security/../security/base.toml"\ndisabledRules = ["other"]\n[[rules]]\nid = "ticket"\n[[rules.allowlists]]\nregexes = ['''^d4''']\n`
      )
      repo.write("a.txt", "tick-a1b2c3d4\ntick-d4c3b2a1\nother-a1b2c3d4\n")
      repo.commit()
      for (const { found, summary } of [yield* tree(repo.root), yield* range(repo.root, undefined)]) {
        assert.deepStrictEqual(found, ["a.txt:1 a1b2c3d4"])
        assert.sameMembers(Object.keys(skipped(summary)), ["config-unsupported", "allowlisted"])
        assert.match(skipped(summary)["config-unsupported"]?.join() ?? "", /useDefault/u)
      }
      repo.write(".gitleaks.toml", `[extend]\npath = "gone.toml"\n`)
      assert.match(
        skipped((yield* tree(repo.root)).summary)["config-unusable"]?.join() ?? "",
        /"gone\.toml", which cannot/u
      )
    })
  )

  it.effect("reads a file over 10 MB in pieces, with its own line numbers", () =>
    Effect.gen(function* () {
      using repo = repository()
      const filler = `${"plain words on a line\n".repeat(600_000)}`
      repo.write("dump.log", `${filler}${line("A")}${filler}${line("B")}`)
      const { found } = yield* tree(repo.root)
      assert.deepStrictEqual(found, [`dump.log:600001 ${password("A")}`, `dump.log:1200002 ${password("B")}`])
    })
  )

  it.effect("reads a line of over 10 MB in pieces, without splitting a value", () =>
    Effect.gen(function* () {
      using repo = repository()
      const edge = 8 * 1024 * 1024
      const before = Buffer.alloc(edge - 20, "word ")
      repo.write("one.log", Buffer.concat([before, Buffer.from(` ${line("A").trim()} `), before]))
      const places = yield* Effect.gen(function* () {
        const scan = yield* (yield* Scanner).tree({ root: repo.root })
        return (yield* Stream.runCollect(scan.candidates)).map(({ location, value }) => [
          location.line,
          location.column,
          Redacted.value(value)
        ])
      }).pipe(Effect.provide(NodeScanner.layer))
      assert.deepStrictEqual(places, [[1, edge - 20 + " DB_PASSWORD=".length + 1, password("A")]])
    })
  )

  it.effect("reads UTF-16 and UTF-32, with and without a byte order mark, and Latin-1", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write("utf16.env", Buffer.from(`\ufeff# ü\n${line("A")}`, "utf16le"))
      repo.write("utf16be.env", Buffer.from(`\ufeff# ü\n${line("D")}`, "utf16le").swap16())
      repo.write("unmarked.env", Buffer.from(`# u\n${line("E")}`, "utf16le"))
      repo.write("unmarkedbe.env", Buffer.from(`# u\n${line("F")}`, "utf16le").swap16())
      const utf32 = Buffer.concat(
        Array.from(`\ufeff# ü\u{1f511}\n${line("G")}`, (character) => {
          const bytes = Buffer.alloc(4)
          bytes.writeUInt32LE(character.codePointAt(0) ?? 0)
          return bytes
        })
      )
      repo.write("utf32.env", utf32)
      repo.write("utf32be.env", Buffer.from(utf32).swap32())
      repo.write("latin1.env", Buffer.from(`# ü\n${line("B")}`, "latin1"))
      repo.write("mark.env", `\ufeff${line("C")}`)
      const { found } = yield* tree(repo.root)
      assert.sameMembers(
        [...found],
        [
          `utf16.env:2 ${password("A")}`,
          `latin1.env:2 ${password("B")}`,
          `mark.env:1 ${password("C")}`,
          `utf16be.env:2 ${password("D")}`,
          `unmarked.env:2 ${password("E")}`,
          `unmarkedbe.env:2 ${password("F")}`,
          `utf32.env:2 ${password("G")}`,
          `utf32be.env:2 ${password("G")}`
        ]
      )
    })
  )

  it.effect("leaves out files that the attributes mark as generated or vendored", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write(
        ".gitattributes",
        "gen/** linguist-generated\nvendor/** linguist-vendored=true\nvendor/own/** -linguist-vendored\n"
      )
      repo.write("gen/a.env", line("A"))
      repo.write("vendor/b.env", line("B"))
      repo.write("vendor/own/c.env", line("C"))
      repo.commit()
      const { summary, found } = yield* tree(repo.root)
      assert.deepStrictEqual(found, [`vendor/own/c.env:1 ${password("C")}`])
      assert.sameMembers(Object.keys(skipped(summary)), ["generated", "vendored"])
      assert.deepStrictEqual((yield* range(repo.root, undefined)).found, found)
    })
  )

  it.effect("uses the rules and the allowlists of the repository's .gitleaks.toml", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write(
        ".gitleaks.toml",
        `[[rules]]\nid = "ticket"\nregex = '''(?i)tick-([a-z0-9]{8})\\b'''\nkeywords = ["tick-"]\n[[rules]]\nid = "slow"\nregex = '''(a+'''\n[allowlist]\npaths = ['''^old/''']\nregexes = ['''Zr9tXw2Lp$''']\n`
      )
      repo.write("a.txt", "TICK-a1b2c3d4")
      repo.write("b.env", line("B"))
      repo.write("old/c.env", "DB_PASSWORD=w8NqT5yUc3Zk\n")
      repo.commit()
      const { summary, found } = yield* tree(repo.root)
      assert.deepStrictEqual(found, ["a.txt:1 a1b2c3d4"])
      const { allowlisted, "config-unusable": unusable } = skipped(summary)
      assert.deepStrictEqual(allowlisted, [".gitleaks.toml", "b.env:1", "old/c.env"])
      assert.match(unusable?.join() ?? "", /^an expression of the rule "slow": /u)
      assert.deepStrictEqual((yield* range(repo.root, undefined)).found, found)
    })
  )

  it.effect("runs a rule of .gitleaks.toml that would backtrack without end", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write(
        ".gitleaks.toml",
        `[[rules]]\nid = "slow"\nregex = '''a*a*a*a*!'''\n[[rules]]\nid = "ticket"\nregex = '''tick-([a-z0-9]{8})'''\n`
      )
      repo.write("a.txt", `${"a".repeat(100_000)}\ntick-a1b2c3d4`)
      repo.write("b.txt", `${"a".repeat(100_000)}\ntick-d4c3b2a1`)
      repo.commit()
      const { summary, found } = yield* tree(repo.root)
      assert.deepStrictEqual(
        found.filter((place) => !place.startsWith(".gitleaks.toml")),
        ["a.txt:2 a1b2c3d4", "b.txt:2 d4c3b2a1"]
      )
      assert.deepStrictEqual(skipped(summary), { allowlisted: [".gitleaks.toml"] })
    })
  )

  it.effect("reads a folder outside a repository", () =>
    Effect.gen(function* () {
      using repo = repository()
      rmSync(join(repo.root, ".git"), { recursive: true })
      repo.write("deep/a.env", line("A"))
      assert.deepStrictEqual((yield* tree(repo.root)).found, [`deep/a.env:1 ${password("A")}`])
    })
  )

  it.effect("reads nothing that .gitignore excludes in a folder outside a repository", () =>
    Effect.gen(function* () {
      using repo = repository()
      rmSync(join(repo.root, ".git"), { recursive: true })
      repo.write(".gitignore", "/build/\n*.log\n")
      repo.write("deep/.gitignore", "!kept.log\n/local.env\n")
      for (const path of ["a.log", "build/b.env", "deep/local.env", "deep/build/A.env", "deep/kept.log"]) {
        repo.write(path, line("A"))
      }
      const { found, summary } = yield* tree(repo.root)
      assert.sameMembers([...found], [`deep/build/A.env:1 ${password("A")}`, `deep/kept.log:1 ${password("A")}`])
      assert.deepStrictEqual(skipped(summary), { ignored: ["a.log", "build/", "deep/local.env"] })
    })
  )

  it.effect.each(["build", "build/deep"])(
    "reads a root that git ignores, %s, as a folder that is no repository",
    (folder) =>
      Effect.gen(function* () {
        using repo = repository()
        repo.write(".gitignore", "/build/\n*.log\n")
        repo.write("app.env", line("A"))
        repo.commit()
        repo.write("build/deep/b.env", line("B"))
        const root = join(repo.root, folder)
        const found = yield* tree(root)
        assert.deepStrictEqual(found.found, [`${folder === "build" ? "deep/" : ""}b.env:1 ${password("B")}`])
        // Nothing in this folder would be committed.
        const uncommitted = yield* changes(root)
        assert.deepStrictEqual([uncommitted.found, skipped(uncommitted.summary)], [[], { ignored: ["./"] }])
      })
  )

  it.effect("reports a missing root", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(tree("/nowhere/at/all"))
      assert.strictEqual(failure._tag, "RootUnreadable")
      assert.include(failure.message, "folder")
    })
  )
})

describe("range", () => {
  it.effect("uses the attributes in the head of a range, whatever is checked out", () =>
    Effect.gen(function* () {
      using repo = repository()
      const base = repo.commit()
      repo.write("sub/gen/a.env", line("A"))
      repo.write("sub/own/b.env", line("B"))
      repo.write(".gitattributes", "sub/gen/** linguist-generated\n")
      const head = repo.commit()
      repo.git("checkout", "-q", base)
      repo.write(".gitattributes", "sub/own/** linguist-generated\n")
      const ofHead = [`sub/own/b.env:1 ${password("B")}`]
      const ofWorkTree = [`sub/gen/a.env:1 ${password("A")}`]
      const found = (yield* range(repo.root, base, head)).found
      assert.deepStrictEqual(found, gitReadsAttributesOfCommits ? ofHead : ofWorkTree)
      repo.git("checkout", "-q", "-f", head)
      assert.deepStrictEqual((yield* range(join(repo.root, "sub"), base, head)).found, [`own/b.env:1 ${password("B")}`])
    })
  )

  it.effect("returns only added lines, with their numbers in the head", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write("a.env", line("OLD"))
      const base = repo.commit()
      repo.write("a.env", `${line("OLD")}PORT=1\n${line("NEW")}`)
      repo.commit()
      repo.write("a.env", `# first\n# second\n${line("OLD")}PORT=1\n${line("NEW")}`)
      repo.commit()
      const { summary, found } = yield* range(repo.root, base)
      assert.deepStrictEqual(found, [`a.env:5 ${password("NEW")}`])
      assert.strictEqual(summary.commits, 2)
      assert.strictEqual(summary.commitsTotal, 2)
    })
  )

  it.effect("includes lines that were deleted again, with the commit that contains them", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write("a.txt", "one\n")
      const base = repo.commit()
      repo.write("a.env", `# x\n${line("GONE")}`)
      const added = repo.commit()
      rmSync(join(repo.root, "a.env"))
      repo.commit()
      assert.deepStrictEqual((yield* range(repo.root, base)).found, [`a.env:2 ${password("GONE")} removed`])
      const commits = yield* Effect.gen(function* () {
        const scan = yield* (yield* Scanner).range({ root: repo.root, base, head: "HEAD" })
        return (yield* Stream.runCollect(scan.candidates)).map(({ location }) => location.commit)
      }).pipe(Effect.provide(NodeScanner.layer))
      assert.deepStrictEqual(commits, [added])
    })
  )

  it.effect("returns nothing for a rename, and uses the last name", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write("a.env", `${"# words\n".repeat(30)}${line("OLD")}`)
      const base = repo.commit()
      renameSync(join(repo.root, "a.env"), join(repo.root, 'b "q".env'))
      repo.commit()
      assert.deepStrictEqual((yield* range(repo.root, base)).found, [])
      repo.write('b "q".env', `${"# words\n".repeat(30)}${line("OLD")}${line("NEW")}`)
      repo.commit()
      renameSync(join(repo.root, 'b "q".env'), join(repo.root, "c.env"))
      repo.commit()
      assert.deepStrictEqual((yield* range(repo.root, base)).found, [`c.env:32 ${password("NEW")}`])
    })
  )

  it.effect.each(["node_modules/tool/app.env", "tests/fixtures/app.env", "docs/app.md"])(
    "reads all of a file that was left out where it was moved from: %s",
    (from) =>
      Effect.gen(function* () {
        using repo = repository()
        repo.write(from, `${"# words\n".repeat(30)}${line("OLD")}`)
        const base = repo.commit()
        repo.git("mv", from, "b.env")
        const found = [`b.env:31 ${password("OLD")}`]
        assert.deepStrictEqual((yield* changes(repo.root)).found, found)
        assert.deepStrictEqual((yield* staged(repo.root)).found, found)
        repo.commit()
        assert.deepStrictEqual((yield* range(repo.root, base)).found, found)
        assert.deepStrictEqual((yield* history(repo.root)).found, found)
      })
  )

  it.effect(
    "reads a file that was changed while it was moved once, in a folder too, and not where it is left out",
    () =>
      Effect.gen(function* () {
        using repo = repository()
        repo.write("node_modules/f.env", `${"# words\n".repeat(30)}${line("OLD")}`)
        repo.write("a.env", line("KEPT"))
        repo.write("c/words.txt", "words\n")
        const base = repo.commit()
        repo.git("mv", "node_modules/f.env", "c/h i.env")
        repo.write("c/h i.env", `${"# words\n".repeat(30)}${line("OLD")}${line("NEW")}`)
        const found = (path: string) => [`${path}:31 ${password("OLD")}`, `${path}:32 ${password("NEW")}`]
        repo.git("add", "-A")
        assert.deepStrictEqual((yield* staged(join(repo.root, "c"))).found, found("h i.env"))
        assert.deepStrictEqual((yield* staged(repo.root)).found, found("c/h i.env"))
        repo.commit()
        repo.write("node_modules/words.txt", "words\n")
        repo.git("mv", "a.env", "node_modules/g.env")
        repo.commit()
        assert.deepStrictEqual((yield* range(repo.root, base)).found, found("c/h i.env"))
      })
  )

  it.effect("returns for a merge what the merge itself adds", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write("a.env", "PORT=1\n")
      const base = repo.commit()
      repo.git("checkout", "-q", "-b", "topic")
      repo.write("a.env", "PORT=2\n")
      repo.commit()
      repo.git("checkout", "-q", "main")
      repo.write("a.env", "PORT=3\n")
      repo.write("main.env", line("MAIN"))
      const main = repo.commit()
      repo.git("checkout", "-q", "topic")
      try {
        repo.git("merge", "-q", "main")
      } catch {
        repo.write("a.env", `PORT=4\n${line("MERGED")}`)
        repo.commit()
      }
      assert.deepStrictEqual((yield* range(repo.root, main)).found, [`a.env:2 ${password("MERGED")}`])
      assert.sameMembers(
        [...(yield* range(repo.root, base)).found],
        [`a.env:2 ${password("MERGED")}`, `main.env:1 ${password("MAIN")}`]
      )
    })
  )

  it.effect("returns nothing for a merge of a renamed file that the other side edited", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write("a.env", "# words\n".repeat(30))
      repo.commit()
      repo.git("checkout", "-q", "-b", "topic")
      repo.git("mv", "a.env", "b.env")
      repo.commit()
      repo.git("checkout", "-q", "main")
      repo.write("a.env", `${"# words\n".repeat(30)}${line("MAIN")}`)
      const main = repo.commit()
      repo.git("checkout", "-q", "topic")
      repo.git("merge", "-q", "-m", "merge", "main")
      const merge = repo.git("rev-parse", "HEAD")
      assert.deepStrictEqual((yield* range(repo.root, main, merge)).found, [])
    })
  )

  it.effect("does not depend on the user's git configuration", () =>
    Effect.gen(function* () {
      using repo = repository()
      const settings = {
        "color.ui": "always",
        "color.diff": "always",
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "diff.external": "echo",
        "diff.renames": "false",
        "diff.context": "0",
        "diff.interHunkContext": "9",
        "diff.orderFile": "order",
        "diff.colorMoved": "zebra",
        "diff.wsErrorHighlight": "all",
        "diff.suppressBlankEmpty": "true",
        "diff.submodule": "log",
        "core.quotePath": "true",
        "core.pager": "false",
        "log.showSignature": "true",
        "log.decorate": "full",
        "log.showRoot": "false",
        "log.diffMerges": "off",
        "diff.upper.textconv": "tr a-z A-Z <",
        "format.pretty": "oneline"
      }
      for (const [key, value] of Object.entries(settings)) repo.git("config", key, value)
      repo.write(".gitattributes", "*.env diff=upper\n")
      repo.write("order", "z*\n")
      const base = repo.commit()
      repo.write("ü b.env", line("A"))
      repo.commit()
      assert.deepStrictEqual((yield* range(repo.root, base)).found, [`ü b.env:1 ${password("A")}`])
      assert.deepStrictEqual((yield* range(repo.root, undefined)).found, [`ü b.env:1 ${password("A")}`])
      repo.write("ü b.env", line("B"))
      assert.deepStrictEqual((yield* changes(repo.root)).found, [`ü b.env:1 ${password("B")}`])
    })
  )

  it.effect("reads text that git considers binary", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write(".gitattributes", "hidden.env binary\n")
      const base = repo.commit()
      repo.write("hidden.env", line("A"))
      repo.write("wide.env", Buffer.from(`\ufeff${line("B")}`, "utf16le"))
      repo.write("picture.bin2", Uint8Array.of(1, 0, 2))
      repo.commit()
      const { summary, found } = yield* range(repo.root, base)
      assert.sameMembers([...found], [`hidden.env:1 ${password("A")}`, `wide.env:1 ${password("B")}`])
      assert.deepStrictEqual(skipped(summary), { binary: ["picture.bin2"] })
    })
  )

  it.effect("uses the rules of another revision, so that a change cannot hide its own lines", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write("kept.env", `OLD=1\n# threat-exposure: allow-next-line\n`)
      repo.write(".gitattributes", "old/** linguist-generated\n")
      const base = repo.commit()
      repo.write(".gitleaks.toml", "[allowlist]\npaths = ['''.*''']\n")
      repo.write(".gitattributes", "*.env linguist-generated\n")
      repo.write("a.env", line("A"))
      repo.write("b.env", `DB_PASSWORD=${password("B")} # threat-exposure: allow\n`)
      repo.write("kept.env", `OLD=1\n# threat-exposure: allow-next-line\n${line("C")}`)
      repo.write("old/d.env", line("D"))
      repo.commit()
      const own = yield* range(repo.root, base)
      assert.deepStrictEqual(own.found, [])
      const { found, summary } = yield* range(repo.root, base, "HEAD", { rulesFrom: base })
      assert.includeMembers([...found], [`a.env:1 ${password("A")}`, `b.env:1 ${password("B")}`])
      const reasons = skipped(summary)
      assert.deepStrictEqual(reasons["added-allow-comment"], ["b.env:1"])
      assert.deepStrictEqual(reasons["allow-comment"], ["kept.env:3"])
      assert.strictEqual(found.length, gitReadsAttributesOfCommits ? 2 : 3)
      const whole = yield* tree(repo.root, { rulesFrom: base })
      assert.includeMembers([...whole.found], [`a.env:1 ${password("A")}`])
    })
  )

  it.effect("is not misled by lines that look like a patch", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write("a.diff", "-- a/x\n++ b/x\n@@ -1 +1 @@\ndiff --git a/x b/x\n")
      const base = repo.commit()
      repo.write("a.diff", `-- a/y\n++ b/y\n@@ -1,9 +1,9 @@\ndiff --git a/y b/y\n\\ No newline\n${line("A")}`)
      repo.write("b.env", line("B"))
      repo.commit()
      assert.deepStrictEqual((yield* range(repo.root, base)).found, [
        `a.diff:6 ${password("A")}`,
        `b.env:1 ${password("B")}`
      ])
    })
  )

  it.effect("names a submodule that was added, and files over 50 MB", () =>
    Effect.gen(function* () {
      using other = repository()
      other.commit()
      using repo = repository()
      const base = repo.commit()
      repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", other.root, "module")
      repo.write("big.env", Buffer.alloc(51 * 1024 * 1024, "x"))
      repo.commit()
      assert.deepStrictEqual(skipped((yield* range(repo.root, base)).summary), {
        submodule: ["module"],
        "too-large": ["big.env"]
      })
    })
  )

  it.effect("scans a folder of a repository by paths relative to it", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write("readme.txt", "x")
      const base = repo.commit()
      repo.write("sub/a.env", line("A"))
      repo.write("b.env", line("B"))
      repo.commit()
      const root = join(repo.root, "sub")
      assert.deepStrictEqual((yield* range(root, base)).found, [`a.env:1 ${password("A")}`])
      assert.deepStrictEqual((yield* tree(root)).found, [`a.env:1 ${password("A")}`])
      assert.deepStrictEqual((yield* history(root)).found, [`a.env:1 ${password("A")}`])
    })
  )

  it.effect("uses the rules at the repository's root for a folder of it, with paths relative to the root", () =>
    Effect.gen(function* () {
      using repo = repository()
      const base = repo.commit()
      repo.write(".gitleaks.toml", "[extend]\npath = 'rules/base.toml'\n[allowlist]\npaths = ['''^sub/old/''']\n")
      repo.write("rules/base.toml", "[allowlist]\nregexes = ['''B''']\n")
      repo.write("sub/.gitleaks.toml", "[allowlist]\npaths = ['''.*''']\n")
      for (const [path, seed] of [
        ["a.env", "A"],
        ["b.env", "B"],
        ["old/c.env", "C"],
        ["node_modules/d.env", "D"]
      ]) {
        repo.write(`sub/${path}`, line(seed ?? ""))
      }
      const root = join(repo.root, "sub")
      const expected = {
        found: [`a.env:1 ${password("A")}`],
        skipped: { allowlisted: ["b.env:1", "old/c.env"], vendored: ["node_modules/d.env"] }
      }
      const of = Effect.map(({ found, summary }: Seen) => ({ found, skipped: skipped(summary) }))
      assert.deepStrictEqual(yield* of(changes(root)), expected)
      repo.commit()
      assert.deepStrictEqual(yield* of(tree(root)), expected)
      assert.deepStrictEqual(yield* of(range(root, base)), expected)
      assert.deepStrictEqual(yield* of(history(root)), expected)
      assert.deepStrictEqual(yield* of(tree(join(root, "node_modules"))), {
        found: [],
        skipped: { vendored: ["d.env"] }
      })
    })
  )

  it.effect("reports the missing revision, and a shallow clone", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write("a.env", line("A"))
      const first = repo.commit()
      const second = repo.commit()
      repo.commit()
      const missing = yield* Effect.flip(range(repo.root, "0".repeat(40)))
      assert.strictEqual(missing._tag, "RevisionMissing")
      using clone = repository()
      clone.git("fetch", "-q", "--depth=2", `file://${repo.root}`, "main:copy")
      const cut = yield* Effect.flip(range(clone.root, first, "copy"))
      assert.strictEqual(cut._tag, "RevisionMissing")
      assert.include(cut.message, "shallow")
      assert.deepStrictEqual((yield* range(clone.root, second, "copy")).found, [])
      clone.git("fetch", "-q", "--depth=1", `file://${repo.root}`, first)
      const shallow = yield* Effect.flip(range(clone.root, first, "copy"))
      assert.strictEqual(shallow._tag, "HistoryShallow")
      const fromTheStart = yield* Effect.flip(range(clone.root, undefined, "copy"))
      assert.strictEqual(fromTheStart._tag, "HistoryShallow")
    })
  )

  it.effect("reports that a shallow clone lacks the merge base", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write("a.env", line("A"))
      repo.commit()
      repo.git("branch", "feature")
      const base = repo.commit()
      repo.git("checkout", "-q", "feature")
      repo.write("b.env", line("B"))
      repo.commit()
      using clone = repository()
      clone.git("fetch", "-q", `file://${repo.root}`, "feature:copy")
      clone.git("fetch", "-q", "--depth=1", `file://${repo.root}`, base)
      const hidden = yield* Effect.flip(range(clone.root, base, "copy"))
      assert.strictEqual(hidden._tag, "HistoryShallow")
    })
  )

  it.effect("reports which of two revisions is invalid, whatever its spelling", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write("a.env", line("A"))
      const base = repo.commit()
      repo.write("a.env", line("B"))
      const head = repo.commit()
      for (const wrong of ["nothing", "--all", "--glob=refs/*", `${base}..${head}`, `^${base}`, `${base}:a.env`, ""]) {
        const asBase = yield* Effect.flip(range(repo.root, wrong, head))
        const asHead = yield* Effect.flip(range(repo.root, base, wrong))
        for (const failure of [asBase, asHead]) {
          assert.deepInclude(failure, { _tag: "RevisionMissing", revision: wrong, shallow: false })
        }
      }
    })
  )

  it.effect("reports a missing root", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write("file", "")
      for (const root of [join(repo.root, "nowhere"), join(repo.root, "file")]) {
        for (const scan of [tree(root), range(root, "HEAD~1"), history(root), changes(root)]) {
          assert.deepInclude(yield* Effect.flip(scan), { _tag: "RootUnreadable", root })
        }
      }
    })
  )

  it.effect("finds the lines of any name in the head, and of a file that is over 50 MB there", () =>
    Effect.gen(function* () {
      using repo = repository()
      const base = repo.commit()
      const names = ["a b.env", "new\nline.env", "ünï.env", "-flag.env", "back\\slash.env", "HEAD:x missing"]
      for (const [index, name] of names.entries()) repo.write(`sub/${name}`, line(String(index)))
      writeFileSync(
        Buffer.concat([Buffer.from(`${repo.root}/sub/`), Buffer.from([0x66, 0xff, 0xfe]), Buffer.from(".env")]),
        line("L")
      )
      repo.write("sub/large.env", line("G"))
      repo.commit()
      repo.write("sub/large.env", "#\n".repeat(26 * 1024 * 1024))
      for (const [index, name] of names.entries()) repo.write(`sub/${name}`, `# moved\n${line(String(index))}`)
      repo.commit()
      const expected = [
        ...names.map((name, index) => `${name}:2 ${password(String(index))}`),
        `f\u00ff\u00fe.env:1 ${password("L")}`,
        `large.env:1 ${password("G")} removed`
      ]
      assert.sameMembers([...(yield* range(join(repo.root, "sub"), base)).found], expected)
      assert.sameMembers(
        [...(yield* range(repo.root, base)).found],
        expected.map((found) => `sub/${found}`)
      )
    })
  )

  it.effect("fails outside of a repository", () =>
    Effect.gen(function* () {
      using repo = repository()
      rmSync(join(repo.root, ".git"), { recursive: true })
      assert.strictEqual((yield* Effect.flip(range(repo.root, "HEAD")))._tag, "NotARepository")
    })
  )
})

describe("a file that only .gitattributes left out", () => {
  const hidden = () => {
    const repo = repository()
    repo.write(".gitattributes", "# ours\n/gen/** linguist-generated\n*.lock.env linguist-vendored=true text\n")
    repo.write("gen/.gitattributes", "own.env -linguist-generated\n")
    repo.write("gen/a.env", line("A"))
    repo.write("gen/own.env", line("O"))
    repo.write("gen/\u00fc.env", line("U"))
    repo.write("b.lock.env", line("B"))
    repo.write("c.env", line("C"))
    return { ...repo, base: repo.commit(), [Symbol.dispose]: () => repo[Symbol.dispose]() }
  }
  const expected = [
    `b.lock.env:1 ${password("B")}`,
    `gen/a.env:1 ${password("A")}`,
    `gen/\u00fc.env:1 ${password("U")}`
  ]

  it.effect("is read once the attributes no longer mark it", () =>
    Effect.gen(function* () {
      using repo = hidden()
      repo.write(".gitattributes", "* text=auto\n")
      assert.sameMembers([...(yield* changes(repo.root)).found], expected)
      repo.git("add", ".gitattributes")
      assert.sameMembers([...(yield* staged(repo.root)).found], expected)
      repo.commit()
      assert.sameMembers([...(yield* range(repo.root, repo.base)).found], expected)
      // The base's rules still exclude the file.
      assert.deepStrictEqual((yield* range(repo.root, repo.base, "HEAD", { rulesFrom: repo.base })).found, [])
    })
  )

  it.effect("is read once the attributes are deleted", () =>
    Effect.gen(function* () {
      using repo = hidden()
      rmSync(join(repo.root, ".gitattributes"))
      repo.commit()
      assert.sameMembers([...(yield* range(repo.root, repo.base)).found], expected)
    })
  )

  it.effect("is read where it is moved to", () =>
    Effect.gen(function* () {
      using repo = hidden()
      renameSync(join(repo.root, "gen/a.env"), join(repo.root, "moved.env"))
      renameSync(join(repo.root, "c.env"), join(repo.root, "d.env"))
      repo.git("add", "-A")
      const found = [`moved.env:1 ${password("A")}`]
      assert.deepStrictEqual((yield* staged(repo.root)).found, found)
      assert.deepStrictEqual((yield* changes(repo.root)).found, found)
      repo.commit()
      assert.deepStrictEqual((yield* range(repo.root, repo.base)).found, found)
    })
  )
})

describe("history", () => {
  it.effect("finds what was ever in any branch, each value of a file once", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write("a.env", line("A"))
      repo.commit()
      repo.write("a.env", "")
      repo.commit()
      repo.write("a.env", line("A"))
      repo.commit()
      repo.git("checkout", "-q", "-b", "other")
      repo.write("b.env", line("B"))
      repo.commit()
      repo.git("checkout", "-q", "main")
      const { summary, found } = yield* history(repo.root)
      assert.sameMembers([...found], [`a.env:1 ${password("A")}`, `b.env:1 ${password("B")}`])
      assert.strictEqual(summary.commits, 4)
    })
  )

  it.effect("reads the trees and blobs that tags name without a commit", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.commit()
      repo.write("a.env", line("A"))
      repo.git("add", "-A")
      repo.git("tag", "tree", repo.git("write-tree"))
      repo.write("a.env", line("B"))
      repo.git("tag", "blob", repo.git("hash-object", "-w", "a.env"))
      repo.write("a.env", line("C"))
      repo.git("tag", "-a", "-m", "annotated", "signed", repo.git("hash-object", "-w", "a.env"))
      const { summary, found } = yield* history(repo.root)
      assert.sameMembers(
        [...found],
        [
          `a.env:1 ${password("A")}`,
          `.git/refs/tags/blob:1 ${password("B")}`,
          `.git/refs/tags/signed:1 ${password("C")}`
        ]
      )
      assert.strictEqual(summary.commits, 1)
    })
  )

  it.effect("reads the messages of commits and annotated tags, also of a tag that names a tag", () =>
    Effect.gen(function* () {
      using repo = repository()
      const first = repo.commit(`Add it\n\ndiff --git a/x b/x\n+++ b/x\n@@ -0,0 +1 @@\n+${line("A")}`)
      repo.write("a.env", line("B"))
      const second = repo.commit(`Set the database's password\n\n${line("C")}`)
      repo.git("tag", "-a", "-m", `The first release\n\n${line("D")}`, "v1")
      repo.git("tag", "-a", "-m", line("E"), "outer", "v1")
      repo.git("tag", "-d", "v1")
      const ofRange = [`a.env:1 ${password("B")}`, `.git/messages/${second}:3 ${password("C")}`]
      const ofTag = [...ofRange, `.git/refs/tags/outer:3 ${password("D")}`, `.git/refs/tags/outer:1 ${password("E")}`]
      const { found, summary } = yield* history(repo.root)
      assert.sameMembers([...found], [`.git/messages/${first}:6 ${password("A")}`, ...ofTag])
      assert.strictEqual(summary.files, 1)
      assert.sameMembers([...(yield* range(repo.root, first)).found], ofRange)
      assert.sameMembers([...(yield* range(repo.root, first, "outer")).found], ofTag)
    })
  )

  it.effect("reads no message where other paths are asked for, or a folder below the top", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write("deep/a.env", line("A"))
      repo.commit(line("B"))
      repo.git("tag", "-a", "-m", line("C"), "v1")
      const ofFolder = Effect.flatMap(Scanner, (scanner) => scanner.history({ root: repo.root, paths: ["deep"] }))
      assert.deepStrictEqual((yield* seen(ofFolder)).found, [`deep/a.env:1 ${password("A")}`])
      assert.deepStrictEqual((yield* history(join(repo.root, "deep"))).found, [`a.env:1 ${password("A")}`])
      assert.deepStrictEqual((yield* range(repo.root, undefined, "v1", { exclude: [".git"] })).found, [
        `deep/a.env:1 ${password("A")}`
      ])
    })
  )

  it.effect("reads notes and all stashes, with the untracked and staged files of each", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write("a.env", "A=1\n")
      const noted = repo.commit()
      repo.git("notes", "add", "-m", line("N"), noted)
      repo.git("notes", "--ref", "review", "add", "-m", line("R"), noted)
      repo.write("a.env", line("S"))
      repo.git("stash", "-q")
      repo.write("staged.env", line("T"))
      repo.git("add", "staged.env")
      repo.write("new.env", line("U"))
      repo.git("stash", "-q", "--include-untracked")
      const { found } = yield* history(repo.root)
      assert.sameMembers(
        [...found],
        [
          `.git/refs/notes/commits/${noted}:1 ${password("N")}`,
          `.git/refs/notes/review/${noted}:1 ${password("R")}`,
          `.git/refs/stash/a.env:1 ${password("S")}`,
          `.git/refs/stash/staged.env:1 ${password("T")}`,
          `.git/refs/stash/new.env:1 ${password("U")}`
        ]
      )
    })
  )

  it.effect("reads what only another reference reaches, such as that of a rewritten branch", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.commit()
      repo.write("a.env", line("A"))
      repo.git("update-ref", "refs/original/refs/heads/main", repo.commit())
      repo.git("reset", "-q", "--hard", "HEAD~1")
      assert.deepStrictEqual((yield* history(repo.root)).found, [`a.env:1 ${password("A")}`])
    })
  )

  it.effect("numbers the lines of several hunks of a file as in the file", () =>
    Effect.gen(function* () {
      using repo = repository()
      const gap = "# words\n".repeat(100)
      repo.write("a.env", `${gap}${gap}${gap}`)
      const base = repo.commit()
      repo.write("a.env", `${line("A")}${gap}${line("B")}${gap}${line("C")}${gap}`)
      repo.commit()
      const expected = [`a.env:1 ${password("A")}`, `a.env:102 ${password("B")}`, `a.env:203 ${password("C")}`]
      assert.deepStrictEqual((yield* history(repo.root)).found, expected)
      assert.deepStrictEqual((yield* range(repo.root, base)).found, expected)
    })
  )

  it.effect("reads non-text files, and each part of a long history, in the order of the commits", () =>
    Effect.gen(function* () {
      using repo = repository()
      const commits = 2100
      const stream = ["blob\nmark :1\ndata 4\nx\0y\n\n"]
      for (let i = 0; i < commits; i++) {
        const content = line(String(i))
        stream.push(
          `commit refs/heads/main\ncommitter A <a@example.com> ${1_700_000_000 + i} +0000\ndata 1\nx\n`,
          `M 644 inline f${i % 7}.env\ndata ${content.length}\n${content}\n`,
          i % 1000 === 0 ? `M 644 :1 picture${i}\nM 160000 ${"1".repeat(40)} module${i}\n` : ""
        )
      }
      execFileSync("git", ["fast-import", "--quiet"], { cwd: repo.root, input: stream.join("") })
      repo.git("reset", "-q", "--hard", "HEAD")
      const { summary, found } = yield* history(repo.root)
      assert.deepStrictEqual(
        found,
        Array.from({ length: commits }, (_, i) => commits - 1 - i).map((i) => `f${i % 7}.env:1 ${password(String(i))}`)
      )
      assert.strictEqual(summary.commits, commits)
      assert.strictEqual(summary.commitsTotal, commits)
      assert.deepStrictEqual(skipped(summary), {
        binary: ["picture0", "picture1000", "picture2000"],
        submodule: ["module0", "module1000", "module2000"]
      })
    })
  )

  it.effect("is empty for a repository without commits", () =>
    Effect.gen(function* () {
      using repo = repository()
      assert.deepStrictEqual((yield* history(repo.root)).found, [])
    })
  )
})

describe("changes", () => {
  it.effect("finds what is staged, not staged and untracked", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write("a.env", line("OLD"))
      repo.commit()
      repo.write("a.env", `${line("OLD")}${line("A")}`)
      repo.git("add", "-A")
      repo.write("a.env", `${line("OLD")}${line("A")}${line("B")}`)
      repo.write("c.env", line("C"))
      repo.write("wide.env", Buffer.from(`\ufeff${line("D")}`, "utf16le"))
      repo.git("add", "wide.env")
      assert.sameMembers(
        [...(yield* changes(repo.root)).found],
        [
          `a.env:2 ${password("A")}`,
          `a.env:3 ${password("B")}`,
          `c.env:1 ${password("C")}`,
          `wide.env:1 ${password("D")}`
        ]
      )
    })
  )

  it.effect("finds only what the next commit would contain, in staged changes", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write("a.env", line("OLD"))
      repo.commit()
      repo.write("a.env", `${line("OLD")}${line("A")}`)
      repo.write("wide.env", Buffer.from(`\ufeff${line("D")}`, "utf16le"))
      repo.git("add", "-A")
      repo.write("a.env", line("OLD"))
      repo.write("b.env", line("B"))
      const { found } = yield* seen(
        Effect.flatMap(Scanner, (scanner) => scanner.changes({ root: repo.root, staged: true }))
      )
      assert.sameMembers([...found], [`a.env:2 ${password("A")}`, `wide.env:1 ${password("D")}`])
    })
  )

  it.effect("uses the attributes that the next commit would contain, in staged changes", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write("a.env", line("A"))
      repo.git("add", "-A")
      repo.write(".gitattributes", "*.env linguist-generated\n")
      const staged = () =>
        seen(Effect.flatMap(Scanner, (scanner) => scanner.changes({ root: repo.root, staged: true })))
      assert.deepStrictEqual((yield* staged()).found, [`a.env:1 ${password("A")}`])
      repo.git("add", "-A")
      assert.deepStrictEqual((yield* staged()).found, [])
    })
  )

  it.effect("compares with another revision, or with the empty tree before the first commit", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write("a.env", line("A"))
      repo.git("add", "-A")
      assert.deepStrictEqual((yield* changes(repo.root)).found, [`a.env:1 ${password("A")}`])
      const base = repo.commit()
      repo.write("b.env", line("B"))
      repo.commit()
      assert.deepStrictEqual((yield* changes(repo.root)).found, [])
      assert.deepStrictEqual((yield* changes(repo.root, base)).found, [`b.env:1 ${password("B")}`])
    })
  )

  it.effect("names the commit that it compares with, if there is one", () =>
    Effect.gen(function* () {
      using repo = repository()
      const baseOf = (options: Partial<ChangesOptions>) =>
        Effect.flatMap(Scanner, (scanner) =>
          Effect.map(scanner.changes({ root: repo.root, ...options }), ({ base }) => base)
        )
      repo.write("a.env", line("A"))
      repo.git("add", "-A")
      assert.isUndefined(yield* baseOf({ staged: true }))
      const first = repo.commit()
      repo.write("b.env", line("B"))
      const second = repo.commit()
      for (const staged of [false, true]) {
        assert.strictEqual(yield* baseOf({ staged }), second)
        assert.strictEqual(yield* baseOf({ staged, base: "HEAD~1" }), first)
      }
    }).pipe(Effect.provide(NodeScanner.layer))
  )
})

/** Number of processes whose working directory is a folder, according to Linux. */
const processesIn = (folder: string): number =>
  readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`) === folder
    } catch {
      return false
    }
  }).length

describe.runIf(process.platform === "linux")("interruption", () => {
  it.effect("ends git with the stream", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.commit()
      for (let i = 0; i < 3; i++) repo.write(`${i}.env`, `${"# words and words\n".repeat(300_000)}${line(String(i))}`)
      repo.git("add", "-A")
      let running = 0
      yield* Effect.gen(function* () {
        const scan = yield* (yield* Scanner).changes({ root: repo.root })
        return yield* scan.candidates.pipe(
          Stream.tap(() => Effect.sync(() => void (running = processesIn(repo.root)))),
          Stream.runHead
        )
      }).pipe(Effect.provide(NodeScanner.layer))
      assert.isAbove(running, 0)
      assert.strictEqual(processesIn(repo.root), 0)
    })
  )
})

describe("secrets", () => {
  it.effect("are in no failure and in no printed candidate", () =>
    Effect.gen(function* () {
      using repo = repository()
      repo.write("a.env", line("A"))
      repo.write("locked.env", line("B"))
      chmodSync(join(repo.root, "locked.env"), 0)
      const scan = yield* Effect.flatMap(Scanner, (scanner) => scanner.tree({ root: repo.root })).pipe(
        Effect.provide(NodeScanner.layer)
      )
      const all = yield* Stream.runCollect(scan.candidates)
      assert.notInclude(JSON.stringify([all, yield* scan.summary]), "Zr9tXw2Lp")
      assert.notInclude(String(all.map(({ value }) => value)), "Zr9tXw2Lp")
    })
  )
})
