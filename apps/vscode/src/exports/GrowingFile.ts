/** A file that grows piece by piece: nothing that was written is read or held again where the host has files of its own. */
import { Context, Effect, Option } from "effect"
import { Editor, type FileFailure } from "../Editor.ts"

/** Puts bytes at `at` from the start of a file on disk, and ends the file after them; a file begins at 0. */
export class WriteInPlace extends Context.Reference<
  Option.Option<(path: string, at: number, bytes: Uint8Array) => Effect.Effect<void, FileFailure>>
>("threat-exposure/exports/GrowingFile/WriteInPlace", { defaultValue: () => Option.none() }) {}

/** Puts `text` at `at` bytes, ends the file with `tail`, and gives where the text ends, which is where it can go on. */
export const putText = Effect.fnUntraced(function* (uri: string, at: number, text: string, tail: string) {
  const editor = yield* Editor
  const inPlace = yield* WriteInPlace
  const path = editor.fsPath(uri)
  const encoder = new TextEncoder()
  const bytes = encoder.encode(text + tail)
  if (Option.isSome(inPlace) && Option.isSome(path)) {
    yield* inPlace.value(path.value, at, bytes)
  } else {
    const before = at === 0 ? "" : new TextDecoder().decode(encoder.encode(yield* editor.read(uri)).subarray(0, at))
    yield* editor.write(uri, before + text + tail)
  }
  return at + bytes.length - encoder.encode(tail).length
})
