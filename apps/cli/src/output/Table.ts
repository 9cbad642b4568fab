/** A table for a terminal. */
import { displayWidth } from "effect/cli/CliOutput"
import { printable } from "./Output.ts"

export type Color = "red" | "yellow" | "blue" | "dim" | "bold"

const codes: Readonly<Record<Color, readonly [on: number, off: number]>> = {
  red: [31, 39],
  yellow: [33, 39],
  blue: [34, 39],
  dim: [2, 22],
  bold: [1, 22]
}

export const colored = (text: string, color: Color): string =>
  `\u001b[${codes[color][0]}m${text}\u001b[${codes[color][1]}m`

export interface Cell {
  readonly text: string
  readonly color?: Color | undefined
}

/** Cells are made printable; none is cut, so that values can be copied. */
export const table = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string | Cell>>,
  colors: boolean
): ReadonlyArray<string> => {
  const cells = [
    head.map((text): Cell => ({ text, color: "bold" })),
    ...rows.map((row) =>
      row.map((cell): Cell =>
        typeof cell === "string" ? { text: printable(cell) } : { ...cell, text: printable(cell.text) }
      )
    )
  ]
  const widths = head.map((_, column) => Math.max(...cells.map((row) => displayWidth(row[column]?.text ?? ""))))
  return cells.map((row) =>
    row
      .map(({ color, text }, column) => {
        const padding = column === row.length - 1 ? "" : " ".repeat((widths[column] ?? 0) - displayWidth(text))
        return (colors && color !== undefined ? colored(text, color) : text) + padding
      })
      .join("  ")
      .trimEnd()
  )
}

export const severityColor = (severity: string): Color | undefined =>
  ({ critical: "red", high: "red", medium: "yellow", low: "blue", info: "dim" } as const)[severity]
