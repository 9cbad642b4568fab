/** `npm run vscode`: a real VS Code in the browser with the extension loaded, signed in to a sample service. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort, installVsCode, packExtension, startVsCode } from "./real-vscode.ts"
import { startSampleService } from "./SampleService.ts"
import { sampleSettings, sampleWorkspace } from "./real-vscode-workspace.ts"

const say = (line: string) => console.log(line)

await installVsCode(say)
const vsix = await packExtension(say)
say("Starting a service with sample data …")
const service = await startSampleService()
const folder = await mkdtemp(join(tmpdir(), "threat-exposure-orchard-"))
const repository = sampleWorkspace(join(folder, "orchard"))
say("Starting VS Code …")
const port = Number(process.env["PORT"] ?? (await freePort()))
const code = await startVsCode({
  vsix,
  folder: repository,
  port,
  settings: { ...sampleSettings, "workbench.colorTheme": "Default Dark Modern" },
  env: {
    THREAT_EXPOSURE_BASE_URL: service.address,
    THREAT_EXPOSURE_TOKEN: service.token,
    THREAT_EXPOSURE_PROFILE: "sample service"
  }
})

say("")
say(`VS Code: ${code.address}`)
say(`service: ${service.address}`)
say(`token:   ${service.token} (to sign in again by hand)`)
say("")
say("Open the first address in a browser, and choose the shield in the activity bar. End it with Ctrl+C.")

const end = async () => {
  await code.stop()
  await service.stop()
  await rm(folder, { recursive: true, force: true })
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    say("Ending …")
    void end().then(() => process.exit(0))
  })
}
