/** The extension as the extension host knows it: hostChecks.ts runs in there, over the editor's own API. */
import { createServer, request as ask, type Server } from "node:http"
import { freePort } from "@threat-exposure/tools/real-vscode"
import { runInHost } from "@threat-exposure/tools/real-vscode-host"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { checks, type Outcomes } from "./hostChecks.ts"
import { cannotRun, prepare, type Stage } from "./Setup.ts"

describe.skipIf(cannotRun !== undefined)(cannotRun ?? "inside the extension host", () => {
  let stage: Stage | undefined
  let counting: Server | undefined
  let outcomes: Outcomes = {}

  beforeAll(async () => {
    const { browser, code, service } = (stage = await prepare())
    const port = await freePort()
    counting = countingIn(service.address).listen(port, "127.0.0.1")
    outcomes = await runInHost({
      browser,
      code,
      module: new URL("hostChecks.ts", import.meta.url).href,
      env: {
        THREAT_EXPOSURE_BASE_URL: `http://127.0.0.1:${port}`,
        THREAT_EXPOSURE_TOKEN: service.token,
        HOST_CHECKS_EVENT: await service.uidOf("leaked_credential")
      }
    })
  })
  afterAll(async () => {
    counting?.close()
    counting?.closeAllConnections()
    await stage?.stop()
  })

  it.each(Object.keys(checks))("%s", (name) => {
    assert.isNull(outcomes[name])
  })
})

/** The service, and at `/asked` the paths that it was asked for. */
const countingIn = (address: string): Server => {
  const asked: Array<string> = []
  return createServer((request, response) => {
    const { url = "", method, headers } = request
    if (url === "/asked") {
      response.end(JSON.stringify(asked))
      return
    }
    asked.push(url)
    const forwarded = ask(`${address}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    forwarded.once("error", () => response.destroy())
    request.pipe(forwarded)
  })
}
