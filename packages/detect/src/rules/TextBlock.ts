/** Scans multi-line string literals with settings as settings files. */
import { matchAt } from "../text/MatchAt.ts"
import type { Source } from "../text/Source.ts"
import { longLiteralAt } from "../text/StringLiteral.ts"
import type { Report, Rule } from "./Rule.ts"

export const textBlocks: Rule = {
  id: "text-block",
  keywords: ['"""', "'''", "`\n", "`\r\n", "`[", '@"\n', '@"\r\n', "[[\n", "[=[\n", '#"\n', 'r"('],
  find: (source, start, end, report) => {
    const { kind } = source
    if (kind.format !== "code") return end
    const opened = blockAt(source, start)
    if (opened === undefined) return end
    const line = source.lineBefore(start, 80)
    const isFirst = /^[ \t]*[a-z]{0,2}$/i.test(line)
    const before = isFirst ? source.before(start, 200) : line
    if (!(isFirst ? isArgument : isValue).test(before) || documentation.test(before)) return end
    reportBlock(source, opened.from, opened.block.replace(margin, "$1 "), report)
    return opened.from + opened.block.length
  }
}

/** The content of a literal, at the same offsets as in the text. */
interface Block {
  readonly from: number
  readonly block: string
}

const blockAt = ({ kind, text }: Source, start: number): Block | undefined => {
  const long = longLiteralAt(text, start, kind)
  if (long !== undefined) return { from: long.from, block: text.slice(long.from, long.to) }
  const mark = text.charAt(start)
  if (mark === "@") return verbatimAt(text, start + 2)
  if (mark !== '"' && mark !== "'" && mark !== "`") return undefined
  const quotes = mark === "`" ? mark : text.slice(start, start + 3)
  const from = start + quotes.length
  const rest = text.slice(from, from + maxBlock)
  const length = rest.indexOf(quotes)
  return length < 0 ? undefined : { from, block: rest.slice(0, length) }
}

/** A verbatim string of C#, `@"…"`, in which quotes are doubled. */
const verbatimAt = (text: string, from: number): Block | undefined => {
  const written = matchAt(verbatim, text.slice(from, from + maxBlock), 0)?.[0]
  if (written === undefined) return undefined
  // Replaces each pair by a quote and a space, which keeps offsets. The space precedes an opening quote and follows a
  // closing one.
  let pairs = 0
  return { from, block: written.replaceAll('""', () => (pairs++ % 2 === 0 ? ' "' : '" ')) }
}

const verbatim = /(?:[^"]|"")*(?=")/y

/** Scans here documents with settings in Ruby, Perl, PHP or Terraform: `<<~YAML`, `<<"EOT"`, `<<<'EOT'`. */
export const hereDocuments: Rule = {
  id: textBlocks.id,
  keywords: ["<<"],
  find: (source, start, end, report) => {
    const { kind, text } = source
    const match = withHereDocuments.test(kind.name) ? matchAt(hereDocument, text, start) : null
    const from = match === null ? 0 : source.lineEnd(start) + 1
    if (match === null || from > text.length) return end
    const to = endOfHereDocument(source, match[2] ?? "", from)
    if (to === undefined) return end
    const line = source.lineBefore(start, 80)
    if (!documentation.test(line)) reportBlock(source, from, text.slice(from, to), report)
    return to
  }
}

const withHereDocuments = /\.(?:rb|rake|ru|gemspec|cr|pl|pm|php|phtml|tf|hcl|nomad)$/
const hereDocument = /<<<?[~-]?[ \t]?(["']?)([A-Za-z_]\w{1,40})\1/y

/** Offset of the closing line; undefined if there is none, or after `maxUnended` labels without an end. */
const endOfHereDocument = (source: Source, label: string, from: number): number | undefined => {
  const unended = unendedLabels.get(source) ?? new Set<string>()
  unendedLabels.set(source, unended)
  if (unended.has(label) || unended.size >= maxUnended) return undefined
  const end = new RegExp(String.raw`^[ \t]*${label}\b`, "gm")
  end.lastIndex = from
  const at = end.exec(source.text)?.index
  if (at === undefined) unended.add(label)
  return at === undefined || at - from > maxBlock ? undefined : at
}

/** Labels without an end: for each, the text was searched to its end, and must not be searched again. */
const unendedLabels = new WeakMap<Source, Set<string>>()
const maxUnended = 8

const reportBlock = (source: Source, from: number, block: string, report: Report) => {
  const name = nameOf(block)
  if (name === undefined) return
  for (const finding of source.within(block, name)) {
    report({ ...finding, start: from + finding.start, end: from + finding.end })
  }
}

/** The text before a literal that is used as a value; other literals are documentation. */
const isValue = /[\w)\]"'][ \t]*(?:=>?|:|\(|,|\breturn)[ \t]{0,8}\(?[ \t]{0,8}(?:[frbFRB$]{0,2}|~[sS])$/
/** The text before a literal on its own line that is an argument or the value of the line above. */
const isArgument = /[=(,[{+]\s{0,80}[frb]{0,2}$/i
/** Names of variables for documentation, such as in modules of Ansible. */
const documentation = /doc|example|usage|help|return_?s?\b|epilog|descr|readme|banner/i

/** The margin of each line that Scala and Kotlin strip. */
const margin = /^([ \t]*)\|/gm

const maxBlock = 100_000

/** A file name for the format of the block, or of three quarters of its lines; undefined if they are not settings. */
const nameOf = (block: string): string | undefined => {
  if (/^\s*#!\S{0,40}\b(?:ba|da|k|z)?sh\b/.test(block)) return "block.sh"
  if (/^\s*[{[]\s*["{[][^]*[\]}]\s*$/.test(block)) return "block.json"
  if (/^\s*<[?\w][^]*>\s*$/.test(block)) return "block.xml"
  const lines = block
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && line !== "\\" && !/^[#;]/.test(line))
  if (lines.length === 0) return undefined
  const isMost = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length * 4 >= lines.length * 3
  if (isMost(/^(?:\[[\w.: -]{1,80}\]|(?:export )?[\w.-]{1,80}[ \t]*=[ \t]*\S)/)) return "block.ini"
  if (isMost(/^(?:-[ \t]+)?["']?[\w.-]{1,80}["']?:(?:[ \t]|$)|^-[ \t]/)) return "block.yaml"
  return undefined
}
