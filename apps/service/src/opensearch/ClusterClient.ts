/**
 * HTTP to the nodes of a cluster: each call has a time limit, and goes on to the next node when one cannot answer.
 *
 * Calls must be safe to send twice: a node may have done what it did not answer in time.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { errors, Pool } from "undici"
import { StoreUnavailable } from "../requests/StoreUnavailable.ts"
import { type ClusterAnswer, type ClusterCall, ClusterRefusal } from "./ClusterCall.ts"
import { SearchGroups } from "./SearchGroups.ts"

export interface ClusterAddress {
  /** Of the nodes; at least one. */
  readonly urls: ReadonlyArray<string>
  readonly user?: string | undefined
  readonly password?: string | undefined
  /** PEM. */
  readonly ca?: Buffer | undefined
  readonly cert?: Buffer | undefined
  readonly key?: Buffer | undefined
}

export class ClusterClient {
  readonly searches: SearchGroups
  readonly #nodes: ReadonlyArray<Node>
  readonly #headers: Readonly<Record<string, string>>
  /** The node that the next call is sent to first. */
  #turn = 0
  #running = 0
  readonly #waiting: Array<() => void> = []
  readonly #closing = new AbortController()

  constructor({ ca, cert, key, password, urls, user }: ClusterAddress) {
    this.#nodes = urls.map((url) => ({
      pool: new Pool(new URL(url).origin, {
        connections: connectionsPerNode,
        connect: {
          timeout: connectTimeLimit,
          ...(ca === undefined ? {} : { ca }),
          ...(cert === undefined ? {} : { cert }),
          ...(key === undefined ? {} : { key })
        }
      }),
      host: new URL(url).host,
      path: new URL(url).pathname.replace(/\/+$/u, ""),
      avoidedUntil: 0,
      failures: 0,
      failedAt: 0,
      heardAt: performance.now(),
      stateVersion: undefined,
      trustedSince: Promise.resolve(0)
    }))
    this.searches = new SearchGroups((call) => this.call(call))
    this.#headers =
      user === undefined
        ? {}
        : { authorization: `Basic ${Buffer.from(`${user}:${password ?? ""}`).toString("base64")}` }
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
    await Promise.all(this.#nodes.map(({ pool }) => pool.destroy()))
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
        if (node.failures > 0) {
          node.trustedSince = this.#trustedSince(node)
          if ((await node.trustedSince) === never) throw new NotBack()
        }
        const answer = await this.#presentAnswer(node, call, Math.min(left, attemptTimeLimit))
        const { status, text } = answer
        node.avoidedUntil = 0
        node.failures = 0
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
        avoid(node, sentAt)
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
  #next(): Node {
    const now = performance.now()
    let best: Node | undefined
    for (let at = 0; at < this.#nodes.length; at += 1) {
      const node = this.#nodes[(this.#turn + at) % this.#nodes.length]
      if (node === undefined) continue
      if (best === undefined || node.avoidedUntil < best.avoidedUntil) best = node
      if (best.avoidedUntil <= now) break
    }
    this.#turn = (this.#turn + 1) % this.#nodes.length
    if (best === undefined) throw new StoreUnavailable({ reason: "no node is known" })
    // Only one call at a time tests whether a failed node is back, because that can take as long as an attempt.
    if (best.failures > 0) best.avoidedUntil = now + attemptTimeLimit
    return best
  }

  /** Repeats a read whose answer may be outdated, each time with half of the time limit. */
  async #presentAnswer(node: Node, call: ClusterCall, timeLimit: number): Promise<ClusterAnswer> {
    const sentAt = performance.now()
    const answer = await this.#send(node, call, timeLimit)
    if (!reads(call)) return answer
    const trustedSince = await this.#heardFrom(node)
    if (trustedSince === never) throw new NotBack()
    return sentAt < trustedSince ? this.#presentAnswer(node, call, timeLimit / 2) : answer
  }

  /** Takes note of an answer to a read. Returns the time before which the call must not have been sent. */
  #heardFrom(node: Node): Promise<number> {
    const now = performance.now()
    if (now - node.heardAt > longestSilence) node.trustedSince = this.#trustedSince(node)
    node.heardAt = now
    return node.trustedSince
  }

  /**
   * As before, if the state of the cluster has not changed; now, if it has and the node is a member; else {@link never}. A node
   * that was frozen answers with outdated data until it learns that it was removed.
   */
  async #trustedSince(node: Node): Promise<number> {
    const before = await node.trustedSince
    const version = await this.#versionAsMember(node).catch(() => undefined)
    if (version === undefined) return never
    if (version === node.stateVersion && before !== never) return before
    node.stateVersion = version
    return performance.now()
  }

  /** The version of the cluster's state, if the node is a member and knows that state, or learns of it at once. */
  async #versionAsMember(node: Node): Promise<number | undefined> {
    const own = await this.#read(node, "/_nodes/_local?filter_path=nodes.*.name")
    // The user lacks the permission to ask.
    if (own.status === 403) return node.stateVersion ?? 0
    const [id = ""] = Object.keys(nodesIn(own))
    const giveUpAt = performance.now() + longestLag
    for (;;) {
      // In this order, because the node may catch up in between.
      const known = await this.#read(node, "/_cluster/state/version?local=true&filter_path=version")
      const present = await this.#presentState(node)
      if ([own, present, known].some(({ status }) => status !== 200) || !(id in nodesIn(present))) return undefined
      const version = versionIn(present)
      if (versionIn(known) >= version) return version
      if (performance.now() > giveUpAt) return undefined
      // Nodes learn of a change a few milliseconds after each other.
      await this.#pause(lagPause)
    }
  }

  /** As another node knows it, if one answers: a cluster manager that was frozen takes itself for the present one. */
  async #presentState(node: Node): Promise<ClusterAnswer> {
    const state = (isLocal: boolean) =>
      `/_cluster/state/version,nodes?local=${String(isLocal)}&filter_path=version,nodes.*.name`
    const others = this.#nodes.filter((other) => other !== node && other.failures === 0)
    return Promise.any(others.map((other) => this.#read(other, state(true)))).catch(() =>
      this.#read(node, state(false))
    )
  }

  #read(node: Node, path: string): Promise<ClusterAnswer> {
    return this.#send(node, { method: "GET", path }, probeTimeLimit)
  }

  async #send({ path, pool }: Node, call: ClusterCall, timeLimit: number): Promise<ClusterAnswer> {
    const hasLines = /\/_(?:bulk|msearch)\b/u.test(call.path)
    const { body, statusCode } = await pool.request({
      method: call.method,
      path: path + call.path,
      headers:
        call.body === undefined
          ? this.#headers
          : { ...this.#headers, "content-type": hasLines ? "application/x-ndjson" : "application/json" },
      body: call.body ?? null,
      headersTimeout: timeLimit,
      bodyTimeout: timeLimit
    })
    return { status: statusCode, text: await body.text() }
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

/** The node answers, but has not rejoined its cluster: its data may be outdated. */
class NotBack extends Error {
  constructor() {
    super("it has not rejoined its cluster")
  }
}

const nodesIn = ({ text }: ClusterAnswer): object => {
  const { nodes = {} }: { readonly nodes?: object } = JSON.parse(text)
  return nodes
}

/** Grows with each change of the cluster's state. */
const versionIn = ({ text }: ClusterAnswer): number => {
  const { version = 0 }: { readonly version?: number } = JSON.parse(text)
  return version
}

interface Node {
  readonly pool: Pool
  readonly host: string
  /** Of the URL: a proxy may serve a cluster below one. */
  readonly path: string
  /** In milliseconds of `performance.now`. */
  avoidedUntil: number
  /** In a row. Calls that were under way at the same time count as one. */
  failures: number
  failedAt: number
  /** The latest answer to a read. */
  heardAt: number
  /** Of the state of the cluster, when the node was last known to be a member. */
  stateVersion: number | undefined
  /** The answer to a call that was sent earlier may be outdated. */
  trustedSince: Promise<number>
}

const avoid = (node: Node, sentAt: number): void => {
  const now = performance.now()
  if (sentAt >= node.failedAt) node.failures += 1
  node.failedAt = now
  node.avoidedUntil = now + Math.min(longestAvoidance, shortestAvoidance * 2 ** (node.failures - 1))
}

const connectionsPerNode = 64
const mostRunning = 192
const mostWaiting = 2_000

// In milliseconds. With the longest attempt after it, a call ends within 30 seconds.
const callTimeLimit = 15_000
const attemptTimeLimit = 10_000
const connectTimeLimit = 3_000
const probeTimeLimit = 1_500
const longestPause = 1_000
const shortestAvoidance = 2_000
const longestAvoidance = 30_000
const lagPause = 50
const longestLag = 500
/** A cluster takes longer to remove a node that does not answer: half a minute, unless it is configured otherwise. */
const longestSilence = 2_000

const never = Infinity

/** Only these can have an outdated answer: a node that was removed acknowledges no write. */
const reads = ({ method, path }: ClusterCall): boolean => method === "GET" || /\/_(?:m?search|mget|count)\b/u.test(path)

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

/** Of an error of OpenSearch. */
const typeOf = (text: string): string | undefined => {
  try {
    const body: { readonly error?: { readonly type?: unknown } | string } = JSON.parse(text)
    // For an unknown path or method, the error is a message.
    const type = typeof body.error === "object" ? body.error.type : body.error
    return typeof type === "string" ? type : undefined
  } catch {
    return undefined
  }
}
