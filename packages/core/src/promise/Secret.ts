/**
 * A secret that cannot be shown by accident: printing, serialising and cloning it do not reveal the value. Two secrets are
 * equal if they are the same object.
 */
export class Secret {
  readonly #value: string

  static {
    // Effect compares objects by their fields, and would find any two secrets equal.
    Object.defineProperties(this.prototype, {
      "~effect/Equal": {
        value(this: Secret, that: unknown) {
          return this === that
        }
      },
      "~effect/Hash": { value: () => 0 }
    })
  }

  constructor(value: string) {
    this.#value = value
  }

  /** The value itself. */
  reveal(): string {
    return this.#value
  }

  toString(): string {
    return "<redacted>"
  }

  toJSON(): string {
    return "<redacted>"
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "<redacted>"
  }
}
