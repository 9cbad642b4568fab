/**
 * The feed, killed at 200 random moments while 100,000 events come in, five in a hundred of them up to 14 days late: what is
 * lost, and what comes twice. `KILLS` and `EVENTS` give other numbers.
 */
import { openSearchCluster } from "@threat-exposure/programs/OpenSearchCluster"
import { createIndex, feedWithKills } from "@threat-exposure/tests/e2e/cli/FeedKills"
import { setup } from "@threat-exposure/tests/build"
import { makeProgram } from "@threat-exposure/tests/e2e/cli/Program"
import { startSampleService } from "@threat-exposure/tools/SampleService"
import { printTable } from "./Table.ts"

const kills = Number(process.env["KILLS"] ?? 200)
const events = Number(process.env["EVENTS"] ?? 100_000)

setup()
const cluster = await openSearchCluster()
const service = await startSampleService()
const program = await makeProgram({
  THREAT_EXPOSURE_BASE_URL: service.address,
  THREAT_EXPOSURE_TOKEN: service.token
})
try {
  const index = "missing" in cluster ? undefined : await createIndex(cluster.urls[0] ?? "", "feed")
  if ("missing" in cluster) console.log(`Without OpenSearch: ${cluster.missing}`)
  const startedAt = performance.now()
  const result = await feedWithKills({
    loadEvents: service.loadEvents,
    program,
    index,
    events,
    kills,
    maxLife: 4_000,
    onKill: (kill) => {
      if (kill % 20 === 0) console.log(`${kill} kills, ${Math.round((performance.now() - startedAt) / 1000)} s`)
    }
  })
  const row = (what: string, count: number, most: number) => ({
    what,
    ours: String(count),
    peer: "none",
    ratio: "",
    target: `at most ${most}`,
    reached: count <= most
  })
  const { changedBatches, lost, mostRepeatedInFile, repeatedInWebhook, twiceInIndex } = result
  printTable(`The feed: ${events} events, ${kills} kills`, [
    row("lost in the file", lost.file, 0),
    row("lost in the webhook", lost.webhook, 0),
    ...(index === undefined
      ? []
      : [row("lost in OpenSearch", lost.index, 0), row("twice in OpenSearch", twiceInIndex, 0)]),
    row("batches repeated in the file per kill", mostRepeatedInFile, 1),
    row("batches changed or unsigned at the webhook", changedBatches, 0)
  ])
  console.log(`${repeatedInWebhook} batches came to the webhook again, with the same id and content`)
} finally {
  await Promise.all([service.stop(), program.remove(), "missing" in cluster ? undefined : cluster.stop()])
}
