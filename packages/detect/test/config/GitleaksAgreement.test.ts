/**
 * Rule files of other scanners load here, and find the same as those programs.
 *
 * The files come from the Go module proxy, and the programs from PATH, `GITLEAKS` or `BETTERLEAKS`. A missing one is
 * skipped. `SHOW_DIFFERENCES` lists findings of only one side.
 */
import { assert, describe, it } from "@effect/vitest"
import { loadGitleaksConfig } from "@threat-exposure/detect/config/GitleaksConfig"
import { makeRuleSet } from "@threat-exposure/detect/rules/RuleSet"
import { fileKind } from "@threat-exposure/detect/text/FileKind"
import { makeSource } from "@threat-exposure/detect/text/Source"
import { Effect } from "effect"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { matchesOf } from "./matchesOf.ts"
import { entriesOf, output, type RuleEntry, rulesOf, sources } from "./ruleFiles.ts"

interface Sample {
  readonly rule: string
  readonly path: string
  readonly text: string
}

describe.each(sources)("$program $version", (source) => {
  const toml = rulesOf(source)
  const program = programOf(source.program)

  it.effect.skipIf(toml === undefined)("loads, and finds what the program finds in generated matches", () =>
    Effect.gen(function* () {
      const unusable: Array<string> = []
      const config = yield* loadGitleaksConfig((path) => Effect.succeed(path === ".gitleaks.toml" ? toml : undefined), {
        warn: (reason, sentence) => reason === "config-unusable" && unusable.push(sentence)
      })
      assert(config !== undefined)
      assert.deepStrictEqual(unusable, [])
      const rules = entriesOf(toml ?? "")
      const samples = rules.flatMap(samplesOf)
      const set = makeRuleSet(config.rules)
      const ours = new Set<string>()
      for (const { path, text } of samples) {
        const file = makeSource(text, path, fileKind(path), () => [])
        for (const finding of config.allowsPath(path) ? [] : set.findIn(file)) {
          const rule = finding.rule.slice("gitleaks/".length)
          // The program drops findings of its general rule that coincide with a specific one.
          const isSecond = rule === general && !path.startsWith(`${general}/`)
          if (!isSecond && !config.allows(file, finding)) ours.add(`${path} ${rule} ${finding.value}`)
        }
      }
      const theirs = program === undefined ? undefined : findingsOf(program, toml ?? "", samples)
      const both = [...ours].filter((finding) => theirs?.has(finding)).length
      const differences =
        theirs === undefined
          ? [...ours]
          : [
              ...[...ours].filter((finding) => !theirs.has(finding)).map((finding) => `+ ${finding}`),
              ...[...theirs].filter((finding) => !ours.has(finding)).map((finding) => `- ${finding}`)
            ]
      const agreement =
        theirs === undefined
          ? `${ours.size} findings; the program is not here`
          : `${both} findings of both, ${ours.size - both} of ours only, ${theirs.size - both} of theirs only`
      const table = `${source.program} ${source.version}: ${rules.length} rules, ${samples.length} texts, ${agreement}`
      // oxlint-disable-next-line no-console -- the table of agreement
      console.log([table, ...(process.env["SHOW_DIFFERENCES"] === undefined ? [] : differences)].join("\n"))
      assert.isAtLeast(ours.size, samples.length * 0.8)
      if (theirs !== undefined) assert.deepStrictEqual(differences, [])
    })
  )
})

const textsPerRule = 5
const general = "generic-api-key"

const samplesOf = ({ id, path, regex, skipReport }: RuleEntry): ReadonlyArray<Sample> =>
  regex === undefined || skipReport === true
    ? []
    : matchesOf(regex, textsPerRule).map((match, index) => {
        const name = path === undefined ? "a.txt" : (matchesOf(path, 1)[0] ?? "").replace(/^\/+/, "")
        return { rule: id, path: `${id}/${index}/${name}`, text: `${match}\n` }
      })

function programOf(name: string): string | undefined {
  const program = process.env[name.toUpperCase()] ?? name
  return output(program, ["--help"]) === undefined ? undefined : program
}

/** Findings as path, rule and secret. */
const findingsOf = (program: string, toml: string, samples: ReadonlyArray<Sample>): ReadonlySet<string> => {
  const folder = mkdtempSync(join(tmpdir(), "agreement-"))
  try {
    const tree = join(folder, "tree")
    const config = join(folder, "rules.toml")
    const report = join(folder, "report.json")
    for (const { path, text } of samples) {
      mkdirSync(dirname(join(tree, path)), { recursive: true })
      writeFileSync(join(tree, path), text)
    }
    writeFileSync(config, toml)
    const options = `--config ${config} --report-format json --report-path ${report} --exit-code 0 --max-decode-depth 0`
    output(program, ["dir", tree, ...options.split(" ")])
    const findings: ReadonlyArray<Record<string, string>> = JSON.parse(readFileSync(report, "utf8"))
    return new Set(
      findings
        .map(({ File = "", RuleID = "", Secret }) => ({
          path: File.slice(File.lastIndexOf("/tree/") + 6),
          RuleID,
          Secret
        }))
        .filter(({ path, RuleID }) => RuleID !== general || path.startsWith(`${general}/`))
        .map(({ path, RuleID, Secret }) => `${path} ${RuleID} ${Secret}`)
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}
