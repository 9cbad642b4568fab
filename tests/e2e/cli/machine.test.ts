/** The check of a machine, whose home folder is the program's, against the real service. */
import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { leakedSecrets } from "@threat-exposure/sample/LeakedSecrets"
import { type RunningService, startService } from "@threat-exposure/service/testing/TestService"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { makeProgram, type Program } from "./Program.ts"

const leaked = leakedSecrets.databasePassword.value
const unknown = "kR7!vQ2p-Lx9wZz4"

describe("check --machine", () => {
  let service: RunningService
  let program: Program

  const write = (name: string, text: string) => {
    const file = join(program.folder, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }

  const check = async (...flags: ReadonlyArray<string>) => {
    const ended = await program.run(["check", "--machine", ...flags])
    for (const secret of [leaked, unknown]) assert.notInclude(ended.stdout + ended.stderr, secret)
    return ended
  }

  const listed = (stderr: string) => Array.from(stderr.matchAll(/^- ~\/(.+)$/gmu), ([, name]) => name)

  beforeAll(async () => {
    service = await startService({ sample: true })
  })
  afterAll(() => service?.stop())
  beforeEach(async () => {
    program = await makeProgram({ THREAT_EXPOSURE_BASE_URL: service.url, THREAT_EXPOSURE_TOKEN: service.token })
  })
  afterEach(() => program.remove())

  it("finds leaks in settings, histories, transcripts and exports, and names the files", async () => {
    const assignment = `export DB_PASSWORD='${leaked}'\n`
    write(".bashrc", assignment)
    write(".bash_history", `ls\n${assignment.repeat(20_000)}`)
    write(".claude/projects/shop/1.jsonl", `${JSON.stringify({ content: `DB_PASSWORD=${leaked}` })}\n`)
    write(".netrc", `machine db.example.com login shop password ${leaked}\n`)
    write("Downloads/Chrome Passwords.csv", `name,url,username,password\nshop,https://example.com,shop,${leaked}\n`)
    write("Downloads/report.csv", assignment)
    write(".ssh/known_hosts", assignment)
    write("projects/.env", assignment)
    const ended = await check("--yes", "--json")
    assert.strictEqual(ended.code, 1, ended.stderr)
    const report = JSON.parse(ended.stdout)
    assert.strictEqual(report.verdict, "leaked")
    const paths = report.leaks.flatMap(({ subject }: any) => subject.locations.map(({ path }: any) => path))
    assert.includeMembers(paths, ["~/.bashrc", "~/.bash_history", "~/.claude/projects/shop/1.jsonl", "~/.netrc"])
    for (const path of ["~/Downloads/report.csv", "~/.ssh/known_hosts", "~/projects/.env"]) {
      assert.notInclude(paths, path)
    }
    assert.include(ended.stderr, "Reading 5 files of ")
    assert.includeMembers(listed(ended.stderr), [".bashrc", ".claude/projects/shop/1.jsonl", ".netrc"])
  })

  it("reads each file once where links lead in circles, and says which links it does not follow", async () => {
    write(".ssh/id_ed25519", "no key\n")
    write(".ssh/keys/id_rsa", "no key\n")
    for (const name of ["up", "keys/top"]) symlinkSync(program.folder, join(program.folder, ".ssh", name))
    const { code, stderr, stdout } = await check("--offline", "--json")
    assert.strictEqual(code, 3, stderr)
    assert.deepStrictEqual(listed(stderr).toSorted(), [".ssh/id_ed25519", ".ssh/keys/id_rsa"])
    assert.sameMembers(JSON.parse(stdout).gaps, [
      "~/.ssh/keys/top was not read: it is a link to a folder",
      "~/.ssh/up was not read: it is a link to a folder"
    ])
  })

  it("refuses a home folder that does not exist (2)", async () => {
    const { code, stderr } = await program.run(["check", "--machine", "--offline"], { env: { HOME: "/nonsuch" } })
    assert.strictEqual(code, 2)
    assert.include(stderr, "--machine: the home folder /nonsuch cannot be read (no such file or directory)")
  })

  it("says whether the machine's names stand in stealer logs, and reads what the login shell sets", async () => {
    write(".gitconfig", '[user]\n\tname = Greta\n\temail = "greta.holloway@example.com"\n')
    const ended = await check("--yes", "--json")
    assert.strictEqual(ended.code, 1, ended.stderr)
    assert.match(ended.stderr, /^Then stealer logs are searched, .* the e-mail address in ~\/\.gitconfig$/mu)
    const { gaps, notices, verdict } = JSON.parse(ended.stdout)
    assert.strictEqual(verdict, "leaked")
    assert.deepStrictEqual(gaps, [])
    assert.match(notices.join("\n"), /The e-mail address in ~\/\.gitconfig of this machine stands in 1 stealer log: /u)
    assert.notInclude(ended.stdout, "greta.holloway")
    const limited = await check("--yes", "--max-searches", "0", "--json")
    assert.strictEqual(limited.code, 3, limited.stderr)
    assert.include(limited.stdout, "Stealer logs were not searched for the e-mail address in ~/.gitconfig")
    if (process.platform === "win32") return
    write(".profile", '. "$HOME/other.sh"\n')
    write("other.sh", `export DB_PASSWORD='${leaked}'\n`)
    const env = { SHELL: "/bin/sh" }
    const { code, stdout } = await program.run(["check", "--machine", "--yes", "--fail-on", "credentials"], { env })
    assert.strictEqual(code, 1)
    assert.include(stdout, "the environment of the login shell")
    assert.notInclude(stdout, leaked)
  })

  it("is clean where nothing has leaked, and lists candidates offline", async () => {
    write(".npmrc", "registry=https://npm.example.com\n")
    write(".aws/credentials", `[default]\naws_secret_password = ${unknown}\n`)
    const clean = await check("--yes")
    assert.strictEqual(clean.code, 0, clean.stderr)
    const offline = await check("--offline", "--fail-on", "candidates")
    assert.strictEqual(offline.code, 1, offline.stderr)
    assert.include(offline.stdout, "~/.aws/credentials")
  })

  it("reads nothing where nobody can be asked, and no pipe, and says what is too large", async () => {
    write(".bashrc", `export DB_PASSWORD='${leaked}'\n`)
    const refused = await check()
    assert.strictEqual(refused.code, 2)
    assert.include(refused.stderr, "give --yes to confirm it")
    assert.deepStrictEqual(listed(refused.stderr), [])
    if (process.platform !== "win32") execFileSync("mkfifo", [join(program.folder, ".netrc")])
    write(".zsh_history", `export DB_PASSWORD='${unknown}'\n`.repeat(600_000))
    const { code, stderr, stdout } = await check("--yes", "--json")
    assert.strictEqual(code, 1, stderr)
    assert.deepStrictEqual(listed(stderr), [".bashrc"])
    assert.include(stdout, "~/.zsh_history was not read: it has more than 20 MB")
    assert.include(stdout, "~/.netrc was not read: it is a pipe, a socket or a device")
  })

  it("names what is there and cannot be read, and ignores what is not there", async () => {
    write(".config", "")
    symlinkSync(".npmrc", join(program.folder, ".npmrc"))
    symlinkSync("nowhere", join(program.folder, ".pypirc"))
    const { code, stdout } = await check("--offline", "--json")
    assert.strictEqual(code, 3)
    assert.deepStrictEqual(JSON.parse(stdout).gaps, ["~/.npmrc cannot be read (too many symbolic links encountered)"])
  })

  it.runIf(process.platform !== "win32")("stops a login shell that prints without end", async () => {
    write(".profile", "yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n")
    const { code, stdout } = await program.run(["check", "--machine", "--offline", "--json"], {
      env: { SHELL: "/bin/sh" }
    })
    assert.strictEqual(code, 3)
    assert.deepStrictEqual(JSON.parse(stdout).gaps, ["/bin/sh did not give its environment as a login shell"])
  })

  it.each([[["--tree"]], [["--staged"]], [["."]]])("is refused together with %j (2)", async (flags) => {
    const { code, stderr } = await check("--yes", ...flags)
    assert.strictEqual(code, 2)
    assert.include(stderr, "run a second check for the code of a repository")
  })
})
