/** Sends requests to the service, by default searches of credentials, by the least code that can do it. */
import { connect } from "node:net"
import { AnswerProgress } from "./AnswerProgress.ts"
import { type Counted, type LoadOrder, takeOrder } from "./LoadProgram.ts"

interface Order extends LoadOrder {
  readonly port: number
  /** Method and path. */
  readonly target?: string
  readonly contentType?: string
  readonly token: string
  /** Milliseconds that each connection waits before its next request. */
  readonly pause?: number
}

const run = async ({
  bodies,
  connections,
  contentType = "application/json",
  milliseconds,
  pause,
  port,
  target = "POST /svc/v4/credentials/global/_search",
  token,
  warmUp
}: Order): Promise<Counted> => {
  const requests = bodies.map((body) =>
    Buffer.from(
      `${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${contentType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
    )
  )
  const latencies: Array<number> = []
  let failures = 0
  let measuring = false
  let next = 0
  for (let connection = 0; connection < connections; connection += 1) {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true })
    let sentAt = 0
    let answer = new AnswerProgress()
    const send = () => {
      sentAt = performance.now()
      answer = new AnswerProgress()
      socket.write(requests[next++ % requests.length] ?? "")
    }
    socket.on("connect", send)
    socket.on("data", (data) => {
      const isFirst = answer.received === 0
      answer.take(data)
      if (isFirst && !answer.isOk) failures += 1
      if (!answer.isWhole) return
      if (measuring) latencies.push(performance.now() - sentAt)
      if (pause === undefined) send()
      else setTimeout(send, pause)
    })
  }
  await new Promise((resolve) => setTimeout(resolve, warmUp))
  measuring = true
  const startedAt = performance.now()
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
  measuring = false
  const perSecond = latencies.length / ((performance.now() - startedAt) / 1_000)
  return { perSecond, latencies, failures, requests: next }
}

takeOrder(run)
