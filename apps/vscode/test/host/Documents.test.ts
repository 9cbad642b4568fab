/** Tests how files are opened: as documents of the editor, on a real disk. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { afterAll, vi } from "vitest"

// A stub of the used part of the editor's API. A document has the encoding with which it was opened.
vi.mock("vscode", () => {
  const position = { line: 0, character: 0 }
  return {
    FileSystemError: class extends Error {},
    Range: class {
      start = position
      end = position
    },
    Uri: { parse: (uri: string) => ({ scheme: "file", toString: () => uri }) },
    workspace: {
      textDocuments: [],
      onDidOpenTextDocument: () => ({ dispose: () => {} }),
      onDidChangeTextDocument: () => ({ dispose: () => {} }),
      onDidCloseTextDocument: () => ({ dispose: () => {} }),
      asRelativePath: String,
      getConfiguration: () => ({ get: () => configured }),
      fs: { readFile: async (uri: object) => new Uint8Array(await readFile(fileURLToPath(String(uri)))) },
      openTextDocument: async (uri: object, { encoding = "its own" }: { readonly encoding?: string } = {}) => ({
        uri,
        version: 1,
        languageId: "plaintext",
        getText: () => encoding
      })
    },
    window: { state: { focused: true }, onDidChangeWindowState: () => ({ dispose: () => {} }) },
    env: {}
  }
})

/** Value of the setting `files.encoding`. */
let configured = "utf8"

const root = mkdtempSync(join(tmpdir(), "host-documents-"))
afterAll(() => rmSync(root, { recursive: true }))

describe("a file is opened", () => {
  const encodingOf = (bytes: ReadonlyArray<number>) =>
    Effect.gen(function* () {
      const { documents } = yield* Effect.promise(() => import("../../src/host/Documents.ts"))
      const file = join(root, "a.txt")
      writeFileSync(file, Uint8Array.from(bytes))
      return (yield* documents().textOf(pathToFileURL(file).href)).text
    })

  const [a, e, y, thorn] = [0x61, 0xe9, 0xff, 0xfe]

  it.effect.each([
    ["UTF-8", [a, 0xc3, 0xa9], "its own"],
    ["UTF-16", [0xff, 0xfe, a, 0x00, e, 0x00], "its own"],
    ["UTF-16 in the other order", [0xfe, 0xff, 0x00, a, 0x00, e], "its own"],
    ["any other encoding", [a, e], "iso88591"],
    ["any other encoding, beginning as a mark of UTF-16 begins", [y, a], "iso88591"],
    ["any other encoding, beginning as its other mark begins", [thorn, a], "iso88591"],
    ["any other encoding, with the end of a mark", [a, thorn, y], "iso88591"]
  ] as const)("in %s so that each byte is written back as it was", ([, bytes, encoding]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* encodingOf(bytes), encoding)
    })
  )

  it.effect("in the encoding that the settings name", () =>
    Effect.gen(function* () {
      configured = "windows1252"
      assert.strictEqual(yield* encodingOf([a, e]), "its own")
      configured = "utf8"
    })
  )
})
