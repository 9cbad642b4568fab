/** The start of the installed program: the code that it has compiled, and keeps for the next start. */
import { spawnSync } from "node:child_process"
import { mkdtemp, readdir, readFile, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { mainFile, makeProgram, type Program } from "./Program.ts"

it.runIf(process.platform === "linux")("names a current folder that does not exist any more (2)", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "threat-exposure-gone-"))
  const { status, stderr } = spawnSync(
    "sh",
    ["-c", 'rmdir "$PWD" && exec "$0" "$@"', process.execPath, mainFile, "check", "--tree", "--offline"],
    { cwd, encoding: "utf8", env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] } }
  )
  assert.strictEqual(status, 2, stderr)
  assert.strictEqual(stderr, "error: The current folder does not exist any more: change to another one\n")
})

it("loads no module of Node for --version that only other commands need", async () => {
  const folder = await mkdtemp(join(tmpdir(), "threat-exposure-modules-"))
  const script = join(folder, "modules.cjs")
  await writeFile(script, `process.on("exit", () => console.error(process.moduleLoadList.join("\\n")))`)
  const modulesOf = (...args: ReadonlyArray<string>) => {
    const { stderr } = spawnSync(process.execPath, ["--require", script, ...args], { encoding: "utf8" })
    return stderr.split("\n").filter((name) => /^NativeModule \w+$/u.test(name))
  }
  const bare = modulesOf("--eval", "console.log()")
  assert.sameMembers(
    modulesOf(mainFile, "--version").filter((name) => !bare.includes(name)),
    ["NativeModule os", "NativeModule vm"]
  )
  // The bundle loads `execFile` at its first call, and `promisify` would not see what belongs to it.
  assert.notInclude(
    await readFile(new URL("../dist/threat-exposure.mjs", pathToFileURL(mainFile)), "utf8"),
    "promisify"
  )
})

describe("the compiled code of the program", () => {
  let program: Program
  beforeAll(async () => {
    program = await makeProgram()
  })
  afterAll(() => program?.remove())

  const runIn = (cache: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
    program.start(args, { env: { XDG_CACHE_HOME: join(program.folder, cache), ...env } }).ended
  const filesIn = (cache: string) => readdir(join(program.folder, cache, "threat-exposure", "compiled"))
  const version = { code: 0, stdout: /^threat-exposure v\d/u, stderr: "" }
  const assertVersion = ({ code, stderr, stdout }: Awaited<ReturnType<typeof runIn>>) => {
    assert.deepStrictEqual([code, stderr], [version.code, version.stderr])
    assert.match(stdout, version.stdout)
  }

  it("is kept by use, and read again", async () => {
    for (let n = 0; n < 2; n++) {
      assertVersion(await runIn("uses", ["--version"]))
      assert.include((await runIn("uses", ["check", "--help"])).stdout, "--staged")
      for (const command of ["hook", "accounts", "export", "feed"])
        assert.include((await runIn("uses", [command, "--help"])).stdout, "USAGE")
      const event = { input: "not JSON", env: { XDG_CACHE_HOME: join(program.folder, "uses") } }
      assert.strictEqual((await program.start(["hook", "run", "--agent", "codex"], event).ended).code, 2)
    }
    const uses = (await filesIn("uses")).map((name) => name.replace(/-v\d.*/u, ""))
    assert.sameMembers(uses, ["agent-precheck", "agent-check", "check", "accounts", "export", "feed", "other"])
  })

  it("is replaced if it is damaged, or is that of another program", async () => {
    assertVersion(await runIn("damaged", ["--version"]))
    const [name = ""] = await filesIn("damaged")
    const file = join(program.folder, "damaged", "threat-exposure", "compiled", name)
    const whole = await readFile(file)
    const other = Buffer.from(whole)
    other.writeUInt8(other.readUInt8(0) ^ 1, 0)
    for (const bytes of [Buffer.alloc(0), whole.subarray(0, 20), whole.subarray(0, whole.length / 2), other]) {
      await writeFile(file, bytes)
      assertVersion(await runIn("damaged", ["--version"]))
      const { length } = await readFile(file)
      assert.isAbove(length, whole.length * 0.9)
      assert.isTrue((await readFile(file)).subarray(0, 32).equals(whole.subarray(0, 32)))
    }
  })

  it("is accepted by the next start of a command that changes flags of V8", async () => {
    const help = () => runIn("long", ["feed", "--help"])
    const written = async () => {
      const [name = ""] = await filesIn("long")
      return (await stat(join(program.folder, "long", "threat-exposure", "compiled", name))).ino
    }
    assert.strictEqual((await help()).code, 0)
    const first = await written()
    assert.strictEqual((await help()).code, 0)
    // One that is refused is written again.
    assert.strictEqual(await written(), first)
  })

  it("is not kept where it is disabled, or where it cannot be written", async () => {
    assertVersion(await runIn("disabled", ["--version"], { NODE_DISABLE_COMPILE_CACHE: "1" }))
    await writeFile(join(program.folder, "file"), "")
    assertVersion(await runIn("file", ["--version"]))
    assert.notInclude(await readdir(program.folder), "disabled")
  })
})
