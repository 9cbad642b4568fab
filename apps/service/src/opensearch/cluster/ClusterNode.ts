/** One node of a cluster: the connections to it, whether it failed lately, and whether its answers can be outdated. */
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
  /** The path of the URL: a proxy may serve a cluster below one. */
  readonly #path: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #all: () => ReadonlyArray<ClusterNode>
  // In milliseconds of `monotonicNow`.
  #avoidedUntil = 0
  #failedAt = 0
  /** The latest answer. */
  #answeredAt = Number.NEGATIVE_INFINITY
  /** The latest answer to a read. */
  #heardAt = monotonicNow()
  /** In a row. Calls that were under way at the same time count as one. */
  #failures = 0
  /** The version of the cluster state in which the node was last known to be a member. */
  #stateVersion: number | undefined
  /** Why the latest check of the node had no result, if it had none. */
  #probeFault: unknown
  /** The answer to a call that was sent earlier may be outdated. */
  #trustedSince = Promise.resolve(0)

  /** `all` are the nodes of the cluster. */
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

  /** Other nodes are asked first until then. */
  get avoidedUntil(): number {
    return this.#avoidedUntil
  }

  /** If it failed, only one call at a time tests whether it is back, because that can take as long as an attempt. */
  reserve(milliseconds: number): void {
    if (this.#failures > 0) this.#avoidedUntil = monotonicNow() + milliseconds
  }

  /** Rejects with {@link NotBack}, and as undici does. A read is sent again if its answer may be outdated. */
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

  /** Takes note that nobody waits for a call any more that was sent then. A node that is frozen has answered nothing since. */
  noteCancelled(sentAt: number): void {
    if (this.#answeredAt < sentAt) this.noteFailed(sentAt)
  }

  /** Takes note that a call failed that was sent then. */
  noteFailed(sentAt: number): void {
    const now = monotonicNow()
    if (sentAt >= this.#failedAt) this.#failures += 1
    this.#failedAt = now
    this.#avoidedUntil = now + Math.min(maxAvoidance, minAvoidance * 2 ** (this.#failures - 1))
  }

  close(): Promise<void> {
    return this.#pool.destroy()
  }

  /** Each time with half of the time limit. */
  async #presentAnswer(call: ClusterCall, timeLimit: number): Promise<NodeAnswer> {
    const sentAt = monotonicNow()
    const answer = await this.#send(call, timeLimit)
    // A refusal of the user contains no data.
    if (!reads(call) || answer.status === 401 || answer.status === 403) return answer
    const trustedSince = await this.#noteRead(timeLimit)
    if (trustedSince === never) throw this.#probeFault ?? new NotBack()
    return sentAt < trustedSince ? this.#presentAnswer(call, timeLimit / 2) : answer
  }

  /** Takes note of an answer to a read. Returns the time before which the call must not have been sent. */
  #noteRead(timeLimit: number): Promise<number> {
    const now = monotonicNow()
    if (now - this.#heardAt > maxSilence) this.#trustedSince = this.#checkTrust(timeLimit)
    this.#heardAt = now
    return this.#trustedSince
  }

  /**
   * Since when the node can be trusted: unchanged if the state of the cluster is unchanged, now if it changed and the node is a
   * member, otherwise {@link never}. A node that was frozen answers with outdated data until it learns that it was removed.
   *
   * A slow node has as long as an attempt for each answer, unless another node can stand in for it.
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

  /** The version of the cluster's state, if the node is a member and knows that state, or learns of it at once. */
  async #versionAsMember(timeLimit: number): Promise<number | undefined> {
    const own = await this.#read(timeLimit, "/_nodes/_local?filter_path=nodes.*.name")
    const [id = ""] = Object.keys(nodesIn(own))
    const giveUpAt = monotonicNow() + maxLag
    for (;;) {
      // In this order, because the node may catch up in between.
      const known = await this.#read(timeLimit, "/_cluster/state/version?local=true&filter_path=version")
      const present = await this.#presentState(timeLimit)
      if ([own, present, known].some(({ status }) => status !== 200) || !(id in nodesIn(present))) return undefined
      const version = versionIn(present)
      // The cluster manager adopts a change last: it waits for each node, up to half a minute for one that is frozen.
      if (versionIn(known) >= version || managerIn(present) === id) return version
      if (monotonicNow() > giveUpAt) return undefined
      // Nodes learn of a change a few milliseconds after each other.
      await sleep(lagPause)
    }
  }

  /** Asks another node where one answers: a cluster manager that was frozen still takes itself for the present one. */
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

  /** Rejects if the node refuses it for good, such as to a user without the permission. */
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
    // Null until one is elected.
    cluster_manager_node: Schema.optionalKey(Schema.NullOr(Schema.String))
  })
)

/** Grows with each change of the cluster's state. */
const versionIn = ({ text }: NodeAnswer): number => decodeState(text).version ?? 0

/** The id of the node that manages the cluster. */
const managerIn = ({ text }: NodeAnswer): string | undefined => decodeState(text).cluster_manager_node ?? undefined

/** Only these can have an outdated answer: a node that was removed acknowledges no write. */
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
/** A cluster takes longer to remove a node that does not answer: half a minute, unless it is configured otherwise. */
const maxSilence = 2_000

const never = Infinity
