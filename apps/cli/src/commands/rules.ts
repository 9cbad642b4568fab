import { ruleNames } from "@threat-exposure/detect/rules/RuleNames"
import { replacementFor } from "@threat-exposure/leak-check/report/Advice"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { textArgument } from "../request/Flags.ts"
import { printListing, printRecord } from "../request/Listing.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"

interface RuleDetails {
  readonly rule: string
  readonly finds: string
  /** How to replace such a secret. */
  readonly advice: string
}

const detailsOf = (rule: string, finds: string): RuleDetails => ({ rule, finds, advice: replacementFor(rule) })

const list = Command.make("list", {}, () =>
  printListing(
    {
      found: Object.entries(ruleNames).toSorted(([a], [b]) => (a < b ? -1 : 1)),
      hasMore: false,
      unreadable: 0
    },
    {
      noun: "rule",
      columns: [
        { title: "RULE", rank: 0 },
        { title: "FINDS", rank: 0, isFlexible: true }
      ],
      shownOf: ([rule, finds]) => detailsOf(rule, finds),
      rowOf: (_, row) => row
    }
  )
).pipe(
  Command.withDescription("List every rule and what it finds. Needs no service"),
  Command.withExamples([
    { command: "threat-exposure rules list", description: "As a table" },
    { command: "threat-exposure rules list --json", description: "With the advice of each, one JSON object a line" }
  ])
)

const get = Command.make(
  "get",
  { rule: textArgument("RULE", "The rule, as rules list shows it") },
  Effect.fnUntraced(function* ({ rule }) {
    const finds = Object.hasOwn(ruleNames, rule) ? ruleNames[rule] : undefined
    if (finds === undefined) {
      return yield* new UsageInvalid({ message: `There is no rule "${rule}": rules list shows all of them` })
    }
    yield* printRecord(detailsOf(rule, finds))
  })
).pipe(
  Command.withDescription("Show one rule: what it finds, and how such a secret is replaced"),
  Command.withExamples([{ command: "threat-exposure rules get provider/github", description: "Of GitHub's tokens" }])
)

export const rules = Command.make("rules").pipe(
  Command.withDescription("Show the rules that find secrets"),
  Command.withSubcommands([list, get])
)
