/**
 * The feed with `--full --changes`, killed at 200 random moments while 100,000 events come in, five in a hundred of them up to
 * 14 days late, and two in a hundred are tagged: what is lost, and what comes twice. `KILLS` and `EVENTS` give other numbers.
 */
import { openSearchCluster } from "@threat-exposure/programs/OpenSearchCluster"
import { feedWithKills } from "@threat-exposure/tests/e2e/cli/FeedKills"
import { createDataStream } from "@threat-exposure/tests/e2e/cli/OpenSearchTargets"
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
  const stream = "missing" in cluster ? undefined : await createDataStream(cluster.urls[0] ?? "", "feed")
  if ("missing" in cluster) console.log(`Without OpenSearch: ${cluster.missing}`)
  const startedAt = performance.now()
  const result = await feedWithKills({
    service: { url: service.address, token: service.token, loadEvents: service.loadEvents },
    program,
    stream,
    events,
    kills,
    maxLife: 4_000,
    isWhole: true,
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
  const { changedBatches, lost, mostRepeatedInFile, repeatedInWebhook, twiceInStream } = result
  printTable(`The feed: ${events} events, ${kills} kills`, [
    row("lost in the file", lost.file, 0),
    row("lost in the webhook", lost.webhook, 0),
    ...(stream === undefined
      ? []
      : [row("lost in the data stream", lost.stream, 0), row("twice in the data stream", twiceInStream, 0)]),
    row("batches repeated in the file per kill", mostRepeatedInFile, 1),
    row("batches changed or unsigned at the webhook", changedBatches, 0)
  ])
  console.log(`${repeatedInWebhook} batches came to the webhook again, with the same id and content`)
} finally {
  await Promise.all([service.stop(), program.remove(), "missing" in cluster ? undefined : cluster.stop()])
}
