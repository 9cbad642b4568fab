import { assert, describe, it } from "@effect/vitest"
import { openSearchJars } from "@threat-exposure/programs/OpenSearchJars"
import { runFaults } from "./FaultRounds.ts"

const jars = await openSearchJars()

describe.skipIf("missing" in jars)("missing" in jars ? jars.missing : "services on a cluster of three nodes", () => {
  // Takes about a minute, mostly for the start of Java processes. `npm run soak` runs longer.
  it("lose nothing and leave nothing half done while nodes and services are killed, frozen and restarted", async () => {
    const counts = await runFaults({ rounds: 1, rows: 2_000, killedFor: 0, frozenFor: 3 })
    if ("missing" in counts) throw new Error(counts.missing)
    const { complaints, faults, work } = counts
    // The number of late answers depends on the machine: the soak counts them.
    for (const [what, count] of Object.entries({ ...faults, late: 0 })) {
      assert.strictEqual(count, 0, `${what}: ${complaints.join("\n")}`)
    }
    assert.isAtLeast(work.creates, 12)
    assert.isAtLeast(work.loads, 8)
    assert.isAbove(work.listings, 40)
  })
})
