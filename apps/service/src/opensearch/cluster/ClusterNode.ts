/** One node of a cluster: its connections, whether it failed recently, and whether its answers can be outdated. */
import * as Schema from "effect/Schema"
import { setTimeout as sleep } from "node:timers/promises"
import { Pool } from "undici"
import type { ClusterAddress } from "../../ClusterEngine.ts"
import type { ClusterCall, NodeAnswer } from "./ClusterCall.ts"
import { answerDecoder } from "./ClusterJson.ts"
import { errorIn, permanentFault } from "./ClusterRefusal.ts"
import { NotBack } from "./ConnectionFault.ts"
import { monotonicNow } from "../../MonotonicTime.ts"

export interface NodeAddress extends Omit<ClusterAddress, "callTimeLimit" | "urls"> {
  readonly url: string
}

export class ClusterNode {
  readonly url: URL
  readonly #pool: Pool
  /** The path of the URL, because a proxy may serve a cluster under one. */
  readonly #path: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #all: () => ReadonlyArray<ClusterNode>
  // In milliseconds of `monotonicNow`.
  #avoidedUntil = 0
  #failedAt = 0
  /** When the latest answer arrived. */
  #answeredAt = Number.NEGATIVE_INFINITY
  /** When the latest answer to a read arrived. */
  #heardAt = monotonicNow()
  /** The number of failures in a row. Calls that fail at the same time count as one. */
  #failures = 0
  /** The version of the cluster state in which the node was last known to be a member. */
  #stateVersion: number | undefined
  /** Why the latest check of the node had no result, if it had none. */
  #probeFault: unknown
  /** The answer to a read that was sent before this time may be outdated. */
  #trustedSince = Promise.resolve(0)

  /** `all` returns all nodes of the cluster, this one included. */
  constructor({ ca, cert, key, password, url, user }: NodeAddress, all: () => ReadonlyArray<ClusterNode>) {
    this.url = new URL(url)
    const { origin, pathname } = this.url
    this.#path = pathname.replace(/\/+$/u, "")
    this.#pool = new Pool(origin, {
      connections,
      connect: {
        timeout: connectTimeLimit,
        ...(ca === undefined ? {} : { ca }),
        ...(cert === undefined ? {} : { cert }),
        ...(key === undefined ? {} : { key })
      }
    })
    this.#headers =
      user === undefined
        ? {}
        : { authorization: `Basic ${Buffer.from(`${user}:${password ?? ""}`).toString("base64")}` }
    this.#all = all
  }

  /** Until this time, other nodes are tried first. */
  get avoidedUntil(): number {
    return this.#avoidedUntil
  }

  /**
   * Lets only one call at a time test whether a failed node works again, because the test can take as long as an
   * attempt.
   */
  reserve(milliseconds: number): void {
    if (this.#failures > 0) this.#avoidedUntil = monotonicNow() + milliseconds
  }

  /** Rejects with {@link NotBack} or an error of undici. A read is sent again if its answer may be outdated. */
  async answer(call: ClusterCall, timeLimit: number): Promise<NodeAnswer> {
    if (this.#failures > 0) {
      this.#trustedSince = this.#checkTrust(timeLimit)
      if ((await this.#trustedSince) === never) throw this.#probeFault ?? new NotBack()
    }
    const answer = await this.#presentAnswer(call, timeLimit)
    this.#avoidedUntil = 0
    this.#failures = 0
    return answer
  }

  /**
   * Records that a call sent at this time was cancelled. If no answer has arrived since then, the node counts as
   * failed: it may be frozen.
   */
  noteCancelled(sentAt: number): void {
    if (this.#answeredAt < sentAt) this.noteFailed(sentAt)
  }

  /** Records that a call sent at this time failed. */
  noteFailed(sentAt: number): void {
    const now = monotonicNow()
    if (sentAt >= this.#failedAt) this.#failures += 1
    this.#failedAt = now
    this.#avoidedUntil = now + Math.min(maxAvoidance, minAvoidance * 2 ** (this.#failures - 1))
  }

  close(): Promise<void> {
    return this.#pool.destroy()
  }

  /** Sends the call, and again while the answer may be outdated, each time with half of the time limit. */
  async #presentAnswer(call: ClusterCall, timeLimit: number): Promise<NodeAnswer> {
    const sentAt = monotonicNow()
    const answer = await this.#send(call, timeLimit)
    // A rejected login or a missing permission contains no data that could be outdated.
    if (!reads(call) || answer.status === 401 || answer.status === 403) return answer
    const trustedSince = await this.#noteRead(timeLimit)
    if (trustedSince === never) throw this.#probeFault ?? new NotBack()
    return sentAt < trustedSince ? this.#presentAnswer(call, timeLimit / 2) : answer
  }

  /**
   * Records an answer to a read. Returns the time since which the node is trusted: the answer to a call that was sent
   * earlier may be outdated.
   */
  #noteRead(timeLimit: number): Promise<number> {
    const now = monotonicNow()
    if (now - this.#heardAt > maxSilence) this.#trustedSince = this.#checkTrust(timeLimit)
    this.#heardAt = now
    return this.#trustedSince
  }

  /**
   * Since when the node can be trusted: unchanged if the cluster state is unchanged, now if it changed and the node is
   * a member, otherwise {@link never}. A node that was frozen returns outdated data until it learns that it was
   * removed.
   *
   * A slow node gets the time of a whole attempt for each answer, unless another node can answer instead.
   */
  async #checkTrust(timeLimit: number): Promise<number> {
    const before = await this.#trustedSince
    this.#probeFault = undefined
    const limit = this.#goodOthers.length > 0 ? Math.min(timeLimit, probeTimeLimit) : timeLimit
    const version = await this.#versionAsMember(limit).catch((cause: unknown) => void (this.#probeFault = cause))
    if (version === undefined) return never
    if (version === this.#stateVersion && before !== never) return before
    this.#stateVersion = version
    return monotonicNow()
  }

  /**
   * The version of the cluster state. Undefined if the node is not a member, or does not learn the current state within
   * `maxLag`.
   */
  async #versionAsMember(timeLimit: number): Promise<number | undefined> {
    const own = await this.#read(timeLimit, "/_nodes/_local?filter_path=nodes.*.name")
    const [id = ""] = Object.keys(nodesIn(own))
    const giveUpAt = monotonicNow() + maxLag
    for (;;) {
      // The local version is read first, because the node may catch up between the two requests.
      const known = await this.#read(timeLimit, "/_cluster/state/version?local=true&filter_path=version")
      const present = await this.#presentState(timeLimit)
      if ([own, present, known].some(({ status }) => status !== 200) || !(id in nodesIn(present))) return undefined
      const version = versionIn(present)
      // The cluster manager applies a change last: it waits for every node, up to half a minute for a frozen one.
      if (versionIn(known) >= version || managerIn(present) === id) return version
      if (monotonicNow() > giveUpAt) return undefined
      // Nodes apply a change within a few milliseconds of each other.
      await sleep(lagPause)
    }
  }

  /**
   * Prefers the answer of another node: a cluster manager that was frozen still believes that it is the current one.
   */
  async #presentState(timeLimit: number): Promise<NodeAnswer> {
    const state = (isLocal: boolean) =>
      `/_cluster/state/version,nodes,cluster_manager_node?local=${String(isLocal)}&filter_path=version,cluster_manager_node,nodes.*.name`
    return Promise.any(this.#goodOthers.map((other) => other.#read(timeLimit, state(true)))).catch(() =>
      this.#read(timeLimit, state(false))
    )
  }

  get #goodOthers(): ReadonlyArray<ClusterNode> {
    return this.#all().filter((other) => other !== this && other.#failures === 0)
  }

  /** Rejects if the node refuses the call permanently, for example for lack of a permission. */
  async #read(timeLimit: number, path: string): Promise<NodeAnswer> {
    const call = { method: "GET", path } as const
    const answer = await this.#send(call, timeLimit)
    const fault = answer.status === 200 ? undefined : permanentFault(call, answer.status, errorIn(answer.text))
    if (fault !== undefined) throw fault
    return answer
  }

  async #send(call: ClusterCall, timeLimit: number): Promise<NodeAnswer> {
    const hasLines = /\/_(?:bulk|msearch)\b/u.test(call.path)
    const { body, statusCode } = await this.#pool.request({
      method: call.method,
      path: this.#path + call.path,
      headers:
        call.body === undefined
          ? this.#headers
          : { ...this.#headers, "content-type": hasLines ? "application/x-ndjson" : "application/json" },
      body: call.body ?? null,
      headersTimeout: timeLimit,
      bodyTimeout: timeLimit,
      signal: call.signal ?? null
    })
    this.#answeredAt = monotonicNow()
    return { status: statusCode, text: await body.text() }
  }
}

const nodesIn = ({ text }: NodeAnswer) => decodeState(text).nodes ?? {}

const decodeState = answerDecoder(
  "a request for the state of the cluster",
  Schema.Struct({
    nodes: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
    version: Schema.optionalKey(Schema.Int),
    // Null until a cluster manager is elected.
    cluster_manager_node: Schema.optionalKey(Schema.NullOr(Schema.String))
  })
)

/** The version of the cluster state, which grows with each change. */
const versionIn = ({ text }: NodeAnswer): number => decodeState(text).version ?? 0

/** The id of the node that manages the cluster. */
const managerIn = ({ text }: NodeAnswer): string | undefined => decodeState(text).cluster_manager_node ?? undefined

/** Only reads can have outdated answers: a node that was removed acknowledges no write. */
export const reads = ({ method, path }: ClusterCall): boolean =>
  method === "GET" || /\/_(?:m?search|mget|count)\b/u.test(path)

const connections = 64

// In milliseconds.
const connectTimeLimit = 3_000
const probeTimeLimit = 1_500
const minAvoidance = 2_000
const maxAvoidance = 30_000
const lagPause = 50
const maxLag = 500
/** Shorter than the time after which a cluster removes a node that does not answer: by default half a minute. */
const maxSilence = 2_000

const never = Infinity
