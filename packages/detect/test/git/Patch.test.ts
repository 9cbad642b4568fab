import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type PatchEvent, patchReader } from "../../src/git/Patch.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

const read = (patch: Uint8Array, cuts: ReadonlyArray<number> = []): ReadonlyArray<PatchEvent> => {
  const reader = patchReader({ wanted: () => true, wasWanted: () => true })
  const events: Array<PatchEvent> = []
  let from = 0
  for (const cut of cuts.toSorted((a, b) => a - b)) {
    events.push(...reader.push(patch.subarray(from, cut)))
    from = cut
  }
  return [...events, ...reader.push(patch.subarray(from)), ...reader.end()]
}

const id = (digit: string) => digit.repeat(40)
const patch = `\0${id("a")}

diff --git a/one.txt b/one.txt
index ${id("1")}..${id("2")} 100644
--- a/one.txt
+++ b/one.txt
@@ -1,2 +1,3 @@ heading
 kept
--- removed, and no header
+++ added, and no header
+second
@@ -90,0 +92 @@
+far below
\\ No newline at end of file
diff --git a/old name b/new "name"
similarity index 100%
rename from old name
rename to "new \\"n\\303\\244me\\""
diff --cc both.txt
index ${id("1")},${id("2")}..${id("3")}
--- a/both.txt
+++ b/both.txt
@@@ -1,2 -1,2 +1,3 @@@
  shared
 -ours
- theirs
++made by the merge
 +from one side
diff --git a/module b/module
new file mode 160000
index ${id("0")}..${id("4")}
--- /dev/null
+++ b/module
@@ -0,0 +1 @@
+Subproject commit ${id("4")}
diff --git a/b.bin b/b.bin
index ${id("5")}..${id("6")} 100644
Binary files a/b.bin and b/b.bin differ
diff --git a/gone b/gone
deleted file mode 100644
index ${id("7")}..${id("0")}
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-gone
\0${id("b")}
`

describe("patchReader", () => {
  it("returns the lines of each file after the change", () => {
    const pieces = read(bytes(patch)).flatMap((event) => (event._tag === "Piece" ? [event.piece] : []))
    assert.deepStrictEqual(
      pieces.map(({ added, commit, lines, path, text }) => ({ path, commit, text, lines, added })),
      [
        {
          path: "one.txt",
          commit: id("a"),
          text: "kept\n++ added, and no header\nsecond\n\nfar below\n",
          lines: [1, 2, 3, 0, 92],
          added: [false, true, true, false, true]
        },
        {
          path: "both.txt",
          commit: id("a"),
          text: "shared\nmade by the merge\nfrom one side\n",
          lines: [1, 2, 3],
          added: [false, true, false]
        }
      ]
    )
  })

  it("reports renames, commits, and files that a patch does not show", () => {
    const others = read(bytes(patch)).filter(({ _tag }) => _tag !== "Piece")
    assert.deepStrictEqual(others, [
      { _tag: "Commit", commit: id("a") },
      { _tag: "Renamed", from: "old name", to: 'new "näme"' },
      {
        _tag: "Unread",
        unread: { path: "module", commit: id("a"), kind: "submodule", before: id("0"), after: id("4") }
      },
      { _tag: "Unread", unread: { path: "b.bin", commit: id("a"), kind: "binary", before: id("5"), after: id("6") } },
      { _tag: "Commit", commit: id("b") }
    ])
  })

  it("reads the same however the bytes are cut", () => {
    const whole = read(bytes(patch))
    fc.assert(
      fc.property(fc.array(fc.nat(bytes(patch).length), { maxLength: 40 }), (cuts) => {
        assert.deepStrictEqual(read(bytes(patch), cuts), whole)
      })
    )
  })

  it("splits a long file into pieces, but no private key", () => {
    const key = [
      `-----BEGIN ${"RSA PRIVATE"} KEY-----`,
      ..."x".repeat(30).split(""),
      `-----END ${"RSA PRIVATE"} KEY-----`
    ]
    const filler = Array.from({ length: 17_470 }, () => "f".repeat(59))
    const lines = [...filler, ...key, ...filler]
    const long = `diff --git a/a b/a\nnew file mode 100644\nindex ${id("0")}..${id("1")}\n--- /dev/null\n+++ b/a\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join("")}`
    const pieces = read(bytes(long)).flatMap((event) => (event._tag === "Piece" ? [event.piece] : []))
    assert.isAbove(pieces.length, 1)
    assert.deepStrictEqual(
      pieces.flatMap((piece) => piece.lines),
      lines.map((_, index) => index + 1)
    )
    assert.strictEqual(pieces.filter(({ text }) => text.includes("-----BEGIN") && text.includes("-----END")).length, 1)
  })
})
