/** The table of settings of README.md, as the contributions describe them. */
import { settings } from "../src/Contributions.ts"
import type { SettingContribution } from "../src/editor/Contribution.ts"

const allSettings: ReadonlyArray<readonly [string, SettingContribution]> = Object.entries(settings)

/** The README with its table of settings written anew, between `<!-- settings -->` and `<!-- /settings -->`. */
export const withSettings = (readme: string): string => {
  const between = /(<!-- settings -->\n)[^]*(<!-- \/settings -->)/u
  if (!between.test(readme)) throw new Error("README.md has no place for the table of settings")
  return readme.replace(between, (_, start: string, end: string) => `${start}\n${table(rows)}\n\n${end}`)
}

const rows = [
  ["Setting", "Default", "Description"],
  ...allSettings.map(([name, { description, schema }]) => [
    `\`threatExposure.${name}\``,
    `\`${JSON.stringify(schema["default"])}\``,
    description.en
  ])
]

/** Its columns padded, as the formatter writes them. */
const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const [head = [], ...body] = rows
  const widths = head.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)))
  const line = (cells: ReadonlyArray<string>) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n")
}
