/** Files that the real programs write, if this machine has the programs. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { execFile, execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { candidatesIn } from "../../../src/Text.ts"

const values = (text: string, path: string) => candidatesIn(text, { path }).map(({ value }) => Redacted.value(value))

const isInstalled = (program: string) => spawnSync(program, ["--version"]).error === undefined

const temporary = () => {
  const path = mkdtempSync(join(tmpdir(), "credential-file-"))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

describe("the secret itself", () => {
  it.skipIf(!isInstalled("git"))("of the store of git, which escapes what a URL may not hold", () => {
    using folder = temporary()
    const file = join(folder.path, ".git-credentials")
    const secret = "Vq7m@Xt/92:LkPw%"
    execFileSync("git", ["credential-store", "--file", file, "store"], {
      input: `protocol=https\nhost=git.internal\nusername=bob\npassword=${secret}\n\n`
    })
    const text = readFileSync(file, "utf8")
    assert.notInclude(text, secret)
    assert.deepStrictEqual(values(text, ".git-credentials"), [secret])
  })

  it.skipIf(!isInstalled("curl"))("of the cookies that curl keeps", async () => {
    using folder = temporary()
    const file = join(folder.path, "cookies.txt")
    const session = "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5"
    const server = createServer((_request, response) => {
      response.setHeader("set-cookie", [`sessionid=${session}; HttpOnly; Max-Age=3600; Path=/`, "theme=dark; Path=/"])
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    try {
      await promisify(execFile)("curl", ["-s", "--noproxy", "*", "-c", file, `http://127.0.0.1:${port}/`])
    } finally {
      server.close()
    }
    assert.deepStrictEqual(values(readFileSync(file, "utf8"), "cookies.txt"), [session])
  })
})

describe("is not taken for another", () => {
  it.each([
    ["cookies.txt", "a.internal\tTRUE\t/\tTRUE\t1999999999\ttheme\tq7mlkpw92vtx4ugs8wz1erb6yhn3jmk5\n"],
    ["form.json", '[{ "name": "color", "value": "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5" }]\n'],
    ["sort.sh", 'sort -b "sessionid=q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5"\n'],
    ["app.properties", "db.password=#\nother=1\n"],
    ["app.ini", "password = # set it in the environment\n"],
    ["terraform.tfstate", '{ "region": { "value": "eu-central-1", "type": "string", "sensitive": false } }\n'],
    // The key derivation algorithm is scrypt, so the key has a password.
    ["mini.key", `untrusted comment: minisign encrypted secret key\nRWRTY0Iy${"Zx9cVb3nMq7wEr5t".repeat(13)}\n`]
  ])("in %s: %s", (path, text) => assert.deepStrictEqual(values(text, path), []))
})
