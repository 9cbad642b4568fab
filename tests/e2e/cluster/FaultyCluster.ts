/** Three nodes of OpenSearch and three service processes over them, which are killed, frozen and restarted. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type OpenSearchCluster, openSearchCluster } from "@threat-exposure/programs/OpenSearchCluster"
import { serviceFile } from "../../build.ts"

export type FaultKind = "kill" | "freeze" | "restart" | "kill service"

export interface Answer {
  readonly status: number
  readonly text: string
}

export interface FaultCounts {
  readonly work: {
    answered: number
    /** Answered with 503 and a `Retry-After` of at most a minute. */
    unavailable: number
    /** The service ended before it answered. */
    cutOff: number
    loads: number
    /** Ended with a message and an exit code, and were run again. */
    interruptedLoads: number
    creates: number
    listings: number
  }
  /** A correct service leaves all of them at 0. */
  readonly faults: {
    /** Answers with another 5xx, or 503 without `Retry-After`. */
    otherFailures: number
    /** Answers that took more than thirty seconds. */
    late: number
    /** Loads that failed without one clear message. */
    unclearLoads: number
    /** Acknowledged items that a listing at the end has not. */
    lost: number
    /** Acknowledged items that a listing which began afterwards has not. */
    missing: number
    twice: number
    outOfOrder: number
    /** Items that nobody loaded. */
    unknown: number
    /** Missing matches of the identifiers whose creation was acknowledged. */
    matchesMissing: number
    matchesTooMany: number
    /** Identifiers whose creation was cut off, or answered with 503, and that have only some of their matches. */
    halfCreated: number
  }
  /** Messages and logs that explain the counts. */
  readonly complaints: Array<string>
}

const services = 3
/**
 * Milliseconds until a wait counts as a hang. Beside busy processes, nodes leave the cluster and come back for minutes, and
 * the services answer 503 meanwhile.
 */
export const hangLimit = 20 * 60_000

export class FaultyCluster {
  readonly #nodes: OpenSearchCluster
  readonly #running = new Map<number, Service>()
  readonly #children = new Set<ChildProcess>()
  readonly folder: string
  readonly counts: FaultCounts = {
    work: { answered: 0, unavailable: 0, cutOff: 0, loads: 0, interruptedLoads: 0, creates: 0, listings: 0 },
    faults: {
      otherFailures: 0,
      late: 0,
      unclearLoads: 0,
      lost: 0,
      missing: 0,
      twice: 0,
      outOfOrder: 0,
      unknown: 0,
      matchesMissing: 0,
      matchesTooMany: 0,
      halfCreated: 0
    },
    complaints: []
  }
  #token = ""
  #turn = 0

  private constructor(nodes: OpenSearchCluster, folder: string) {
    this.#nodes = nodes
    this.folder = folder
    process.once("exit", this.#killAll)
  }

  /** Returns the reason if this machine cannot run OpenSearch. */
  static async start(): Promise<FaultyCluster | { readonly missing: string }> {
    // A frozen node is dropped after four seconds instead of half a minute.
    const checks = ["follower_check", "leader_check"].flatMap((check) => [
      [`cluster.fault_detection.${check}.interval`, "500ms"],
      [`cluster.fault_detection.${check}.timeout`, "1500ms"],
      [`cluster.fault_detection.${check}.retry_count`, "2"]
    ])
    const nodes = await openSearchCluster({ size: 3, settings: Object.fromEntries(checks) })
    if ("missing" in nodes) return nodes
    const cluster = new FaultyCluster(nodes, await mkdtemp(join(tmpdir(), "threat-exposure-faults-")))
    try {
      const permission = "read-tenant,write-tenant"
      const out = await cluster.completedCommand("keys", "create", "--tenant", "1", "--permission", permission)
      cluster.#token = out.trim().split("\n").at(-1) ?? ""
      await Promise.all(Array.from({ length: services }, (_, service) => cluster.#serve(service)))
      return cluster
    } catch (error) {
      await cluster.stop()
      throw error
    }
  }

  /** Returns once everything runs again. */
  async suffer(kind: FaultKind, target: number, seconds: number): Promise<void> {
    switch (kind) {
      case "kill":
      case "restart":
        await this.#nodes.signal(target, kind === "kill" ? "SIGKILL" : "SIGTERM")
        await sleep(seconds * 1_000)
        return await this.#nodes.start([target])
      case "freeze":
        await this.#nodes.signal(target, "SIGSTOP")
        await sleep(seconds * 1_000)
        return await this.#nodes.signal(target, "SIGCONT")
      case "kill service": {
        const service = this.#running.get(target)
        this.#running.delete(target)
        if (service !== undefined) await ended(service.child, "SIGKILL")
        await sleep(seconds * 1_000)
        return await this.#serve(target)
      }
    }
  }

  /** Waits until all shards and replicas are assigned, and the services have completed interrupted work. */
  async settled(): Promise<void> {
    const [url = ""] = this.#nodes.urls
    const giveUpAt = performance.now() + hangLimit
    while (performance.now() < giveUpAt) {
      try {
        const health = await fetch(`${url}/_cluster/health?wait_for_nodes=3&wait_for_status=green&timeout=5s`)
        await health.body?.cancel()
        const begun = await fetch(`${url}/threat-exposure-identifier-creations/_count?filter_path=count`)
        if (health.ok && (await begun.text()) === '{"count":0}') return
      } catch {
        // The node is not there yet.
      }
      await sleep(200)
    }
    throw new Error("The cluster did not recover, or the services did not complete what was cut off")
  }

  /** A command of the service that is run to its end; one that does not end in time has no code. */
  async command(...args: ReadonlyArray<string>) {
    const { child, text } = this.#spawn(args)
    const timer = setTimeout(() => child.kill("SIGKILL"), hangLimit)
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
    clearTimeout(timer)
    return { code, ...text }
  }

  /** Repeats a command while the cluster does not answer in time, and returns its output. */
  async completedCommand(...args: ReadonlyArray<string>): Promise<string> {
    const giveUpAt = performance.now() + hangLimit
    for (;;) {
      const { code, err, out } = await this.command(...args)
      if (code === 0) return out
      if (performance.now() > giveUpAt) throw new Error(err)
    }
  }

  /** Like a command that an operator kills after some milliseconds. */
  async killedCommand(milliseconds: number, ...args: ReadonlyArray<string>): Promise<void> {
    const { child } = this.#spawn(args)
    await sleep(milliseconds)
    await ended(child, "SIGKILL")
  }

  /** Sends the request to the next service; undefined if it was cut off or answered with 5xx. */
  async attempt(path: string, body: unknown): Promise<Answer | undefined> {
    const live = [...this.#running.values()]
    const service = live[(this.#turn += 1) % live.length]
    if (service === undefined) throw new Error("No service is running")
    const { complaints, faults, work } = this.counts
    const startedAt = performance.now()
    try {
      const response = await fetch(`${service.url}/svc${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
        body: JSON.stringify(body)
      })
      const text = await response.text()
      const { status } = response
      if (status < 500) {
        work.answered += 1
        return { status, text }
      }
      const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN)
      if (status === 503 && retryAfter > 0 && retryAfter <= 60) work.unavailable += 1
      else {
        faults.otherFailures += 1
        complaints.push(`${path}: ${status} ${text}\n${service.text.err.slice(-3_000)}`)
      }
    } catch {
      work.cutOff += 1
    } finally {
      if (performance.now() - startedAt > 30_000) {
        faults.late += 1
        complaints.push(`${path}: ${Math.round(performance.now() - startedAt)} ms`)
      }
    }
    return undefined
  }

  /** Sends the request, which must be safe to repeat, until it is answered. */
  async ask<Body>(path: string, body: unknown): Promise<Body> {
    const giveUpAt = performance.now() + hangLimit
    while (performance.now() < giveUpAt) {
      const answer = await this.attempt(path, body)
      if (answer === undefined) await sleep(100)
      else if (answer.status === 200) return JSON.parse(answer.text)
      else throw new Error(`${path}: ${answer.status} ${answer.text}`)
    }
    const logs = [...this.#running.values()].map(({ text }) => text.err.slice(-3_000))
    throw new Error(`${path} was not answered in time:\n${logs.join("\n")}`)
  }

  /** Ends every process and deletes the data. */
  async stop(): Promise<void> {
    process.off("exit", this.#killAll)
    await Promise.all([...this.#children].map((child) => ended(child, "SIGKILL")))
    await this.#nodes.stop()
    await rm(this.folder, { recursive: true, force: true })
  }

  /** Called if the program exits before it has stopped the cluster. */
  readonly #killAll = (): void => {
    for (const child of this.#children) child.kill("SIGKILL")
    for (let node = 0; node < this.#nodes.size; node += 1) void this.#nodes.signal(node)
  }

  async #serve(service: number): Promise<void> {
    const giveUpAt = performance.now() + hangLimit
    for (;;) {
      const started = this.#spawn(["serve", "--port", "0", "--searches-a-month", "1000000000"])
      const { child, text } = started
      const url = () => /^listening on (\S+)$/mu.exec(text.out)?.[1]
      while (url() === undefined && child.exitCode === null) await sleep(20)
      const found = url()
      if (found !== undefined) return void this.#running.set(service, { ...started, url: found })
      // The service exits if the cluster does not answer within half a minute.
      if (performance.now() > giveUpAt) throw new Error(`The service did not start:\n${text.err}`)
    }
  }

  #spawn(args: ReadonlyArray<string>) {
    const place = ["--opensearch", this.#nodes.urls.join(), "--key-file", join(this.folder, "key")]
    const child = spawn(process.execPath, [serviceFile, ...args, ...place], {
      env: { ...process.env, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"]
    })
    this.#children.add(child)
    child.once("close", () => this.#children.delete(child))
    const text = { out: "", err: "" }
    child.stdout.on("data", (data) => (text.out += data))
    child.stderr.on("data", (data) => (text.err += data))
    return { child, text }
  }
}

interface Service {
  readonly child: ChildProcess
  readonly text: { readonly out: string; readonly err: string }
  readonly url: string
}

const ended = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = new Promise<unknown>((resolve) => child.once("close", resolve))
  child.kill(signal)
  await closed
}
