/** A value that must never be seen by accident: it prints, serialises and clones as nothing. */
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

/** How a request is given a secret: as text, or as the object that came out of an answer. */
export type SecretInput = string | { reveal(): string }
