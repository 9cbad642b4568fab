/**
 * Demos and tests put these secrets, which the sample contains as leaked, into a repository. They are not valid
 * anywhere. Those in a provider's format are assembled at run time, so that no file of the repository contains them.
 */
import { digits, SeededRandom, lower, upper } from "./SeededRandom.ts"

export interface LeakedSecret {
  readonly name: string
  readonly value: string
  /** A description for people. */
  readonly kind: string
  /** The kinds of sample data that contain the secret. A search for the secret finds each of them. */
  readonly seenIn: ReadonlyArray<"credentials" | "leaked_credential" | "stealer_log" | "paste" | "source_code_files">
}

const random = new SeededRandom(20_260_401)

export const leakedSecrets = {
  accessKeyId: {
    name: "AWS_ACCESS_KEY_ID",
    value: ["AK", "IA", random.text(`${upper}234567`, 16)].join(""),
    kind: "access key of a cloud account",
    seenIn: ["credentials", "paste", "stealer_log"]
  },
  secretAccessKey: {
    name: "AWS_SECRET_ACCESS_KEY",
    value: random.text(`${upper}${lower}${digits}${digits}/+`, 40),
    kind: "secret key of a cloud account",
    seenIn: ["credentials", "paste", "stealer_log"]
  },
  sourceHostToken: {
    name: "GITHUB_TOKEN",
    value: ["gh", "p_", random.text(`${upper}${lower}${digits}`, 36)].join(""),
    kind: "token of a source code host",
    seenIn: ["credentials", "source_code_files"]
  },
  databasePassword: {
    name: "DATABASE_PASSWORD",
    value: ["tidal", "Wren", random.text(digits, 4), "harbour!"].join("-"),
    kind: "password of a database",
    seenIn: ["credentials", "leaked_credential", "paste"]
  },
  paymentsToken: {
    name: "PAYMENTS_API_TOKEN",
    value: ["sk", "live", random.text(`${upper}${lower}${digits}`, 32)].join("_"),
    kind: "token of a payments provider",
    seenIn: ["credentials", "source_code_files", "stealer_log"]
  }
} as const satisfies Record<string, LeakedSecret>
