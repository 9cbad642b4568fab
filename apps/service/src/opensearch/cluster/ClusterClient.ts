/**
 * HTTP to the nodes of a cluster: each call has a time limit, and is sent to the next node when one cannot answer.
 *
 * Calls must be safe to send twice: a node may have done what it did not answer in time.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { setTimeout as sleep } from "node:timers/promises"
import { errors } from "undici"
import { StoreUnavailable } from "../../requests/StoreUnavailable.ts"
import { type ClusterAnswer, type ClusterCall, ClusterRefusal } from "./ClusterCall.ts"
import type { ClusterAddress } from "../../ClusterEngine.ts"
import { ClusterNode, NotBack } from "./ClusterNode.ts"
import { SearchGroups } from "./SearchGroups.ts"

export class ClusterClient {
  readonly searches: SearchGroups
  readonly #nodes: ReadonlyArray<ClusterNode>
  /** The node that the next call is sent to first. */
  #turn = 0
  #running = 0
  readonly #waiting: Array<() => void> = []
  readonly #closing = new AbortController()

  constructor({ urls, ...address }: ClusterAddress) {
    this.#nodes = urls.map((url) => new ClusterNode({ ...address, url }, () => this.#nodes))
    this.searches = new SearchGroups((call) => this.call(call))
  }

  /** Rejects with {@link StoreUnavailable} if no node answers in time, and with {@link ClusterRefusal}. */
  async call(call: ClusterCall): Promise<ClusterAnswer> {
    await this.#admit()
    try {
      return await this.#attempts(call)
    } finally {
      this.#running -= 1
      this.#waiting.shift()?.()
    }
  }

  /** Calls that are under way fail, and are not attempted again. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#nodes.map((node) => node.close()))
  }

  /** Back-pressure: a bounded number of calls runs, a bounded number waits, and further calls fail at once. */
  async #admit(): Promise<void> {
    if (this.#running >= mostRunning) {
      if (this.#waiting.length >= mostWaiting)
        throw new StoreUnavailable({ reason: "too many calls wait for OpenSearch" })
      await new Promise<void>((resume) => this.#waiting.push(resume))
    }
    this.#running += 1
  }

  async #attempts(call: ClusterCall): Promise<ClusterAnswer> {
    const giveUpAt = performance.now() + (call.timeLimit ?? callTimeLimit)
    let reason = "no node answers"
    let untrusted = 0
    for (let attempt = 0; ; attempt += 1) {
      const left = giveUpAt - performance.now()
      if (this.#closing.signal.aborted) throw new StoreUnavailable({ reason: "the program is shutting down" })
      if (left <= 0) throw new StoreUnavailable({ reason })
      const node = this.#next()
      const sentAt = performance.now()
      try {
        const answer = await node.answer(call, Math.min(left, attemptTimeLimit))
        const { status, text } = answer
        if (status < 300 || call.accepted?.includes(status) === true) return answer
        const type = typeOf(text)
        if (type === readOnly) throw indexIsReadOnly()
        if (type === isMissing) throw indexMissing()
        if ((status < 500 && status !== 429) || call.refusals?.some((refusal) => refusal === type) === true)
          throw new ClusterRefusal(call, status, type)
        // Another node, or the same one later, may do it: a search that loses a node on its way is answered with 500.
        reason = type === undefined ? `it answers ${status}` : `it answers ${status} (${type})`
      } catch (cause) {
        if (cause instanceof ClusterRefusal || cause instanceof StoreUnavailable) throw cause
        if (!isOfTheConnection(cause)) throw cause
        const advice = certificateAdvice(cause)
        reason =
          advice === undefined
            ? `${node.host} does not answer (${cause.message})`
            : `the certificate of ${node.host} is refused: ${cause.message}. ${advice}`
        node.failed(sentAt)
        // A retry would get the same certificate.
        if (advice !== undefined) untrusted += 1
        if (untrusted === this.#nodes.length) throw new StoreUnavailable({ reason })
      }
      // Each node is tried once before the first pause.
      const round = Math.floor(attempt / this.#nodes.length)
      if ((attempt + 1) % this.#nodes.length === 0) await this.#pause(Math.min(longestPause, 50 * 2 ** round))
    }
  }

  /** Ends early when the client is closed. */
  async #pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#closing.signal }).catch(() => {})
  }

  /** Round-robin, with recently failed nodes last. */
  #next(): ClusterNode {
    const now = performance.now()
    let best: ClusterNode | undefined
    for (let at = 0; at < this.#nodes.length; at += 1) {
      const node = this.#nodes[(this.#turn + at) % this.#nodes.length]
      if (node === undefined) continue
      if (best === undefined || node.avoidedUntil < best.avoidedUntil) best = node
      if (best.avoidedUntil <= now) break
    }
    this.#turn = (this.#turn + 1) % this.#nodes.length
    if (best === undefined) throw new StoreUnavailable({ reason: "no node is known" })
    best.reserve(attemptTimeLimit)
    return best
  }
}

/** The error type of a read-only index: OpenSearch makes indices read-only while the disk is full. */
export const readOnly = "cluster_block_exception"

export const indexIsReadOnly = () =>
  new StoreUnavailable({
    reason: `an index is read-only (${readOnly}): a disk of the cluster may be full, or an upgrade of its indices or a rotation of its key is not finished`
  })

/** The error type of a missing index. */
export const isMissing = "index_not_found_exception"

export const indexMissing = () =>
  new StoreUnavailable({ reason: "an index is missing: the key was rotated a moment ago, or somebody deleted it" })

const mostRunning = 192
const mostWaiting = 2_000

// In milliseconds. With the longest attempt after it, a call ends within 30 seconds.
const callTimeLimit = 15_000
const attemptTimeLimit = 10_000
const longestPause = 1_000

const isOfTheConnection = (cause: unknown): cause is Error =>
  cause instanceof NotBack || cause instanceof errors.UndiciError || (cause instanceof Error && "code" in cause)

/** How to fix a refused certificate; undefined for another failure. */
const certificateAdvice = (cause: Error): string | undefined => {
  switch ("code" in cause ? cause.code : undefined) {
    case "CERT_HAS_EXPIRED":
      return "Renew it"
    case "CERT_NOT_YET_VALID":
      return "Check the clock of this machine"
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return "Use the host name that it was issued for"
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
      return "Name its certificate authority with THREAT_EXPOSURE_OPENSEARCH_CA"
    default:
      return undefined
  }
}

/** The type of an error of OpenSearch; undefined for an error of another server. */
const typeOf = (text: string): string | undefined =>
  Option.match(decodeError(text), {
    onNone: () => undefined,
    // For an unknown path or method, the error is a message.
    onSome: ({ error }) => (typeof error === "string" ? error : error.type)
  })

const decodeError = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ error: Schema.Union([Schema.String, Schema.Struct({ type: Schema.String })]) }))
)
