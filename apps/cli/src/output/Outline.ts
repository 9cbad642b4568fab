/** Formats a JSON value for people: one line per member, nested members indented, empty ones omitted. */
import * as Predicate from "effect/Predicate"
import { printable } from "./Output.ts"

export const outline = (value: unknown): ReadonlyArray<string> => {
  const lines: Array<string> = []
  write(value, "", lines)
  return lines
}

const write = (value: unknown, indent: string, lines: Array<string>): void => {
  if (Array.isArray(value)) {
    for (const item of value) writeNamed(`${indent}-`, item, indent, lines)
  } else if (Predicate.isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (!isEmpty(member)) writeNamed(`${indent}${printable(name)}:`, member, indent, lines)
    }
  }
}

const writeNamed = (head: string, value: unknown, indent: string, lines: Array<string>): void => {
  if (typeof value === "object" && value !== null) {
    lines.push(head)
    return write(value, `${indent}  `, lines)
  }
  const [first = "", ...rest] = String(value).split("\n")
  if (rest.length === 0) lines.push(`${head} ${printable(first)}`)
  else lines.push(head, ...[first, ...rest].map((line) => `${indent}  ${printable(line)}`))
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === "" ||
  (typeof value === "object" && Object.keys(value).length === 0)
