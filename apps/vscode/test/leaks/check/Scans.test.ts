import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { scanText } from "@threat-exposure/detect/Text"
import { loadGitleaksConfig } from "@threat-exposure/detect/config/GitleaksConfig"
import { mergeSkips, type Skipped } from "@threat-exposure/leak-check/Coverage"
import {
  asUserOf,
  namesByReason,
  repositoryKinds,
  type RepositoryKind,
  repositoryOf as repositoryOfKind
} from "@threat-exposure/leak-check/testing/RepositoryKinds"
import { Effect, Redacted } from "effect"
import { detector } from "../../../src/detection/Detector.ts"
import { repositoryOf } from "../../../src/detection/Repository.ts"
import { Lines, spanOf } from "../../../src/detection/Lines.ts"
import { noRules, type Rules, ofFile, ofSelection, throughEditor } from "../../../src/leaks/check/Scans.ts"
import { overDisk } from "../../DiskEditor.ts"
import { EditorDouble } from "../../EditorDouble.ts"

const secret = ["tidal", "Wren", "4471", "harbour!"].join("-")
const text = `user = shop\npassword = "${secret}"\n`

const open = (start: number, end: number, line = 1) => ({
  uri: "file:///a.ini",
  path: "a.ini",
  text,
  version: 1,
  languageId: "ini",
  selection: { start: { line, character: start }, end: { line, character: end } },
  selected: text.split("\n")[line]?.slice(start, end) ?? ""
})

describe("a value in a file", () => {
  it("spans from its first to its last character", () => {
    const [found] = scanText(text, "a.ini").candidates
    assert.deepStrictEqual(found && spanOf(found.location), {
      start: { line: 1, character: 12 },
      end: { line: 1, character: 12 + secret.length }
    })
  })

  it("is found nearest to a position, even on a line with several", () => {
    const was = { line: 1, character: 12 }
    const near = (text: string, to = was) => new Lines(text).nearest(secret, to)?.start
    assert.deepStrictEqual(near(`# new\n\n${text}`), { line: 3, character: 12 })
    assert.deepStrictEqual(near(`${secret}\n${text}${secret}`, { line: 2, character: 12 }), { line: 2, character: 12 })
    assert.deepStrictEqual(
      near(`a ${secret} ${secret}`, { line: 0, character: secret.length + 3 })?.character,
      secret.length + 3
    )
    assert.isUndefined(near("user = shop"))
  })

  it("is located in a long file with many values as fast as the file is read", () => {
    const many = Array.from({ length: 20_000 }, (_, index) => `password_${index} = "${secret}${index}"\r`).join("\n")
    const lines = new Lines(many)
    const { candidates } = scanText(many, "a.ini")
    assert.isAbove(candidates.length, 10_000)
    for (const candidate of candidates) {
      assert.strictEqual(lines.text(spanOf(candidate.location)), Redacted.value(candidate.value))
    }
  })
})

describe("a selection", () => {
  it("contains the candidates that it overlaps", () => {
    const [found, ...rest] = ofSelection(detector, open(15, 18), noRules)
    assert.strictEqual(found === undefined ? "" : Redacted.value(found.value), secret)
    assert.deepStrictEqual(rest, [])
  })

  it("is a candidate itself if it is one word without a finding", () => {
    const [found] = ofSelection(detector, { ...open(0, 11, 0), selected: " shop-user-7 " }, noRules)
    assert.strictEqual(found === undefined ? "" : Redacted.value(found.value), "shop-user-7")
    assert.deepStrictEqual(ofSelection(detector, { ...open(0, 11, 0), selected: "user = shop" }, noRules), [])
    assert.deepStrictEqual(ofSelection(detector, { ...open(0, 4, 0), selected: "user" }, noRules), [])
  })

  it("is searched without the quotes around it", () => {
    const quoted = "'orchard7'"
    const [found] = ofSelection(detector, { ...open(0, 10, 0), text: quoted, selected: quoted }, noRules)
    assert.strictEqual(found === undefined ? "" : Redacted.value(found.value), "orchard7")
    assert.strictEqual(found?.location.column, 2)
  })
})

it("says if a file was not read for secrets", () => {
  const { candidates, gaps, skipped } = ofFile(detector, { ...open(0, 0), path: "package-lock.json" }, noRules)
  assert.deepStrictEqual(candidates, [])
  assert.deepStrictEqual(gaps, [])
  assert.deepStrictEqual(skipped, [{ reason: "lock-file", count: 1, names: ["package-lock.json"] }])
})

it("finds values in tests and documentation where the setting includes them", () => {
  const scan = (path: string, include: Rules["include"]) => {
    const text = `password: "${secret}"\n`
    return ofFile(detector, { ...open(0, 0), path, text }, { ...noRules, include }).candidates.length
  }
  assert.deepStrictEqual(
    [scan("tests/shop.yml", []), scan("tests/shop.yml", ["docs"]), scan("tests/shop.yml", ["tests"])],
    [0, 0, 1]
  )
  assert.deepStrictEqual([scan("docs/shop.yml", []), scan("docs/shop.yml", ["docs"])], [0, 1])
})

describe("a folder read through the editor, without git, that is", () => {
  /** Facts that only git knows: its index, its attributes, and whether a repository is bare. */
  const withoutGit: Readonly<Record<string, Partial<RepositoryKind>>> = {
    "a bare one": { fails: false },
    "a worktree whose repository is not here": { fails: false, skipped: { ignored: ["a.env"] } },
    "a damaged one": { fails: false, skipped: { ignored: ["a.env"] } },
    "a folder of one that looks like a bare one": { fails: false, found: ["a.env"] },
    "a sparse checkout": { skipped: {} },
    "a clone without a checkout": { skipped: {} },
    "a submodule that is not initialised": { skipped: {} },
    "a folder that became a symbolic link": { skipped: { "symbolic-link": ["folder"] } },
    "generated, vendored, minified, locked and encrypted files": {
      found: ["a.env", "gen/a.env"],
      skipped: {
        generated: ["marked.go"],
        vendored: ["node_modules/p/b.env"],
        minified: ["app.min.js"],
        "lock-file": ["yarn.lock"],
        encrypted: ["vault.yml"]
      }
    }
  }
  it.effect.each(repositoryKinds)("$name", (kind) =>
    Effect.gen(function* () {
      const root = yield* repositoryOfKind(kind)
      const expected = { ...kind, ...withoutGit[kind.name] }
      const { candidates, skipped } = yield* asUserOf(kind, scanned(root))
      assert.deepStrictEqual(candidates.map(({ location }) => location.path).toSorted(), expected.found)
      assert.deepStrictEqual(namesByReason(skipped), expected.skipped)
    })
  )

  it.effect("named like a folder of vendored code", () =>
    Effect.gen(function* () {
      const editor = new EditorDouble()
      editor.files.set("file:///node_modules/p/a.env", `password = "${secret}"\n`)
      editor.files.set("file:///node_modules/p/node_modules/q/b.env", `password = "${secret}"\n`)
      const { candidates, skipped } = yield* throughEditor(detector, "file:///node_modules/p", noRules).pipe(
        Effect.provide(editor.layer)
      )
      assert.deepStrictEqual(
        candidates.map(({ location }) => location.path),
        ["a.env"]
      )
      assert.deepStrictEqual(namesByReason(skipped), { vendored: ["node_modules/q/b.env"] })
    })
  )

  it.effect("with its tests, where the setting includes them", () =>
    Effect.gen(function* () {
      const editor = new EditorDouble()
      editor.files.set("file:///p/tests/shop.yml", `password: "${secret}"\n`)
      const found = (include: Rules["include"]) =>
        throughEditor(detector, "file:///p", { ...noRules, include }).pipe(
          Effect.map(({ candidates }) => candidates.length),
          Effect.provide(editor.layer)
        )
      assert.deepStrictEqual([yield* found([]), yield* found(["tests"])], [0, 1])
    })
  )

  it.effect("except for files above the size limit, binary ones and those that cannot be read", () =>
    Effect.gen(function* () {
      const editor = new EditorDouble()
      const content = `password = "${secret}"\n`
      editor.files.set("file:///p/largest.env", content)
      editor.files.set("file:///p/larger.env", `${content}#`)
      editor.files.set("file:///p/binary.env", `${content.slice(0, -1)}\0`)
      editor.files.set("file:///p/locked.env", content)
      editor.unreadable.add("file:///p/locked.env")
      const { candidates, skipped } = yield* throughEditor(
        { ...detector, maxFileSize: content.length },
        "file:///p",
        noRules
      ).pipe(Effect.provide(editor.layer))
      assert.deepStrictEqual(
        candidates.map(({ location }) => location.path),
        ["largest.env"]
      )
      assert.deepStrictEqual(namesByReason(skipped), {
        "too-large": ["larger.env"],
        binary: ["binary.env"],
        unreadable: ["locked.env"]
      })
    })
  )

  const scanned = Effect.fnUntraced(function* (folder: string) {
    const skipped: Array<Skipped> = []
    const top = (yield* repositoryOf(`file://${folder}`).pipe(Effect.provide(overDisk)))?.root ?? `file://${folder}`
    const read = (path: string) => {
      const file = join(fileURLToPath(top), path)
      return Effect.sync(() => (existsSync(file) ? readFileSync(file, "utf8") : undefined))
    }
    const gitleaks = yield* loadGitleaksConfig(read, {
      warn: (reason, sentence) => skipped.push({ reason, count: 1, names: [sentence] })
    })
    const scan = yield* throughEditor(detector, `file://${folder}`, { ...noRules, root: top, gitleaks, skipped }).pipe(
      Effect.provide(overDisk)
    )
    return { ...scan, skipped: mergeSkips(scan.skipped) }
  })
})
