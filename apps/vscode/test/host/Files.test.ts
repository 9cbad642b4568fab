/** Tests reading the files of a folder through the editor's file system, on a real disk. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { lstat, readdir, readFile, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { afterAll, vi } from "vitest"

// A stub of the used part of the editor's API. As in the editor, the type of a link includes the bit of its target.
vi.mock("vscode", () => {
  const FileType = { Unknown: 0, File: 1, Directory: 2, SymbolicLink: 64 }
  const typeOf = async (path: string) => {
    const type = (await stat(path)).isDirectory() ? FileType.Directory : FileType.File
    return (await lstat(path)).isSymbolicLink() ? type | FileType.SymbolicLink : type
  }
  const uriOf = (url: URL) => ({ path: url.pathname, toString: () => url.href })
  return {
    FileSystemError: class extends Error {},
    FileType,
    Uri: {
      parse: (uri: string) => uriOf(new URL(uri)),
      joinPath: (uri: { readonly path: string }, path: string) => uriOf(pathToFileURL(join(uri.path, path)))
    },
    workspace: {
      fs: {
        stat: async (uri: object) => ({ type: await typeOf(fileURLToPath(String(uri))) }),
        readDirectory: async (uri: object) => {
          const path = fileURLToPath(String(uri))
          const names = await readdir(path)
          return Promise.all(names.toSorted().map(async (name) => [name, await typeOf(join(path, name))]))
        },
        readFile: async (uri: object) => new Uint8Array(await readFile(fileURLToPath(String(uri))))
      }
    },
    window: { state: { focused: true }, onDidChangeWindowState: () => ({ dispose: () => {} }) },
    env: {}
  }
})

const root = mkdtempSync(join(tmpdir(), "host-files-"))
afterAll(() => rmSync(root, { recursive: true }))

it.effect("reads and lists the files of a folder, and follows no symbolic link", () =>
  Effect.gen(function* () {
    const { files } = yield* Effect.promise(() => import("../../src/host/Files.ts"))
    mkdirSync(join(root, "repository/config"), { recursive: true })
    mkdirSync(join(root, "outside"))
    writeFileSync(join(root, "repository/config/rules.toml"), "rules")
    writeFileSync(join(root, "outside/rules.toml"), "outside")
    symlinkSync(join(root, "outside/rules.toml"), join(root, "repository/file.toml"))
    symlinkSync(join(root, "outside"), join(root, "repository/folder"))
    const { list, readBelow } = files()
    const folder = pathToFileURL(join(root, "repository")).href
    assert.strictEqual(new TextDecoder().decode(yield* readBelow(folder, "config/rules.toml")), "rules")
    for (const path of ["file.toml", "folder/rules.toml"]) {
      const failure = yield* Effect.flip(readBelow(folder, path))
      assert.include(failure.reason, "is a symbolic link", path)
    }
    assert.deepStrictEqual(yield* list(folder), [
      { name: "config", kind: "folder" },
      { name: "file.toml", kind: "link" },
      { name: "folder", kind: "link" }
    ])
    assert.deepStrictEqual(yield* list(`${folder}/config`), [{ name: "rules.toml", kind: "file" }])
  })
)
