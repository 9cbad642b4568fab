/**
 * The few secrets that the sample data set knows as leaked: whoever shows a leak check at work plants them in a repository.
 *
 * They open nothing anywhere. Those that look like a provider's tokens are drawn and put together when they are asked for,
 * so that no file of the repository holds one.
 */
import { digits, Draw, lower, upper } from "./Draw.ts"

export interface LeakedSecret {
  /** As an environment file would call it. */
  readonly name: string
  readonly value: string
  /** What it is, in words. */
  readonly kind: string
  /** Where the sample data set has it; each is found by a search for the secret. */
  readonly seenIn: ReadonlyArray<"credentials" | "leaked_credential" | "stealer_log" | "paste" | "source_code_files">
}

const draw = new Draw(20_260_401)

export const leakedSecrets = {
  accessKeyId: {
    name: "AWS_ACCESS_KEY_ID",
    value: ["AK", "IA", draw.text(`${upper}234567`, 16)].join(""),
    kind: "access key of a cloud account",
    seenIn: ["credentials", "paste", "stealer_log"]
  },
  secretAccessKey: {
    name: "AWS_SECRET_ACCESS_KEY",
    value: draw.text(`${upper}${lower}${digits}${digits}/+`, 40),
    kind: "secret key of a cloud account",
    seenIn: ["credentials", "paste", "stealer_log"]
  },
  sourceHostToken: {
    name: "GITHUB_TOKEN",
    value: ["gh", "p_", draw.text(`${upper}${lower}${digits}`, 36)].join(""),
    kind: "token of a source code host",
    seenIn: ["credentials", "source_code_files"]
  },
  databasePassword: {
    name: "DATABASE_PASSWORD",
    value: ["tidal", "Wren", draw.text(digits, 4), "harbour!"].join("-"),
    kind: "password of a database",
    seenIn: ["credentials", "leaked_credential", "paste"]
  },
  paymentsToken: {
    name: "PAYMENTS_API_TOKEN",
    value: ["sk", "live", draw.text(`${upper}${lower}${digits}`, 32)].join("_"),
    kind: "token of a payments provider",
    seenIn: ["credentials", "source_code_files", "stealer_log"]
  }
} as const satisfies Record<string, LeakedSecret>
