/** The same requests, sent to OpenSearch itself by the least code that can do it. */
import { Pool } from "undici"
import { type Counted, type LoadOrder, takeOrder } from "./LoadProgram.ts"

interface Order extends LoadOrder {
  readonly origin: string
  readonly path: string
}

const run = async ({ bodies, connections, milliseconds, origin, path, warmUp }: Order): Promise<Counted> => {
  const pool = new Pool(origin, { connections })
  const latencies: Array<number> = []
  let failures = 0
  let next = 0
  const measuredFrom = performance.now() + warmUp
  const end = measuredFrom + milliseconds
  const loop = async () => {
    while (performance.now() < end) {
      const sentAt = performance.now()
      const { body, statusCode } = await pool.request({
        method: "POST",
        path,
        headers: { "content-type": "application/json" },
        body: bodies[next++ % bodies.length] ?? ""
      })
      await body.text()
      if (statusCode !== 200) failures += 1
      if (sentAt >= measuredFrom) latencies.push(performance.now() - sentAt)
    }
  }
  await Promise.all(Array.from({ length: connections }, loop))
  return { perSecond: latencies.length / (milliseconds / 1_000), latencies, failures, requests: next }
}

takeOrder(run)
