/** The rows that every measurement prints: ours and a peer's, measured in the same run, and the target. */

export interface Row {
  readonly what: string
  readonly ours: string
  /** The peer and its figure, or why there is none. */
  readonly peer: string
  /** How the two compare, for example `1.24 times as fast`. */
  readonly ratio: string
  readonly target: string
  readonly reached: boolean | "not measured"
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** The smallest value that at least `share` (0 to 1) of the values do not exceed. */
export const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

/** A Markdown table, so that results can be pasted unchanged. */
export const printTable = (title: string, rows: ReadonlyArray<Row>): void => {
  const cells = [
    ["what", "ours", "compared with", "ratio", "target", ""],
    ...rows.map(({ what, ours, peer, ratio, target, reached }) => [
      what,
      ours,
      peer,
      ratio,
      target,
      reached === "not measured" ? "not measured" : reached ? "reached" : "fell short"
    ])
  ]
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: ReadonlyArray<string>) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`
  const [head = [], ...body] = cells
  console.log(`\n### ${title}\n`)
  console.log([line(head), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...body.map(line)].join("\n"))
}
