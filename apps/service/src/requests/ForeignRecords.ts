/**
 * Records that this program did not write, or with a query that it refuses: they are left out, and their names are
 * logged.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { StoreRefusal, StoreUnavailable } from "./StoreUnavailable.ts"

export class ForeignRecords {
  readonly #names = new Set<string>()
  #unlogged: Array<string> = []

  /** The first names that were found, as `ID in STORE`. */
  get names(): ReadonlyArray<string> {
    return [...this.#names]
  }

  /** Records ids that are not known yet. `store` is an index or a table. */
  note(store: string, ids: ReadonlyArray<string>): void {
    this.add(ids.map((id) => nameOfRecord(store, id)))
  }

  add(names: ReadonlyArray<string>): void {
    for (const name of names) {
      if (this.#names.has(name) || this.#names.size >= maxNames) continue
      this.#names.add(name)
      this.#unlogged.push(name)
    }
  }

  get hasNew(): boolean {
    return this.#unlogged.length > 0
  }

  takeNew(): ReadonlyArray<string> {
    if (this.#unlogged.length === 0) return none
    const names = this.#unlogged
    this.#unlogged = []
    return names
  }

  readonly log: Effect.Effect<void> = Effect.suspend(() => {
    const names = this.takeNew()
    return names.length === 0 ? Effect.void : Effect.logError(sayLeftOut(names))
  })

  leaveOut(store: string, ids: ReadonlyArray<string>): Effect.Effect<void> {
    this.note(store, ids)
    return this.log
  }
}

export const sayLeftOut = (names: ReadonlyArray<string>): string =>
  `Left out because this program did not write it, or refuses its query: ${names.slice(0, maxNamed).join(", ")}`

export const isReadable = (read: () => unknown): boolean => {
  try {
    read()
    return true
  } catch {
    return false
  }
}

/** The schema of strings that the function can decode. */
export const textFor = (decode: (text: string) => unknown) =>
  Schema.String.check(Schema.makeFilter((text) => isReadable(() => decode(text))))

/** The failure of a request for a foreign record itself. */
export class RecordForeign extends StoreRefusal {
  readonly table: string
  readonly id: string

  constructor(table: string, id: string) {
    super("The database", `this program did not write ${nameOfRecord(table, id)}. Delete it`)
    this.table = table
    this.id = id
  }
}

export const refuseListing = (store: string): StoreUnavailable =>
  new StoreUnavailable({
    reason: `this program did not write more than ${maxForeign} records of ${store}. Delete them: the log names some`
  })

/** Maximum number of foreign records that a listing leaves out. */
export const maxForeign = 5_000

const nameOfRecord = (store: string, id: string): string =>
  `${/^[\w:/.-]{1,100}$/u.test(id) ? id : JSON.stringify(id.slice(0, 100))} in ${store}`

/** Maximum number of remembered names: who can write one record can write millions. */
const maxNames = 1_000

/** Maximum number of names in one message. */
const maxNamed = 20

const none: ReadonlyArray<string> = []
