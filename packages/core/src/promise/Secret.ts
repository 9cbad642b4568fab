/** A secret that cannot be shown by accident: printing, serialising and cloning it do not reveal the value. */
export class Secret {
  readonly #value: string

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
