/** An editor double whose folders are on this machine's disk, read as a web worker does: without git. */
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Layer } from "effect"
import { Editor, FileFailure, type FolderEntry } from "../src/editor/Editor.ts"
import { EditorDouble } from "./EditorDouble.ts"

export const overDisk = Layer.effect(
  Editor,
  Effect.map(Editor, (editor) =>
    Editor.of({
      ...editor,
      list: (folder) =>
        Effect.tryPromise({
          try: async () => {
            const entries = await readdir(fileURLToPath(folder), { withFileTypes: true })
            return entries.map((entry): FolderEntry => ({
              name: entry.name,
              kind: entry.isSymbolicLink() ? "link" : entry.isDirectory() ? "folder" : entry.isFile() ? "file" : "other"
            }))
          },
          catch: (cause) => new FileFailure({ operation: "list", uri: folder, reason: String(cause) })
        }),
      read: (uri) =>
        Effect.tryPromise({
          try: () => readFile(fileURLToPath(uri), "utf8"),
          catch: (cause) => new FileFailure({ operation: "read", uri, reason: String(cause) })
        }),
      readBelow: (folder, path) =>
        Effect.tryPromise({
          try: () => readFile(join(fileURLToPath(folder), path)),
          catch: (cause) => new FileFailure({ operation: "read", uri: `${folder}/${path}`, reason: String(cause) })
        })
    })
  )
).pipe(Layer.provide(new EditorDouble().layer))
