/** A JSON value for a person to read: one line per member, nested ones indented, without empty ones. */
import * as Predicate from "effect/Predicate"
import { printable } from "./Output.ts"

export const outline = (value: unknown, indent = ""): ReadonlyArray<string> => {
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      const [first = "", ...rest] = outline(item, `${indent}  `)
      return [`${indent}- ${first.trimStart()}`, ...rest]
    })
  }
  if (Predicate.isObject(value)) {
    return Object.entries(value).flatMap(([name, member]) => {
      if (isEmpty(member)) return []
      if (Predicate.isObject(member)) return [`${indent}${printable(name)}:`, ...outline(member, `${indent}  `)]
      const lines = String(member).split("\n")
      return lines.length === 1
        ? [`${indent}${printable(name)}: ${printable(lines[0] ?? "")}`]
        : [`${indent}${printable(name)}:`, ...lines.map((line) => `${indent}  ${printable(line)}`)]
    })
  }
  return [`${indent}${printable(String(value))}`]
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === "" || (Predicate.isObject(value) && Object.keys(value).length === 0)
