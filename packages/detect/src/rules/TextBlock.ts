/** Settings between triple quotes, or in a template literal of several lines: read as a file of settings. */
import type { Rule } from "./Rule.ts"

export const textBlocks: Rule = {
  id: "text-block",
  keywords: ['"""', "'''", "`\n", "`\r\n"],
  find: (source, start, end, report) => {
    const { kind, text } = source
    if (kind.format !== "code") return end
    const quotes = text.charAt(start) === "`" ? "`" : text.slice(start, start + 3)
    const line = text.slice(Math.max(source.lineStart(start), start - 80), start)
    const isFirst = /^[ \t]*[a-z]{0,2}$/i.test(line)
    const before = isFirst ? text.slice(Math.max(0, start - 200), start) : line
    if (!(isFirst ? isArgument : isValue).test(before) || documentation.test(before)) return end
    const from = start + quotes.length
    const block = text.slice(from, from + maxBlock)
    const length = block.indexOf(quotes)
    if (length < 0) return end
    const name = nameOf(block.slice(0, length))
    if (name !== undefined) {
      for (const finding of source.within(block.slice(0, length), name)) {
        report({ ...finding, start: from + finding.start, end: from + finding.end })
      }
    }
    return from + length + quotes.length
  }
}

/** A text that follows nothing is documentation. */
const isValue = /[\w)\]"'][ \t]*(?:=>?|:|\(|,|\breturn)[ \t]{0,8}\(?[ \t]{0,8}[frbFRB]{0,2}$/
/** On a line of its own, an argument or the value of the line above. */
const isArgument = /[=(,[{+]\s{0,80}[frb]{0,2}$/i
/** Names under which programs keep texts for readers, such as the modules of Ansible. */
const documentation = /doc|example|usage|help|return_?s?\b|epilog|descr|readme|banner/i

const maxBlock = 100_000

/** A name of the format that the block or most of its lines have; undefined where they are no settings. */
const nameOf = (block: string): string | undefined => {
  if (/^\s*[{[]\s*["{[][^]*[\]}]\s*$/.test(block)) return "block.json"
  if (/^\s*<[?\w][^]*>\s*$/.test(block)) return "block.xml"
  const lines = block
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^[#;]/.test(line))
  if (lines.length === 0) return undefined
  const isMost = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length * 4 >= lines.length * 3
  if (isMost(/^(?:\[[\w.: -]{1,80}\]|(?:export )?[\w.-]{1,80}[ \t]*=[ \t]*\S)/)) return "block.ini"
  if (isMost(/^(?:-[ \t]+)?["']?[\w.-]{1,80}["']?:(?:[ \t]|$)|^-[ \t]/)) return "block.yaml"
  return undefined
}
