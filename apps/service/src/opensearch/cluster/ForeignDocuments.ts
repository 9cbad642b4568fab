/** Documents that this program did not write, or that somebody without the key file changed: named, and left out. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export class ForeignDocuments {
  readonly #names = new Set<string>()

  /** The first ones that were found, as `ID in INDEX`. */
  get names(): ReadonlyArray<string> {
    return [...this.#names]
  }

  /** Logs each once. */
  leaveOut(index: string, ids: ReadonlyArray<string>): Effect.Effect<void> {
    const found = ids.map((id) => `${printable(id)} in ${index}`).filter((name) => !this.#names.has(name))
    if (found.length === 0 || this.#names.size >= maxNames) return Effect.void
    for (const name of found.slice(0, maxNames - this.#names.size)) this.#names.add(name)
    return Effect.logError(`Left out because this program did not write it: ${found.slice(0, maxNamed).join(", ")}`)
  }
}

/** Whether a function that decrypts or decodes a part of a document returns. */
export const isReadable = (read: () => unknown): boolean => {
  try {
    read()
    return true
  } catch {
    return false
  }
}

/** The schema of a text that the function decodes. */
export const textFor = (decode: (text: string) => unknown) =>
  Schema.String.check(Schema.makeFilter((text) => isReadable(() => decode(text))))

/** Names that are remembered: who can write one document can write millions. */
const maxNames = 1_000

/** Names in one line of the log. */
const maxNamed = 20

/** The id of a document may be any text. */
const printable = (id: string): string => (/^[\w:/.-]{1,100}$/u.test(id) ? id : JSON.stringify(id.slice(0, 100)))
