/**
 * HTTP calls to the nodes of a cluster. Each call has a time limit and is retried on the next node if one does not
 * answer.
 *
 * Calls must be idempotent: a node may have done what it did not answer in time.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { StoreRefusal, StoreUnavailable } from "../../requests/StoreUnavailable.ts"
import type { ClusterAnswer, ClusterCall } from "./ClusterCall.ts"
import type { ClusterAddress } from "../../ClusterEngine.ts"
import { ClusterNode } from "./ClusterNode.ts"
import { errorIn, permanentFault } from "./ClusterRefusal.ts"
import { connectionFault } from "./ConnectionFault.ts"
import { SearchGroups } from "./SearchGroups.ts"
import { monotonicNow } from "../../MonotonicTime.ts"

export class ClusterClient {
  readonly searches: SearchGroups
  readonly #nodes: ReadonlyArray<ClusterNode>
  /** Index of the node to which the next call is sent first. */
  #turn = 0
  #running = 0
  readonly #waiting: Array<() => void> = []
  readonly #closing = new AbortController()
  readonly #callTimeLimit: number
  readonly #attemptTimeLimit: number

  constructor({ callTimeLimit = defaultCallTimeLimit, urls, ...address }: ClusterAddress) {
    this.#callTimeLimit = callTimeLimit
    this.#attemptTimeLimit = Math.max(minAttemptTimeLimit, callTimeLimit / 4)
    this.#nodes = urls.map((url) => new ClusterNode({ ...address, url }, () => this.#nodes))
    this.searches = new SearchGroups((call) => this.call(call))
  }

  /**
   * Rejects with {@link StoreUnavailable} if no node answers in time, or with {@link ClusterRefusal} if a node refuses
   * the call permanently.
   */
  async call(call: ClusterCall): Promise<ClusterAnswer> {
    await this.#admit()
    try {
      return await this.#attempts(call)
    } finally {
      this.#running -= 1
      this.#waiting.shift()?.()
    }
  }

  /** Makes calls in progress fail without a retry. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#nodes.map((node) => node.close()))
  }

  /** Back-pressure: runs a limited number of calls, queues a limited number, and fails further calls at once. */
  async #admit(): Promise<void> {
    if (this.#running >= maxRunning) {
      if (this.#waiting.length >= maxWaiting)
        throw new StoreUnavailable({ reason: "too many calls wait for OpenSearch" })
      await new Promise<void>((resume) => this.#waiting.push(resume))
    }
    this.#running += 1
  }

  async #attempts(call: ClusterCall): Promise<ClusterAnswer> {
    const giveUpAt = monotonicNow() + (call.timeLimit ?? this.#callTimeLimit)
    /** The cause of the first failure, because later failures may follow from it. */
    let reason: string | undefined
    /** The number of successive attempts whose failure is permanent. */
    let hopeless = 0
    let unreachable = 0
    for (let attempt = 0; ; attempt += 1) {
      const left = giveUpAt - monotonicNow()
      if (this.#closing.signal.aborted) throw new StoreUnavailable({ reason: "the program is shutting down" })
      if (left <= 0) throw new StoreUnavailable({ reason: reason ?? "no node answers" })
      const node = this.#next()
      const sentAt = monotonicNow()
      try {
        const answer = await node.answer(call, Math.min(left, this.#attemptTimeLimit))
        const { status, text } = answer
        if (status < 300 || call.accepted?.includes(status) === true) return { ...answer, isRepeated: attempt > 0 }
        const error = errorIn(text)
        const fault = permanentFault(call, status, error)
        if (fault !== undefined) throw fault
        // Another node may succeed, or the same one later: OpenSearch answers 500 if a node of a search goes down.
        reason ??= error === undefined ? `it answers ${status}` : `it answers ${status} (${error.type})`
        hopeless = 0
        unreachable = 0
      } catch (cause) {
        if (cause instanceof StoreRefusal || cause instanceof StoreUnavailable) throw cause
        if (call.signal?.aborted === true) {
          node.noteCancelled(sentAt)
          throw new StoreUnavailable({ reason: "nobody waits for the answer" })
        }
        const fault = connectionFault(cause, node.url)
        if (fault === undefined) throw cause
        reason ??= fault.reason
        node.noteFailed(sentAt)
        hopeless = fault.isPermanent ? hopeless + 1 : 0
        unreachable += 1
        const isHopeless =
          hopeless >= this.#nodes.length ||
          (call.isFirst === true && unreachable >= this.#nodes.length * connectionsOfFirst)
        if (isHopeless) throw new StoreUnavailable({ reason })
      }
      // No pause before each node was tried once.
      const round = Math.floor(attempt / this.#nodes.length)
      if ((attempt + 1) % this.#nodes.length === 0) await this.#pause(Math.min(maxPause, 50 * 2 ** round))
    }
  }

  /** Ends early when the client is closed. */
  async #pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#closing.signal }).catch(() => {})
  }

  /** Round-robin, with recently failed nodes last. */
  #next(): ClusterNode {
    const now = monotonicNow()
    let best: ClusterNode | undefined
    for (let at = 0; at < this.#nodes.length; at += 1) {
      const node = this.#nodes[(this.#turn + at) % this.#nodes.length]
      if (node === undefined) continue
      if (best === undefined || node.avoidedUntil < best.avoidedUntil) best = node
      if (best.avoidedUntil <= now) break
    }
    this.#turn = (this.#turn + 1) % this.#nodes.length
    if (best === undefined) throw new StoreUnavailable({ reason: "no node is known" })
    best.reserve(this.#attemptTimeLimit)
    return best
  }
}

const maxRunning = 192
const maxWaiting = 2_000

// In milliseconds. A call ends within 30 seconds, including its last attempt.
const defaultCallTimeLimit = 15_000
const minAttemptTimeLimit = 10_000
const maxPause = 1_000

/** The number of connections that the first call tries per node, all within a second. */
const connectionsOfFirst = 4
