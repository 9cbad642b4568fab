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
  const cellWidths = columns.map((_, column) => cells.map((row) => displayWidth(row[column]?.text ?? "")))
  const wanted: Array<number> = []
  let left =
    width + between.length - sum(columns, ({ rank, title }) => (rank === 0 ? title.length + between.length : 0))
  for (const [column, { isFlexible, rank, title }] of columns.entries()) {
    const inColumn = cellWidths[column] ?? []
    // One value from a leak must not make all rows as wide as itself; if it does not fit, it wraps in any case.
    const max =
      isFlexible === true
        ? Number.POSITIVE_INFINITY
        : Math.min(
            Math.max(maxUsual, 2 * medianOf(inColumn)),
            rank === 0 ? Math.max(0, left) + title.length : Number.POSITIVE_INFINITY
          )
    wanted.push(inColumn.reduce((widest, cell) => (cell > widest && cell <= max ? cell : widest), 0))
    if (rank === 0) left -= (wanted[column] ?? 0) - title.length
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
        const padding = column === shown.length - 1 ? "" : " ".repeat(Math.max(0, cellWidth - displayWidth(text)))
        return (colors && color !== undefined ? colored(text, color) : text) + padding
      })
      .join(between)
      .trimEnd()
  })
}

const between = "  "

/** A cell of up to this width, or of twice the median, counts for the width of a column whose cells are not shortened. */
const maxUsual = 40

const medianOf = (widths: ReadonlyArray<number>): number =>
  widths.toSorted((a, b) => a - b)[Math.floor(widths.length / 2)] ?? 0

const sum = <A>(items: ReadonlyArray<A>, valueOf: (item: A) => number): number =>
  items.reduce((total, item) => total + valueOf(item), 0)

const minFlexible = 12

/** Widths of the shown columns by position. */
const fitCells = (
  columns: ReadonlyArray<Column>,
  wanted: ReadonlyArray<number>,
  width: number
): ReadonlyMap<number, number> => {
  let shown = columns.map((column, position) => ({ ...column, position, wanted: wanted[position] ?? 0 }))
  for (;;) {
    const fixed = sum(shown, ({ isFlexible, wanted }) => (isFlexible === true ? 0 : wanted))
    const flexible = shown.filter(({ isFlexible }) => isFlexible === true)
    const left = width - fixed - between.length * (shown.length - 1)
    const least = sum(flexible, ({ wanted }) => Math.min(wanted, minFlexible))
    const last = Math.max(...shown.map(({ rank }) => rank))
    if (left < least && last > 0) {
      shown = shown.filter(({ rank }) => rank !== last)
      continue
    }
    const widths = new Map(shown.map(({ position, wanted }) => [position, wanted]))
    let over = sum(flexible, ({ wanted }) => wanted) - Math.max(left, least)
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
