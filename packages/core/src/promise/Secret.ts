/**
 * A secret that is not revealed by accident: printing, serializing and cloning do not show the value. Two secrets are
 * equal only if they are the same object.
 */
export class Secret {
  readonly #value: string

  static {
    // Without this, Effect compares objects by their fields, and any two secrets would be equal.
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

  /** Returns the value. */
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
