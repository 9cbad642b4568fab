/**
 * The extension in both of its hosts: a process of the machine, and a web worker as in VS Code for the Web, which has no
 * processes, no git and no environment.
 */
import { join } from "node:path"
import { type Answering, type LocalServer, pipeThrough, startServer } from "@threat-exposure/programs/LocalServer"
import { runInHost } from "@threat-exposure/tools/real-vscode-host"
import { sampleWorkspace } from "@threat-exposure/tools/real-vscode-workspace"
import { afterAll, afterEach, assert, beforeAll, describe } from "vitest"
import { checks, type Outcomes } from "./hostChecks.ts"
import { cannotRun, prepare, type Stage, watch, type WatchedService } from "./Setup.ts"
import { it } from "./SharedBrowser.ts"
import { Workbench } from "./Workbench.ts"

/** Adds the CORS headers that let a browser of another origin read the service's answers. */
const forBrowsers =
  (address: string): Answering =>
  (request, response) => {
    const headers = {
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "*",
      "access-control-allow-methods": "*",
      "access-control-expose-headers": "*"
    }
    if (request.method === "OPTIONS") response.writeHead(204, headers).end()
    else pipeThrough(request, response, address, headers)
  }

describe.skipIf(cannotRun !== undefined)(cannotRun ?? "in a real VS Code", () => {
  let stage: Stage

  it.beforeAll(async ({ browser }) => {
    stage = await prepare(browser)
  })
  afterAll(() => stage?.stop())

  describe("inside the extension host, over the editor's own API", () => {
    let watched: WatchedService
    let outcomes: Outcomes = {}

    beforeAll(async () => {
      watched = await watch(stage.service.address)
    })
    afterAll(() => watched?.stop())

    // This is a test and not a hook, because only tests are retried.
    it("runs the checks in a separate window", async () => {
      const { browser, code, service } = stage
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

    it.each(Object.keys(checks))("%s", (name) => {
      assert.isNull(outcomes[name])
    })
  })

  describe("as a web extension", () => {
    let bench: Workbench
    let front: LocalServer

    beforeAll(async () => {
      await stage.code.configure({
        "remote.extensionKind": { "threat-exposure.threat-exposure": ["web"] },
        "threatExposure.savedSearches": [{ name: "Ours", query: { type: "domain", fqdn: "example.com" } }]
      })
      front = await startServer(forBrowsers(stage.service.address))
      // A separate folder, because the server keeps unsaved changes of the checks for the folder's next window.
      const window = new URL(stage.code.address)
      window.searchParams.set("folder", sampleWorkspace(join(stage.code.home, "web", "orchard")))
      bench = await Workbench.open(stage.browser, window.href)
    })
    afterAll(() => front?.close())
    afterEach(async ({ task }) => {
      if (task.result?.state === "fail") await bench.picture(task.name)
    })

    it("runs in a worker of the browser", async () => {
      await bench.status().getByText("Sign In").waitFor()
      await bench.command("Developer: Show Running Extensions")
      const row = bench.page.locator('.runtime-extensions-editor .extension:has-text("Threat Exposure")')
      await row
        .getByText(/web worker/iu)
        .first()
        .waitFor()
      await bench.closeEditors()
    })

    it("signs in, and shows events and one of them", async () => {
      await bench.only("Events")
      await bench.command("Threat Exposure: Sign In…")
      await bench.signIn(front.url, stage.service.token)
      await bench.row("Events", "shown").waitFor()
      await bench.only("Overview")
      const overview = await bench.webview("Events per day")
      await overview.getByText("open events in 30 days").waitFor()
      await bench.only("Events")
      const event = bench.view("Events").locator('[role=treeitem][aria-label*=" ago"]:not([aria-expanded])').first()
      await bench.openPage(event, "Details")
      await bench.closeEditors()
    })

    it("checks a file and the workspace through the editor", async () => {
      await bench.openFile("staging.env")
      await bench.command("Threat Exposure: Check File for Leaks")
      await bench.dialogButton("Search")
      await bench.page.locator(".squiggly-error").first().waitFor()
      await bench.only("Leak Check")
      await bench.view("Leak Check").getByText("3 leaked. 8 searches.").waitFor()
      await bench.command("Threat Exposure: Check Workspace for Leaks")
      await bench.row("Leak Check", "src/invoices.ts").waitFor()
    })

    it("says that a git range is not available here", async () => {
      await bench.command("Welcome: Open Walkthrough")
      await bench.choose("Get Started with Threat Exposure")
      await bench.walkthroughStep("Check your changes", "Check Changes")
      await bench.told("git needs a folder on a disk. Check the file or the workspace instead.")
      await bench.lookUp("Threat Exposure: Check")
      await bench.page
        .locator('.quick-input-list .monaco-list-row:has-text("Check Workspace for Leaks")')
        .first()
        .waitFor()
      assert.strictEqual(
        await bench.page.locator('.quick-input-list .monaco-list-row:has-text("Check Changes for Leaks")').count(),
        0
      )
      await bench.page.keyboard.press("Escape")
    })
  })
})
