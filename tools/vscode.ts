/** `npm run vscode`: a real VS Code in the browser with the extension loaded, signed in to a sample service. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "@threat-exposure/programs/FreePort"
import { argumentsOf } from "./Arguments.ts"
import { installVsCode, packExtension, startVsCode } from "./real-vscode.ts"
import { startSampleService } from "./SampleService.ts"
import { sampleSettings, sampleWorkspace } from "./real-vscode-workspace.ts"

const say = (line: string) => console.log(line)

/** Put before the README of the sample workspace, which the editor shows first. */
const guide = `# Threat Exposure: a tour of one minute

You are signed in to a sample service. Everything here runs on your machine, and all data is synthetic.

1. **See what leaked.** Choose the shield in the activity bar, at the left edge. The *Overview* counts the events; choose a number to see the events behind it.
2. **Look at an event.** Choose a row of *Events*: where it was seen, what matched, and what to do with it. Secrets are hidden until you reveal them.
3. **Check this code.** In *Leak Check*, choose **Check Changes**, and confirm the plan with **Search**. Choose a leak to go to its line; \`Ctrl+.\` there shows what you can do.

---

`

argumentsOf("npm run vscode", { options: {} })
await installVsCode(say)
const vsix = await packExtension(say)
say("Starting a service with sample data …")
const service = await startSampleService()
const folder = await mkdtemp(join(tmpdir(), "threat-exposure-orchard-"))
const repository = sampleWorkspace(join(folder, "orchard"))
const readme = join(repository, "README.md")
await writeFile(readme, `${guide}${await readFile(readme, "utf8")}`)
say("Starting VS Code …")
const port = Number(process.env["PORT"] ?? (await freePort()))
const code = await startVsCode({
  vsix,
  folder: repository,
  port,
  settings: { ...sampleSettings, "workbench.colorTheme": "Dark 2026", "workbench.startupEditor": "readme" },
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
say("Open the first address in a browser: the page that it shows leads you on. End it with Ctrl+C.")

/** Ends all of them, even if one fails to end. */
const end = () => Promise.allSettled([code.stop(), service.stop(), rm(folder, { recursive: true, force: true })])
// npm, the shell and the terminal may each send one: without a handler, the second would leave the service behind.
let ending: Promise<never> | undefined
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    if (ending === undefined) say("Ending …")
    ending ??= end().then(() => process.exit(0))
  })
}
