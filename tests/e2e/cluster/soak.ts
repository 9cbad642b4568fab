/**
 * `npm run soak -- [--rounds 20] [--rows 100000] [--frozen 60] [--killed 5]`: the faults of FaultRounds.ts, at length. The
 * exit code is 1 if anything was lost, half done, or answered with another error than 503.
 */
import { parseArgs } from "node:util"
import { runFaults } from "./FaultRounds.ts"

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    rows: { type: "string", default: "100000" },
    frozen: { type: "string", default: "60" },
    killed: { type: "string", default: "5" }
  }
})
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))

const startedAt = performance.now()
const elapsed = () => `${Math.round((performance.now() - startedAt) / 1_000)} s`
const result = await runFaults({
  rounds: Number(values.rounds),
  rows: Number(values.rows),
  frozenFor: Number(values.frozen),
  killedFor: Number(values.killed),
  onFault: (round, kind, { faults, work: { creates, listings, loads } }) => {
    const bad = Object.values(faults).reduce((sum, count) => sum + count, 0)
    console.log(
      `${elapsed()}: round ${round + 1} of ${values.rounds}, ${kind}: ${loads} loads, ${creates} creates, ${listings} listings, ${bad} faults`
    )
  }
})
if ("missing" in result) {
  console.error(result.missing)
  process.exitCode = 1
} else {
  const { complaints, faults, work } = result
  for (const complaint of complaints) console.error(complaint)
  const rows = Object.entries({ ...work, ...faults })
  console.log(`\n${elapsed()}\n\n| counted | |\n| --- | ---: |`)
  for (const [what, count] of rows) console.log(`| ${what} | ${count} |`)
  process.exitCode = Object.values(faults).some((count) => count > 0) ? 1 : 0
}
