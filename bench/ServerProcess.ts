/** Servers and load generators, each in its own process. */
import { type ChildProcess, fork, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Answered, LoadOrder } from "./LoadProgram.ts"

export const connections = 16

/** Starts a server and gives what `listening` finds in its output. */
export const spawnServer = async (args: ReadonlyArray<string>, listening: RegExp): Promise<number> => {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] })
  started.push(child)
  let output = ""
  for await (const text of child.stdout) {
    output += text
    const found = listening.exec(output)
    if (found === null) continue
    const port = Number(found[1])
    pids.set(port, child.pid)
    return port
  }
  throw new Error("The server did not start")
}

/** Milliseconds of user and system time of the server on a port: `utime` and `stime` of proc_pid_stat(5), in ticks of 10 ms. */
export const processorTimeOf = (port: number): number => {
  const stat = readFileSync(`/proc/${pids.get(port)}/stat`, "utf8")
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
  return (Number(user) + Number(system)) * 10
}

/** Sends searches of credentials to a service. */
export const ask = (
  port: number,
  token: string,
  searches: ReadonlyArray<unknown>,
  concurrent = connections,
  order: Partial<LoadOrder> & { readonly pause?: number; readonly target?: string; readonly contentType?: string } = {}
): Promise<Answered> =>
  generate("./LoadGenerator.ts", {
    port,
    token,
    bodies: searches.map((search) => (search === undefined ? "" : JSON.stringify(search))),
    connections: concurrent,
    ...order
  })

/** Gives an order to a load generator, and waits for its counts. */
export const generate = async (program: string, order: object): Promise<Answered> => {
  const child = fork(fileURLToPath(import.meta.resolve(program)))
  started.push(child)
  // The required figures are those of a warm server.
  child.send({ warmUp: 5_000, milliseconds: 4_000, ...order })
  const [answered] = await Promise.race([
    once(child, "message"),
    once(child, "exit").then(() => Promise.reject(new Error(`${program} ended without an answer`)))
  ])
  return answered
}

/** Ends the server on a port, and waits until it has stopped. */
export const stop = async (port: number): Promise<void> => {
  const child = started.find(({ pid }) => pid === pids.get(port))
  child?.kill()
  if (child?.exitCode === null) await once(child, "exit")
}

export const endAll = (): void => {
  for (const child of started) child.kill()
}

const started: Array<ChildProcess> = []
const pids = new Map<number, number | undefined>()
