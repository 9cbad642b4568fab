/** A file that grows at its end; where possible, without rewriting its content. */
import { Context, Effect, Option } from "effect"
import { Editor, type FileFailure } from "../editor/Editor.ts"

/**
 * Writes bytes at offset `at` of a file on disk and truncates the file after them; offset 0 creates the file. None if
 * the host cannot do that.
 */
export class WriteAt extends Context.Reference<
  Option.Option<(path: string, at: number, bytes: Uint8Array) => Effect.Effect<void, FileFailure>>
>("threat-exposure/exports/AppendableFile/WriteAt", { defaultValue: () => Option.none() }) {}

export interface AppendableFile {
  /**
   * Appends `text`, followed by `tail` until the next call. Returns true if the file now contains everything; otherwise
   * some text is buffered.
   */
  readonly add: (text: string, tail: string) => Effect.Effect<boolean, FileFailure>
  readonly settle: Effect.Effect<void, FileFailure>
}

/** Continues after the first `end` bytes of a file; 0 creates it. */
export const appendableFile = Effect.fnUntraced(function* (uri: string, end: number) {
  const editor = yield* Editor
  const writeAt = yield* WriteAt
  const path = editor.fsPath(uri)
  const encoder = new TextEncoder()
  if (Option.isSome(writeAt) && Option.isSome(path)) {
    let at = end
    const file: AppendableFile = {
      add: Effect.fnUntraced(function* (text, tail) {
        yield* writeAt.value(path.value, at, encoder.encode(text + tail))
        at += encoder.encode(text).length
        return true
      }),
      settle: Effect.void
    }
    return file
  }

  // The editor can only write whole files. Writing each time the content has doubled costs at most twice the file.
  let whole = end === 0 ? "" : new TextDecoder().decode(encoder.encode(yield* editor.read(uri)).subarray(0, end))
  let lastTail = ""
  let inFile = -1
  const write = Effect.fnUntraced(function* (text: string, tail: string) {
    yield* editor.write(uri, text + tail)
    inFile = text.length
  })
  const file: AppendableFile = {
    add: Effect.fnUntraced(function* (text, tail) {
      const next = whole + text
      const isDue = inFile < 0 || next.length >= 2 * inFile || next.length - inFile >= maxHeldBack
      if (isDue) yield* write(next, tail)
      whole = next
      lastTail = tail
      return isDue
    }),
    settle: Effect.suspend(() => (inFile < 0 || inFile === whole.length ? Effect.void : write(whole, lastTail)))
  }
  return file
})

/** Maximum number of buffered characters, which are lost if the window closes. */
const maxHeldBack = 1_000_000
