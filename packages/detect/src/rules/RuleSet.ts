/** Runs many rules over a text in one pass: searches for all keywords at once, and calls each rule only at its own. */
import { pathOfOriginal } from "../text/FileKind.ts"
import { literals } from "../text/Literals.ts"
import type { Finding, Source } from "../text/Source.ts"
import { confidenceOf } from "../scoring/Confidence.ts"
import type { Report, Rule } from "./Rule.ts"

export interface RuleSet {
  /** Findings in no particular order; they may overlap. */
  findIn(source: Source): ReadonlyArray<Finding>
}

/** Files in which the sign has to be doubled, because a single one begins a variable or a format. */
const doubledSigns: ReadonlyArray<readonly [files: RegExp, sign: string]> = [
  [/^(?:docker-)?compose[\w.-]*\.ya?ml$/, "$"],
  [/^(?:alembic|airflow|supervisord?)\b.*\.(?:ini|cfg|conf)$|\.(?:service|bat|cmd)$/, "%"]
]

/** Keyword matches between two checks of the time limit: a power of two, minus one. */
const callsBetween = 255

export const makeRuleSet = (rules: ReadonlyArray<Rule>, score = confidenceOf): RuleSet => {
  const keywords = [...new Set(rules.flatMap((rule) => rule.keywords.map((keyword) => keyword.toLowerCase())))]
  const indexOf = new Map(keywords.map((keyword, index) => [keyword, index]))
  const rulesOf = keywords.map((): Array<number> => [])
  rules.forEach((rule, index) => {
    for (const keyword of rule.keywords) rulesOf[indexOf.get(keyword.toLowerCase()) ?? 0]?.push(index)
  })
  const lengths = keywords.map(({ length }) => length)
  // Rule objects differ in shape; separate arrays are faster to read.
  const ids = rules.map(({ id }) => id)
  const finds = rules.map(({ find }) => find)
  const withoutKeywords = rules.filter((rule) => rule.keywords.length === 0)
  const ofEveryPath = withoutKeywords.filter(({ path }) => path === undefined)
  // One expression for all path rules: most paths match none.
  const ofSomePath = new RegExp(withoutKeywords.flatMap(({ path }) => path?.source ?? []).join("|") || "(?!)")
  const withoutKeywordsIn = (path: string) => {
    const lower = path.toLowerCase()
    return ofSomePath.test(lower) ? withoutKeywords.filter((rule) => rule.path?.test(lower) !== false) : ofEveryPath
  }
  /** Built at the first use: it takes long, and a program may use only one of several sets. */
  let prefilter: ReturnType<typeof literals> | undefined
  return {
    findIn: (source) => {
      const found: Array<Finding> = []
      let rule = ""
      const sign = doubledSigns.find(([files]) => files.test(source.kind.name))?.[1] ?? ""
      const report: Report = (match) => {
        if ("confidence" in match) {
          found.push(match)
          return match.confidence
        }
        const { end, kind = "password", start } = match
        const confidence = score(source, match)
        const value = sign === "" ? match.value : match.value.split(sign + sign).join(sign)
        if (confidence > 0) found.push({ value, kind, rule, confidence, start, end })
        return confidence
      }
      for (const each of withoutKeywordsIn(pathOfOriginal(source.path))) {
        rule = each.id
        each.find(source, 0, 0, report)
      }
      const resume = new Int32Array(rules.length)
      let calls = 0
      let isLate = false
      const call = (keyword: number, end: number) => {
        // Checking the time at every keyword would cost more than most rules.
        if ((++calls & callsBetween) === 0) isLate ||= source.isLate()
        if (isLate) return
        const start = end - (lengths[keyword] ?? 0)
        for (const index of rulesOf[keyword] ?? []) {
          const find = finds[index]
          const from = resume[index] ?? 0
          if (find === undefined || start < from) continue
          rule = ids[index] ?? ""
          resume[index] = Math.max(from, find(source, start, end, report))
        }
      }
      prefilter ??= literals(keywords)
      prefilter.scan(source.text, call, source.bytes)
      return found
    }
  }
}
