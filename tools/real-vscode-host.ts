/** Runs a module inside the extension host of a real VS Code, where `require("vscode")` is the editor's own API. */
import { readdirSync } from "node:fs"
import { mkdtemp, readFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { Browser } from "playwright-core"
import type { RunningVsCode } from "./real-vscode.ts"

/**
 * Opens a window of its own for the module, whose `run` is called as the extension's tests would be, and gives what it
 * answers through `answering` of real-vscode-inside.ts. The installed extension is the one under test.
 */
export const runInHost = async <Answer>(options: {
  readonly code: RunningVsCode
  readonly browser: Browser
  /** A `file:` URL. */
  readonly module: string
  /** The variables of the extension host. */
  readonly env?: Readonly<Record<string, string>>
}): Promise<Answer> => {
  const { code, browser, module, env } = options
  const answer = join(await mkdtemp(join(code.home, "host-")), "answer.json")
  const remote = (path: string) => `vscode-remote://127.0.0.1:${code.port}${encodeURI(path)}`
  const payload = JSON.stringify([
    ["extensionDevelopmentPath", remote(findInstalled(code))],
    ["extensionTestsPath", remote(fileURLToPath(module))],
    ["extensionEnvironment", JSON.stringify({ ...env, REAL_VSCODE_ANSWER: answer })]
  ])
  const context = await browser.newContext({ reducedMotion: "reduce" })
  try {
    const page = await context.newPage()
    await page.addInitScript(allowPayload)
    await page.goto(`${code.address}&payload=${encodeURIComponent(payload)}`, { timeout: 600_000 })
    for (let attempt = 0; attempt < 12_000; attempt++) {
      const written = await readFile(answer, "utf8").catch(() => undefined)
      if (written !== undefined) return read(written)
      await sleep(100)
    }
    throw new Error(`${module} did not answer within twenty minutes`)
  } finally {
    await context.close()
  }
}

/** Runs in the page, before the workbench reads its settings: it heeds what its address says of tests only with this. */
const allowPayload = `
  new MutationObserver((_, observer) => {
    const element = document.getElementById("vscode-workbench-web-configuration")
    if (element === null) return
    observer.disconnect()
    const settings = JSON.parse(element.getAttribute("data-settings"))
    settings.developmentOptions = { ...settings.developmentOptions, enableSmokeTestDriver: true }
    element.setAttribute("data-settings", JSON.stringify(settings))
  }).observe(document, { childList: true, subtree: true })`

const findInstalled = ({ home }: RunningVsCode): string => {
  const folder = join(home, "extensions")
  const name = readdirSync(folder).find((entry) => entry.startsWith("threat-exposure."))
  if (name === undefined) throw new Error(`The extension is not installed in ${folder}`)
  return join(folder, name)
}

const read = <Answer>(written: string): Answer => {
  const { value, failure }: { readonly value: Answer; readonly failure?: string } = JSON.parse(written)
  if (failure !== undefined) throw new Error(`In the extension host: ${failure}`)
  return value
}
