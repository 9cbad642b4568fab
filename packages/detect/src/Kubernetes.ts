/** The values of a Kubernetes Secret, decoded. */
import { isEncrypted, isPlaceholder, isReference, isWeak } from "./Placeholder.ts"
import { rarity } from "./Rarity.ts"
import type { Detector, Finding, Source } from "./Source.ts"
import { decodeBase64 } from "./Structures.ts"

export const kubernetesSecrets: Detector = {
  literals: ["kind: secret", '"kind": "secret"', '"kind":"secret"', 'kind: "secret"'],
  at: (source, start, end, report) => {
    const { kind, text } = source
    if (/\w/.test(text.charAt(end))) return end
    if (kind.format === "json") {
      for (const match of text.matchAll(/"(data|stringData)"\s*:\s*\{([^{}]*)\}/g)) {
        for (const entry of (match[2] ?? "").matchAll(/"[\w.-]+"\s*:\s*"([^"]*)"/g)) {
          const value = entry[1] ?? ""
          const at = match.index + match[0].indexOf("{") + 1 + entry.index + entry[0].lastIndexOf(value)
          one(source, match[1] === "data", value, at, report)
        }
      }
      return text.length
    }
    const from = documentStart(text, start)
    const to = documentEnd(text, end)
    let block: "data" | "stringData" | undefined
    let at = from
    for (const line of text.slice(from, to).split("\n")) {
      const top = /^(\w+):/.exec(line)?.[1]
      if (top !== undefined) block = top === "data" || top === "stringData" ? top : undefined
      else if (block !== undefined) {
        const entry = /^\s+["']?[\w.-]+["']?:\s+(["']?)([^\s"'#|>][^"'#\r]*)\1\s*(?:#.*)?$/.exec(line)
        const value = entry?.[2]?.trim() ?? ""
        if (value !== "") one(source, block === "data", value, at + line.lastIndexOf(value), report)
      }
      at += line.length + 1
    }
    return to
  }
}

const one = (source: Source, encoded: boolean, written: string, start: number, report: (finding: Finding) => void) => {
  if (isReference(written) || isEncrypted(written)) return
  const value = encoded ? decodeBase64(written)?.trimEnd() : written
  if (value === undefined || value.length < 4 || value.includes("-----BEGIN CERT")) return
  const ordinary =
    isPlaceholder(value) ||
    isReference(value) ||
    (/^(?:[\w.-]+|https?:\/\/[^@]*)$/.test(value) && rarity(value) < 0.3 && !/\d/.test(value))
  report({
    value,
    kind: value.includes("PRIVATE KEY-----") ? "private-key" : "generic-secret",
    rule: "kubernetes-secret",
    confidence: Math.max(
      0,
      (ordinary ? 0.3 : isWeak(value) ? 0.5 : rarity(value) >= 0.5 ? 0.9 : 0.7) - (source.kind.madeUp ? 0.25 : 0)
    ),
    start,
    end: start + written.length
  })
}

const documentStart = (text: string, at: number): number => {
  const before = text.lastIndexOf("\n---", at)
  return before < 0 ? 0 : text.indexOf("\n", before + 1) + 1
}

const documentEnd = (text: string, at: number): number => {
  const after = text.indexOf("\n---", at)
  return after < 0 ? text.length : after
}
