/** Real OpenSearch processes on loopback: one node, or several that form one cluster. */
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { freePorts } from "./FreePort.ts"
import { openSearchJars } from "./OpenSearchJars.ts"

export interface ClusterOptions {
  /** The number of nodes; 1 unless given. */
  readonly size?: number
  /** A size as Java takes it, as in `512m`. */
  readonly heap?: string
  /** Uses the garbage collector and the compiler of a server, which start more slowly but suit a node under load. */
  readonly forThroughput?: boolean
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts the nodes; gives the reason where this machine cannot have them. */
export const openSearchCluster = async (
  options: ClusterOptions = {}
): Promise<OpenSearchCluster | { readonly missing: string }> => {
  const jars = await openSearchJars()
  if ("missing" in jars) return jars
  const cluster = new OpenSearchCluster(jars, options, await freePorts((options.size ?? 1) * 2))
  await cluster.start()
  return cluster
}

type Jars = Exclude<Awaited<ReturnType<typeof openSearchJars>>, { readonly missing: string }>

export class OpenSearchCluster {
  readonly #jars: Jars
  readonly #options: ClusterOptions
  readonly #ports: ReadonlyArray<number>
  readonly #home = mkdtempSync(join(tmpdir(), "opensearch-"))
  readonly #processes = new Map<number, ChildProcess>()

  constructor(jars: Jars, options: ClusterOptions, ports: ReadonlyArray<number>) {
    this.#jars = jars
    this.#options = options
    this.#ports = ports
  }

  get size(): number {
    return this.#ports.length / 2
  }

  /** The URL of every node, in order. */
  get urls(): ReadonlyArray<string> {
    return this.#ports.slice(0, this.size).map((port) => `http://127.0.0.1:${port}`)
  }

  /** The data folder of each node. */
  get dataFolders(): ReadonlyArray<string> {
    return this.#indexes.map((node) => join(this.#home, `node${node}`, "data"))
  }

  /** The root of the nodes' `fs` snapshots. */
  get snapshotFolder(): string {
    return join(this.#home, "snapshots")
  }

  /** Returns once each of the nodes sees the whole cluster. They keep the data that they had before. */
  async start(nodes: ReadonlyArray<number> = this.#indexes): Promise<void> {
    for (const node of nodes) this.#spawn(node)
    const giveUpAt = performance.now() + startTimeLimit
    for (const node of nodes) {
      while (!(await this.#seesAll(node))) {
        const { exitCode = null } = this.#processes.get(node) ?? {}
        if (exitCode !== null || performance.now() > giveUpAt) {
          const log = readFileSync(this.#logFile(node), "utf8").slice(-4_000)
          throw new Error(`Node ${node} of OpenSearch did not start:\n${log}`)
        }
        await sleep(50)
      }
    }
  }

  /** SIGKILL unless given. Returns once the process has ended, or at once for a signal that does not end it. */
  async signal(node: number, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const process = this.#processes.get(node)
    if (process === undefined || process.exitCode !== null || process.signalCode !== null) return
    const ended = new Promise<unknown>((resolve) => process.once("exit", resolve))
    process.kill(signal)
    if (signal === "SIGKILL" || signal === "SIGTERM") await ended
  }

  /** Ends every process and deletes the data. */
  async stop(): Promise<void> {
    await Promise.all(this.#indexes.map((node) => this.signal(node)))
    rmSync(this.#home, { recursive: true, force: true })
  }

  get #indexes(): ReadonlyArray<number> {
    return Array.from({ length: this.size }, (_, node) => node)
  }

  #logFile(node: number): string {
    return join(this.#home, `node${node}.log`)
  }

  #spawn(node: number): void {
    const { forThroughput = false, heap = "512m", settings } = this.#options
    const home = join(this.#home, `node${node}`)
    mkdirSync(join(home, "config"), { recursive: true })
    const transport = this.#ports.slice(this.size)
    const all = {
      "cluster.name": "test",
      "node.name": `node${node}`,
      "network.host": "127.0.0.1",
      "http.port": String(this.#ports[node]),
      "transport.port": String(transport[node]),
      ...(this.size === 1
        ? { "discovery.type": "single-node" }
        : {
            "discovery.seed_hosts": transport.map((port) => `127.0.0.1:${port}`).join(),
            "cluster.initial_cluster_manager_nodes": this.#indexes.map((index) => `node${index}`).join()
          }),
      "action.auto_create_index": "false",
      "search.default_allow_partial_results": "false",
      "cluster.routing.allocation.disk.threshold_enabled": "false",
      "path.repo": this.snapshotFolder,
      ...settings
    }
    const log = openSync(this.#logFile(node), "a", 0o600)
    const started = spawn(
      this.#jars.java,
      [
        `-Xms${heap}`,
        `-Xmx${heap}`,
        ...(forThroughput ? [] : ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]),
        "-XX:+ExitOnOutOfMemoryError",
        "-XX:-UsePerfData",
        ...this.#jars.options,
        "OpenSearchNode",
        home,
        ...Object.entries(all).map(([key, value]) => `${key}=${value}`)
      ],
      // The node ends when the other end of its standard input is gone.
      { stdio: ["pipe", log, log] }
    )
    closeSync(log)
    this.#processes.set(node, started)
  }

  async #seesAll(node: number): Promise<boolean> {
    // The node listens on no port before its log says so.
    const log = this.#logFile(node)
    if (!existsSync(log)) return false
    try {
      const answer = await fetch(`${this.urls[node]}/_cluster/health?wait_for_nodes=${this.size}&timeout=1s`)
      await answer.body?.cancel()
      return answer.ok
    } catch {
      return false
    }
  }
}

/** Milliseconds. It ends what hangs: a node whose process waits for the processor starts in minutes. */
const startTimeLimit = 20 * 60_000
