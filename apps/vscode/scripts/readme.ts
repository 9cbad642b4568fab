/** The tables of README.md: commands, settings and colours, as the contributions describe them. */
import { colors, commands, settings } from "../src/Contributions.ts"
import type { CommandContribution, MenuPlace, SettingContribution } from "../src/editor/Contribution.ts"

const allCommands: ReadonlyArray<readonly [string, CommandContribution]> = Object.entries(commands)
const allSettings: ReadonlyArray<readonly [string, SettingContribution]> = Object.entries(settings)

/** The README with its tables written anew, each between `<!-- name -->` and `<!-- /name -->`. */
export const withTables = (readme: string): string =>
  Object.entries(tables()).reduce((text, [name, rows]) => {
    const between = new RegExp(String.raw`(<!-- ${name} -->\n)[^]*(<!-- /${name} -->)`, "u")
    if (!between.test(text)) throw new Error(`README.md has no place for the table of ${name}`)
    return text.replace(between, (_, start: string, end: string) => `${start}\n${table(rows)}\n\n${end}`)
  }, readme)

const tables = () => ({
  commands: [
    ["Command", "Where"],
    ...allCommands.flatMap(([, { palette, places, title }]) => {
      const menus = new Set(places?.map(({ menu }) => nameOfMenu[menu]))
      const where = [...(palette === false ? [] : ["palette"]), ...menus]
      return where.length === 0 ? [] : [[title.en, where.join(", ")]]
    })
  ],
  settings: [
    ["Setting", "Default", "Description"],
    ...allSettings.map(([name, { description, schema }]) => [
      `\`threatExposure.${name}\``,
      `\`${JSON.stringify(schema["default"])}\``,
      description.en
    ])
  ],
  colors: [
    ["Colour", "Dark", "Light", "High contrast, dark and light"],
    ...Object.entries(colors).map(([name, { dark, highContrast, highContrastLight, light }]) => [
      `\`threatExposure.${name}\``,
      `\`${dark}\``,
      `\`${light}\``,
      `\`${highContrast}\`, \`${highContrastLight}\``
    ])
  ]
})

const nameOfMenu: Readonly<Record<MenuPlace["menu"], string>> = {
  "view/title": "view",
  "view/item/context": "row",
  "editor/context": "editor",
  "explorer/context": "explorer",
  "scm/title": "Source Control"
}

/** Its columns padded, as the formatter writes them. */
const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const [head = [], ...body] = rows
  const widths = head.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)))
  const line = (cells: ReadonlyArray<string>) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n")
}
