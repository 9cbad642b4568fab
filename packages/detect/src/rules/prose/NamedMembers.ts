/** Names the members of JSON data, which may use any of several naming schemes. */
import { passwordInRow } from "./CredentialLines.ts"

export interface NamedMember {
  /** The member's key in an object, or its index in an array. */
  readonly step: string | number
  /** A name that describes the value. */
  readonly name: string
  readonly value: unknown
  /** The account of a password in a row, if any. */
  readonly account?: string | undefined
}

/**
 * The members of an array or an object; empty for any other value. In `{ "name": "DB_PASSWORD", "value": "tiger" }`,
 * the first member names the second. Elements have the name of their array, but the password of a row is named
 * `password`.
 */
export const namedMembers = (
  value: unknown,
  { isRow, name }: { readonly name: string; /** Whether an array is an element of another. */ readonly isRow: boolean }
): ReadonlyArray<NamedMember> => {
  if (Array.isArray(value)) {
    const password = isRow ? passwordInRow(value) : undefined
    return value.map((element: unknown, step) =>
      step === password?.at
        ? { step, name: "password", value: element, account: password.account }
        : { step, name, value: element }
    )
  }
  if (value === null || typeof value !== "object") return []
  const entries: ReadonlyArray<readonly [string, unknown]> = Object.entries(value)
  const title = entries.find(([step, member]) => nameKey.test(step) && typeof member === "string")?.[1]
  return entries.map(([step, member]) => ({
    step,
    name: typeof title === "string" && valueKey.test(step) ? title : step,
    value: member
  }))
}

const nameKey = /^(?:key|name|field|label|variable|property|type|kind)$/i
const valueKey = /^(?:value|val|text|content)$/i
