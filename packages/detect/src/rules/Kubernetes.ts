/** Finds values of a Kubernetes Secret, decoded. */
import { reportWithin } from "./EncodedText.ts"
import { isEncrypted, isPlaceholder, isReference, isSecretsName } from "../scoring/Placeholder.ts"
import type { Source } from "../text/Source.ts"
import { maxValue, unescape } from "../text/StringLiteral.ts"
import type { Report, Rule } from "./Rule.ts"
import { decodeBase64 } from "../text/Base64.ts"

export const kubernetesSecrets: Rule = {
  id: "kubernetes-secret",
  keywords: ["kind: secret", "kind: 'secret", '"kind": "secret"', '"kind":"secret"', 'kind: "secret"'],
  find: (source, start, end, report) => {
    const { kind, text } = source
    if (/\w/.test(text.charAt(end))) return end
    // The output of `kubectl get secret -o json` may be saved under any file name.
    if (kind.format === "json" || text.charAt(start) === '"') {
      for (const match of text.matchAll(/"(data|stringData)"\s*:\s*\{([^{}]*)\}/g)) {
        for (const entry of (match[2] ?? "").matchAll(/"([\w.-]+)"\s*:\s*"([^"]*)"/g)) {
          const value = entry[2] ?? ""
          const at = match.index + match[0].indexOf("{") + 1 + entry.index + entry[0].lastIndexOf(value)
          one(source, match[1] === "data", entry[1] ?? "", value, at, at + value.length, report)
        }
      }
      return text.length
    }
    const { from, lines } = manifest(source, start)
    const column = start - source.lineStart(start)
    let block: "data" | "stringData" | undefined
    let at = from
    for (let index = 0; index < lines.length; index++) {
      const line = lines[index] ?? ""
      const top = key.exec(line.slice(column))?.[1]
      if (top !== undefined) block = top === "data" || top === "stringData" ? top : undefined
      else if (block !== undefined) {
        const [, indent = "", name = "", quote, written = ""] = entry.exec(line) ?? []
        const value = written.trim()
        if (/^[|>][+-]?$/.test(value)) {
          const folded = linesBelow(lines, index + 1, indent.length)
          const below = at + line.length + 1
          const written = folded.join("\n")
          const body = written.trim()
          const begin = below + written.indexOf(body)
          // A text keeps its indentation, so that the place of a value within it is exact.
          const decoded = block === "data" ? body.replace(/\s+/g, "") : body
          one(source, block === "data", name, decoded, begin, begin + body.length, report)
          index += folded.length
          if (folded.length > 0) at = below + written.length - line.length
        } else if (value !== "") {
          const begin = at + line.lastIndexOf(value)
          const plain = quote === '"' ? unescape(value) : value
          one(source, block === "data", name, plain, begin, begin + value.length, report)
        }
      }
      at += line.length + 1
    }
    return Math.max(end, at)
  }
}

/** The literals of a `secretGenerator` of Kustomize. */
export const generatedSecrets: Rule = {
  id: kubernetesSecrets.id,
  keywords: ["secretgenerator:"],
  find: (source, _start, end, report) => {
    const rest = source.text.slice(end, end + maxBefore)
    const generators = rest.slice(0, /\n[A-Za-z]/.exec(rest)?.index)
    for (const { 0: line, 2: name = "", 3: value = "", index } of generators.matchAll(literal)) {
      const start = end + index + line.lastIndexOf(value)
      one(source, false, name, value, start, start + value.length, report)
    }
    return end + generators.length
  }
}

const literal = /^[ \t]*-[ \t]+(["']?)([\w.-]{1,100})=([^\s"'#$][^\s"']{2,511})\1[ \t]*\r?$/gm
const key = /^["']?(\w+)["']?:/
const entry = /^(\s+)["']?([\w.-]+)["']?:\s+(["']?)([^\s"'#][^"'#\r]*)\3\s*(?:#.*)?$/

/** The lines of a block, from an index on, that are indented further than its key. */
const linesBelow = (lines: ReadonlyArray<string>, from: number, indent: number): ReadonlyArray<string> => {
  const isFurtherIn = (line: string) => line.trim() === "" || line.length - line.trimStart().length > indent
  let to = from
  while (to < lines.length && isFurtherIn(lines[to] ?? "")) to++
  return lines.slice(from, to)
}

/** The lines of the object that the key at `at` belongs to; it may be an item of a list. */
const manifest = ({ lineEnd, lineStart, text }: Source, at: number) => {
  const own = lineStart(at)
  const column = at - own
  const opens = (line: string) => column >= 2 && /^\s*- *$/.test(line.slice(0, column))
  const belongs = (line: string) =>
    !line.startsWith("---") && (/^\s*(?:$|#|\{\{)/.test(line) || line.slice(0, column).trim() === "")
  const lines = [text.slice(own, lineEnd(at))]
  let from = own
  while (from > 0 && own - from < maxBefore && !opens(lines.at(-1) ?? "")) {
    const before = from < 2 ? 0 : text.lastIndexOf("\n", from - 2) + 1
    const line = text.slice(before, from - 1)
    if (!opens(line) && !belongs(line)) break
    lines.push(line)
    from = before
  }
  lines.reverse()
  for (let next = lineEnd(at) + 1; next <= text.length; next = lineEnd(next) + 1) {
    const line = text.slice(next, lineEnd(next))
    if (!belongs(line)) break
    lines.push(line)
  }
  return { from, lines }
}

/** Maximum number of characters of an object before its `kind`. */
const maxBefore = 64_000

const one = (
  source: Source,
  encoded: boolean,
  name: string,
  written: string,
  start: number,
  end: number,
  report: Report
) => {
  const isLong = written.length > maxValue
  // The expressions of placeholders and references are made for values of usual length.
  if (!isLong && (isReference(written) || isEncrypted(written))) return
  const value = encoded ? decodeBase64(written)?.trimEnd() : written
  // Another rule finds private keys, also base64-encoded ones.
  if (value === undefined || value.length < 4 || value.startsWith("-----BEGIN ")) return
  // Some people also encode the values of `stringData`.
  const behind = encoded ? undefined : decodeBase64(value)?.trim()
  const isText = /\n|:\/\/|^[[{]\s*["{]/.test(value)
  if (isText && reportWithin(source, value, name, start, end, report)) return
  if (isText || isLong || (behind !== undefined && (isPlaceholder(behind) || isSecretsName(behind)))) return
  report({ form: "kubernetes", value, kind: "generic-secret", start, end })
}
