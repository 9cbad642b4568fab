/** The commands of the command line, and the MCP server's, in a repository whose settings name programs. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { hostileRepository } from "@threat-exposure/leak-check/testing/HostileRepository"
import { type RunningService, startService } from "@threat-exposure/service/testing/TestService"
import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { mainFile, makeProgram, type Program } from "./Program.ts"

describe("a repository in which every setting that can run a program names one", () => {
  let service: RunningService
  let program: Program

  const environment = (folder: string) => ({
    PATH: process.env["PATH"] ?? "",
    HOME: program.folder,
    THREAT_EXPOSURE_CALLED_FROM: folder,
    THREAT_EXPOSURE_BASE_URL: service.url,
    THREAT_EXPOSURE_TOKEN: service.token
  })

  beforeAll(async () => {
    service = await startService({ sample: true })
    program = await makeProgram()
  })
  afterAll(async () => {
    await Promise.all([service?.stop(), program?.remove()])
  })

  it("starts none of them, whatever command reads it", async () => {
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const { base, embedded, forgetMarks, head, marksLeft, repository } = yield* hostileRepository
          forgetMarks()
          const run = (folder: string, args: ReadonlyArray<string>, env = {}, input = "") =>
            Effect.promise(() => program.run(args, { env: { ...environment(folder), ...env }, input }))
          const { path } = repository
          for (const args of [
            ["check"],
            ["check", "--staged"],
            ["check", "--tree"],
            ["check", "--history"],
            ["check", "--range", `${base}..${head}`],
            ["ignore", "list"],
            ["hook", "install"],
            ["hook", "uninstall"]
          ]) {
            const { code, stderr } = yield* run(path, args)
            assert.include([0, args[0] === "hook" ? 2 : 0], code, stderr)
          }
          yield* run(path, ["check", "--push"], {}, `refs/heads/main ${head} refs/heads/main ${base}\n`)
          yield* run(path, ["check"], {
            CIRCLECI: "true",
            CIRCLE_SHA1: head,
            CIRCLE_PULL_REQUEST: "https://example.com/1"
          })
          for (const args of [["check"], ["check", "--tree"], ["check", "--history"], ["hook", "install"]]) {
            const { code, stderr } = yield* run(embedded, args)
            assert.strictEqual(code, 2, stderr)
            assert.include(stderr, "bare repository")
          }

          const client = new Client({ name: "test", version: "1.0.0" })
          const answers = yield* Effect.promise(async () => {
            await client.connect(
              new StdioClientTransport({
                command: process.execPath,
                args: [mainFile, "mcp", "--root", path],
                stderr: "ignore",
                env: { ...environment(path), GIT_DIR: "/nowhere" }
              })
            )
            const call = (folder: string, scope: string) =>
              client.callTool({ name: "check_repository", arguments: { path: folder, scope } })
            const all = [await call(path, "changes"), await call(path, "tree"), await call(embedded, "tree")]
            await client.close()
            return all.map(({ isError }) => isError === true)
          })
          assert.deepStrictEqual(answers, [false, false, true])
          assert.deepStrictEqual(marksLeft(), [])
        })
      )
    )
  })
})
