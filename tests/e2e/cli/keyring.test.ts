/** Signing in on a machine with a keyring: the real one of a Linux desktop, in a session of its own. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { mkdir, readFile, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { systemProgram } from "@threat-exposure/programs/SystemProgram"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { makeProgram, type Program } from "./Program.ts"
import { type Receiver, startReceiver } from "./Receiver.ts"

const run = promisify(execFile)

const missing: Array<string> = []

/** Returns the path of the program; empty if it is not installed. */
const programOf = async (name: string, debianPackage: string) => {
  const program = await systemProgram([name], [debianPackage])
  if ("path" in program) return program.path
  missing.push(program.missing)
  return ""
}

const busDaemon = await programOf("dbus-daemon", "dbus-daemon")
const keyringDaemon = await programOf("gnome-keyring-daemon", "gnome-keyring")
const secretTool = await programOf("secret-tool", "libsecret-tools")
const gdbus = await programOf("gdbus", "libglib2.0-bin")

describe.skipIf(missing.length > 0)(missing.length > 0 ? missing.join("; ") : "with a keyring", () => {
  const token = "te_kept_in_the_keyring_4711"
  let program: Program
  /** Takes every token, and describes none. */
  let service: Receiver
  let bus: ChildProcess
  let keyring: ChildProcess
  let env: Readonly<Record<string, string>> = {}
  const authorizations: Array<string | undefined> = []

  const ended = (child: ChildProcess) =>
    child.exitCode !== null || child.signalCode !== null
      ? undefined
      : new Promise((resolve) => {
          child.once("exit", resolve)
          child.kill()
        })

  /** Resolves once it answers on the bus. */
  const startKeyring = async (...args: ReadonlyArray<string>) => {
    keyring = spawn(keyringDaemon, ["--foreground", "--components=secrets", ...args], {
      env: { ...process.env, ...env },
      stdio: ["pipe", "ignore", "ignore"]
    })
    keyring.stdin?.end("a password of the keyring")
    await run(gdbus, ["wait", "--session", "--timeout", "600", "org.freedesktop.secrets"], {
      env: { ...process.env, ...env }
    })
  }

  beforeAll(async () => {
    service = await startReceiver(({ headers }) => {
      authorizations.push(headers.authorization)
      return { status: 404 }
    })
    program = await makeProgram()
    const runtime = join(program.folder, "runtime")
    await mkdir(runtime, { mode: 0o700 })
    bus = spawn(busDaemon, ["--session", "--nofork", "--print-address=1"], { stdio: ["ignore", "pipe", "ignore"] })
    if (bus.stdout === null) throw new Error("The bus has no standard output")
    const { value: address } = await createInterface(bus.stdout)[Symbol.asyncIterator]().next()
    env = { HOME: program.folder, XDG_RUNTIME_DIR: runtime, DBUS_SESSION_BUS_ADDRESS: String(address) }
    await startKeyring("--unlock")
  })
  afterAll(async () => {
    await Promise.all([ended(keyring), ended(bus), service?.close()])
    await program?.remove()
  })

  it("keeps the token in it, and in no file; says so when it is locked; and deletes the token", async () => {
    const login = await program.run(["login", "--base-url", service.url], { env, input: token })
    assert.strictEqual(login.code, 0, login.stderr)
    assert.include(login.stderr, "Access token kept in the system's keyring.")
    const file = join(program.folder, "config", "threat-exposure", "profiles.json")
    assert.notInclude(await readFile(file, "utf8"), token)
    assert.strictEqual((await stat(file)).mode & 0o777, 0o600)

    const whoami = await program.run(["whoami"], { env })
    assert.strictEqual(whoami.code, 0, whoami.stderr)
    assert.strictEqual(authorizations.at(-1), `Bearer ${token}`)

    await ended(keyring)
    await startKeyring()
    const locked = await program.run(["whoami"], { env })
    assert.strictEqual(locked.code, 4)
    assert.include(locked.stderr, "keyring, which may be locked")
    const other = await program.run(["whoami"], { env: { ...env, THREAT_EXPOSURE_TOKEN: "te_of_a_variable" } })
    assert.strictEqual(other.code, 0, other.stderr)
    const again = await program.run(["login", "--base-url", service.url], { env, input: token })
    assert.include(again.stderr, `Access token kept in ${file}.`)
    assert.strictEqual((await stat(file)).mode & 0o777, 0o600)
    await rm(file)

    await ended(keyring)
    await startKeyring("--unlock")
    await program.run(["login", "--base-url", service.url], { env, input: token })
    const lookup = () =>
      run(secretTool, ["lookup", "service", "threat-exposure"], { env: { ...process.env, ...env } }).then(
        ({ stdout }) => stdout,
        () => ""
      )
    assert.strictEqual(await lookup(), token)
    assert.strictEqual((await program.run(["logout"], { env })).code, 0)
    assert.strictEqual(await lookup(), "")
  })
})
