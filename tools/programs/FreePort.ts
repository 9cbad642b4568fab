/** Ports for programs that tests start, and start again at the same address. */
import { randomInt } from "node:crypto"
import { createServer } from "node:net"

/**
 * A port of this machine that nobody listens on. It is below those that systems give to outgoing connections, so that none
 * of them takes it before the program has started.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(10_000, 32_768)
    if (await isFree(port)) return port
  }
}

/** `count` different ports. */
export const freePorts = async (count: number): Promise<ReadonlyArray<number>> => {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await freePort())
  return [...ports]
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once("error", () => resolve(false))
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)))
  })
