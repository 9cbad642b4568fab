/** The extension as the extension host knows it: hostChecks.ts runs in there, over the editor's own API. */
import { runInHost } from "@threat-exposure/tools/real-vscode-host"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { checks, type Outcomes } from "./hostChecks.ts"
import { cannotRun, prepare, type Stage, watch, type WatchedService } from "./Setup.ts"

describe.skipIf(cannotRun !== undefined)(cannotRun ?? "inside the extension host", () => {
  let stage: Stage | undefined
  let watched: WatchedService | undefined
  let outcomes: Outcomes = {}

  beforeAll(async () => {
    const { browser, code, service } = (stage = await prepare())
    watched = await watch(service.address)
    outcomes = await runInHost({
      browser,
      code,
      module: new URL("hostChecks.ts", import.meta.url).href,
      env: {
        THREAT_EXPOSURE_BASE_URL: watched.address,
        THREAT_EXPOSURE_TOKEN: service.token,
        HOST_CHECKS_EVENT: await service.uidOf("leaked_credential")
      }
    })
  })
  afterAll(async () => {
    watched?.stop()
    await stage?.stop()
  })

  it.each(Object.keys(checks))("%s", (name) => {
    assert.isNull(outcomes[name])
  })
})
