/** The feed into a real rsyslog. */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { freePort } from "@threat-exposure/programs/FreePort"
import { systemProgram } from "@threat-exposure/programs/SystemProgram"
import { type RunningService, startService } from "@threat-exposure/service/testing/TestService"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { paste } from "../vscode/SyntheticEvents.ts"
import { makeProgram, type Program } from "./Program.ts"

const rsyslog = await systemProgram(["rsyslogd", "/usr/sbin/rsyslogd"], ["rsyslog"])

describe.skipIf("missing" in rsyslog)("missing" in rsyslog ? rsyslog.missing : "rsyslog as a sink", () => {
  let service: RunningService
  let program: Program

  beforeAll(async () => {
    service = await startService()
    program = await makeProgram({ THREAT_EXPOSURE_BASE_URL: service.url, THREAT_EXPOSURE_TOKEN: service.token })
  })
  afterAll(async () => {
    await Promise.all([service?.stop(), program?.remove()])
  })

  const isListening = (port: number) =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1")
      socket.once("connect", () => (socket.destroy(), resolve(true)))
      socket.once("error", () => resolve(false))
    })

  it("stores each event as one message, with its time, uid and JSON", async () => {
    const at = new Date("2026-11-20T08:00:00.250Z")
    await service.load(
      "events",
      Array.from({ length: 40 }, (_, number) => paste({ number, severity: "high", at, about: "é 🔑 subject" }))
    )
    const port = await freePort()
    const stored = join(program.folder, "stored.log")
    await writeFile(
      join(program.folder, "rsyslog.conf"),
      [
        'module(load="imtcp")',
        `input(type="imtcp" address="127.0.0.1" port="${port}")`,
        'template(name="all" type="string" string="%timestamp:::date-rfc3339% %app-name% %structured-data% %msg%\\n")',
        `action(type="omfile" file="${stored}" template="all")`,
        ""
      ].join("\n")
    )
    const daemon = spawn(
      "path" in rsyslog ? rsyslog.path : "",
      ["-n", "-f", join(program.folder, "rsyslog.conf"), "-i", join(program.folder, "rsyslog.pid")],
      { stdio: "ignore" }
    )
    try {
      while (!(await isListening(port))) await sleep(50)
      const args = ["feed", "--query", "subject", "--state", "feed.json", "--since", "2026-11-01", "--once"]
      const { code, stderr } = await program.start([
        ...args,
        "--to",
        `syslog:127.0.0.1:${port}`,
        "--to",
        "file:out.ndjson"
      ]).ended
      assert.strictEqual(code, 0, stderr)
      const expected = (await readFile(join(program.folder, "out.ndjson"), "utf8")).trimEnd().split("\n")
      assert.lengthOf(expected, 40)
      const messages = async () =>
        existsSync(stored) ? (await readFile(stored, "utf8")).split("\n").filter((line) => line.includes("leak@")) : []
      while ((await messages()).length < expected.length) await sleep(50)
      const parts = (await messages()).map(
        (line) => /^(\S+) (\S+) \[leak@32473 uid="([^"]*)"\] {1,2}(.*)$/u.exec(line) ?? []
      )
      assert.deepStrictEqual(
        parts.map(([, , , , text]) => text),
        expected
      )
      assert.deepStrictEqual(
        parts.map(([, , , uid]) => uid),
        expected.map((line) => JSON.parse(line).uid)
      )
      for (const [, time = "", app] of parts) {
        assert.strictEqual(Date.parse(time), at.getTime())
        assert.strictEqual(app, "threat-exposure")
      }
    } finally {
      daemon.kill("SIGTERM")
    }
  })
})
