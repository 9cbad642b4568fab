/**
 * A syslog receiver: RFC 5424 over TCP or TLS with octet counting (RFC 6587, RFC 5425).
 *
 * A receiver does not answer, so a batch counts as accepted once the operating system has its bytes. If the connection
 * breaks, bytes that were not sent yet are lost; the batch that notices the break is sent again.
 */
import { connect as connectTcp, isIP, type Socket } from "node:net"
import { hostname } from "node:os"
import { connect as connectTls } from "node:tls"
import { connectionAdvice } from "@threat-exposure/leak-check/search/FailureText"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { FeedItem } from "./FeedState.ts"
import { deliveredAll, type Sink, SinkBusy } from "./Sink.ts"

export interface SyslogAddress {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
}

/** Connects with the first batch, and again after each failure; disconnects when the scope closes. */
export const syslogSink = Effect.fnUntraced(function* (name: string, address: SyslogAddress) {
  let socket: Socket | undefined
  const close = Effect.sync(() => {
    socket?.destroy()
    socket = undefined
  })
  // An orderly shutdown sends the bytes that the operating system still buffers.
  yield* Effect.addFinalizer(() =>
    Effect.callback<void>((resume) => {
      if (socket === undefined || socket.destroyed) return resume(Effect.void)
      socket.end(() => resume(Effect.void))
    }).pipe(Effect.timeout(Duration.seconds(5)), Effect.ignore)
  )

  const open = Effect.callback<Socket, SinkBusy>((resume) => {
    const { host, isTls, port } = address
    const opened = isTls
      ? connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}) })
      : connectTcp({ host, port })
    const failed = (error: unknown) => resume(Effect.fail(busy(error)))
    opened.once(isTls ? "secureConnect" : "connect", () => {
      opened.off("error", failed)
      // A receiver sends nothing; it only closes or breaks the connection.
      opened.on("error", () => opened.destroy())
      opened.on("end", () => opened.destroy())
      opened.resume()
      opened.setKeepAlive(true)
      resume(Effect.succeed(opened))
    })
    opened.once("error", failed)
    return Effect.sync(() => void opened.destroy())
  })

  const write = (to: Socket, frames: Buffer) =>
    Effect.callback<void, SinkBusy>((resume) => {
      if (to.destroyed) return resume(Effect.fail(new SinkBusy({ reason: "the receiver closed the connection" })))
      const closed = () => resume(Effect.fail(new SinkBusy({ reason: "the receiver closed the connection" })))
      to.once("close", closed)
      to.write(frames, (error) => {
        to.off("close", closed)
        resume(error === null || error === undefined ? Effect.void : Effect.fail(busy(error)))
      })
    })

  /**
   * Fails if the receiver closes the connection after the first messages, as one does that expects another protocol, such
   * as TLS: nobody would notice that it takes nothing.
   */
  const awaitRefusal = (to: Socket) =>
    Effect.callback<void, SinkBusy>((resume) => {
      const closed = () =>
        resume(
          Effect.fail(
            new SinkBusy({
              reason:
                "the receiver closed the connection after the first messages: check its protocol, such as TLS, and its log"
            })
          )
        )
      if (to.destroyed) return closed()
      to.once("close", closed)
      return Effect.sync(() => void to.off("close", closed))
    }).pipe(Effect.timeoutOrElse({ duration: refusalTimeout, orElse: () => Effect.void }))

  const sink: Sink = {
    name,
    send: Effect.fn("SyslogSink.send")(function* ({ items }) {
      let refusal: Effect.Effect<void, SinkBusy> = Effect.void
      if (socket === undefined || socket.destroyed) {
        socket = yield* open.pipe(
          Effect.timeoutOrElse({
            duration: timeout,
            orElse: () => Effect.fail(new SinkBusy({ reason: "no connection in time" }))
          })
        )
        refusal = awaitRefusal(socket)
      }
      yield* write(socket, Buffer.concat(items.map(frameOf))).pipe(
        Effect.timeoutOrElse({
          duration: timeout,
          orElse: () => Effect.fail(new SinkBusy({ reason: "the receiver does not read in time" }))
        }),
        Effect.andThen(refusal),
        Effect.onError(() => close)
      )
      return deliveredAll
    })
  }
  return sink
})

const timeout = Duration.seconds(30)

const refusalTimeout = Duration.millis(500)

const busy = (error: unknown) => {
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : ""
  const reason = `no connection${code}`
  return new SinkBusy({ reason: `${reason}: ${connectionAdvice(reason)}` })
}

/** Maximum size of a message including its header: by default, rsyslog splits longer messages. */
export const maxMessageBytes = 8_000

/** Facility 13 is log audit. */
const facility = 13

const levels: Readonly<Record<string, number>> = { critical: 2, high: 3, medium: 4, low: 5, info: 6 }

/**
 * One message, preceded by its length in bytes. Always contains structured data: without it, a receiver would take the
 * message id for text. An item that is too long is replaced with a reference to its uid.
 */
export const frameOf = (item: FeedItem): Buffer => {
  const whole = messageOf(item, item.line)
  const message =
    whole.length <= maxMessageBytes
      ? whole
      : messageOf(
          item,
          JSON.stringify({ uid: shortUid(item.uid), truncated: true, bytes: Buffer.byteLength(item.line) })
        )
  return Buffer.concat([Buffer.from(`${message.length} `), message])
}

const messageOf = ({ summary, time, uid }: FeedItem, text: string): Buffer => {
  const level = levels[summary?.severity ?? ""] ?? 5
  const at = time === undefined ? "-" : new Date(time).toISOString()
  return Buffer.from(
    `<${facility * 8 + level}>1 ${at} ${header(hostname(), 128)} threat-exposure - item [leak@32473 uid="${parameter(shortUid(uid))}"] ${text}`
  )
}

/** Keeps printable ASCII without spaces; `-` if nothing is left. */
const header = (text: string, max: number): string => text.replaceAll(/[^!-~]/gu, "").slice(0, max) || "-"

/** Replaces all characters that RFC 5424 escapes, because receivers interpret escapes differently. */
const parameter = (text: string): string => text.replaceAll(/["\\\]\p{Cc}]/gu, "_")

const shortUid = (uid: string): string => Array.from(uid).slice(0, 512).join("")
