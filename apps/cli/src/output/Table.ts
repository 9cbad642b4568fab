import { displayWidth, printable, shorten } from "./Output.ts"

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

export interface Column {
  readonly title: string
  /**
   * If the table is wider than the terminal, columns of the highest rank are omitted first; rank 0 is never omitted.
   */
  readonly rank: number
  /** Whether cells may be shortened: not if people copy or compare the values. */
  readonly isFlexible?: boolean
}

export interface TableOptions {
  readonly colors: boolean
  /** Width of a line in characters; undefined if standard output is not a terminal: nothing is shortened or omitted. */
  readonly width: number | undefined
}

/** Makes all cells printable. */
export const table = (
  columns: ReadonlyArray<Column>,
  rows: ReadonlyArray<ReadonlyArray<string | Cell>>,
  { colors, width = Number.POSITIVE_INFINITY }: TableOptions
): ReadonlyArray<string> => {
  const cells = [
    columns.map(({ title }): Cell => ({ text: title, color: "bold" })),
    ...rows.map((row) =>
      row.map((cell): Cell =>
        typeof cell === "string" ? { text: printable(cell) } : { ...cell, text: printable(cell.text) }
      )
    )
  ]
  const widest = (column: number, max = Number.POSITIVE_INFINITY) =>
    cells.reduce((widest, row) => {
      const cell = displayWidth(row[column]?.text ?? "")
      return cell > widest && cell <= max ? cell : widest
    }, 0)
  const last = columns.length - 1
  const wanted: Array<number> = []
  let left = width
  for (const [column, { isFlexible, rank }] of columns.entries()) {
    // In the last column, a value that does not fit beside the columns of rank 0 wraps in any case, so it does not
    // count.
    const max = column === last && rank === 0 && isFlexible !== true ? left : undefined
    wanted.push(widest(column, max))
    if (rank === 0) left -= (wanted[column] ?? 0) + between.length
  }
  const widths = fitCells(columns, wanted, width)
  return cells.map((row) => {
    const shown = row.flatMap((cell, column) => {
      const cellWidth = widths.get(column)
      if (cellWidth === undefined) return []
      const text = columns[column]?.isFlexible === true ? shorten(cell.text, cellWidth) : cell.text
      return [{ ...cell, text, cellWidth }]
    })
    return shown
      .map(({ cellWidth, color, text }, column) => {
        const padding = column === shown.length - 1 ? "" : " ".repeat(cellWidth - displayWidth(text))
        return (colors && color !== undefined ? colored(text, color) : text) + padding
      })
      .join(between)
      .trimEnd()
  })
}

const between = "  "

const minFlexible = 12

/** Widths of the shown columns by position. */
const fitCells = (
  columns: ReadonlyArray<Column>,
  wanted: ReadonlyArray<number>,
  width: number
): ReadonlyMap<number, number> => {
  let shown = columns.map((column, position) => ({ ...column, position, wanted: wanted[position] ?? 0 }))
  for (;;) {
    const fixed = shown.reduce((sum, { isFlexible, wanted }) => sum + (isFlexible === true ? 0 : wanted), 0)
    const flexible = shown.filter(({ isFlexible }) => isFlexible === true)
    const left = width - fixed - between.length * (shown.length - 1)
    const least = flexible.reduce((sum, { wanted }) => sum + Math.min(wanted, minFlexible), 0)
    const last = Math.max(...shown.map(({ rank }) => rank))
    if (left < least && last > 0) {
      shown = shown.filter(({ rank }) => rank !== last)
      continue
    }
    const widths = new Map(shown.map(({ position, wanted }) => [position, wanted]))
    let over = flexible.reduce((sum, { wanted }) => sum + wanted, 0) - Math.max(left, least)
    for (const { position, wanted } of flexible.toSorted((a, b) => b.wanted - a.wanted)) {
      const cut = Math.max(0, Math.min(over, wanted - minFlexible))
      widths.set(position, wanted - cut)
      over -= cut
    }
    return widths
  }
}

export const severityColor = (severity: string): Color | undefined =>
  ({ critical: "red", high: "red", medium: "yellow", low: "blue", info: "dim" } as const)[severity]
