/**
 * `npm run soak -- [--rounds 20] [--rows 100000] [--frozen 60] [--killed 5]`: the faults of FaultRounds.ts, at length. The
 * exit code is 1 if anything was lost, half done, or answered with another error than 503.
 */
import { argumentsOf, refuse } from "@threat-exposure/tools/Arguments"
import { setup } from "../../build.ts"
import { runFaults } from "./FaultRounds.ts"
import type { FaultCounts } from "./FaultyCluster.ts"

const usage = "npm run soak -- [--rounds 20] [--rows 100000] [--frozen 60] [--killed 5]"
const { values } = argumentsOf(usage, {
  options: {
    rounds: { type: "string", default: "20" },
    rows: { type: "string", default: "100000" },
    frozen: { type: "string", default: "60" },
    killed: { type: "string", default: "5" }
  }
})
for (const [name, value] of Object.entries(values)) {
  if (!/^[1-9]\d{0,8}$/u.test(value)) refuse(`--${name} takes a number from 1, not '${value}'`, `Usage: ${usage}`)
}
setup()
const startedAt = performance.now()
const elapsed = () => `${Math.round((performance.now() - startedAt) / 1_000)} s`

const printTable = ({ complaints, faults, work }: FaultCounts): void => {
  for (const complaint of complaints) console.error(complaint)
  console.log(`\n| in ${elapsed()} | |\n| --- | ---: |`)
  for (const [what, count] of Object.entries({ ...work, ...faults })) console.log(`| ${what} | ${count} |`)
}

let latest: FaultCounts | undefined
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    if (latest !== undefined) printTable(latest)
    process.exit(130)
  })
}

const result = await runFaults({
  rounds: Number(values.rounds),
  rows: Number(values.rows),
  frozenFor: Number(values.frozen),
  killedFor: Number(values.killed),
  onFault: (round, kind, counts) => {
    latest = counts
    const { creates, listings, loads } = counts.work
    const bad = Object.values(counts.faults).reduce((sum, count) => sum + count, 0)
    console.log(
      `${elapsed()}: round ${round + 1} of ${values.rounds}, ${kind}: ${loads} loads, ${creates} creates, ${listings} listings, ${bad} faults`
    )
  }
})
if ("missing" in result) {
  console.error(result.missing)
  process.exitCode = 1
} else {
  printTable(result)
  process.exitCode = Object.values(result.faults).some((count) => count > 0) ? 1 : 0
}
