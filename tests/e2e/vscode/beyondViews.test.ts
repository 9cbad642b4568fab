/** The extension outside its views: requests, links, the walkthrough, marks as one types, and what other extensions get. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import type { Socket } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort } from "@threat-exposure/programs/FreePort"
import { afterAll, afterEach, assert, beforeEach, describe } from "vitest"
import { makeCertificate } from "../Certificate.ts"
import { cannotRun, given, prepare, type Stage, watch, type WatchedService } from "./Setup.ts"
import { it } from "./SharedBrowser.ts"
import { until, Workbench } from "./Workbench.ts"

const guide = readFileSync(new URL("../../../docs/extension.md", import.meta.url), "utf8")
const [, sessionCode = ""] = /^```ts\n(.*?)^```$/msu.exec(guide) ?? []
const commandLine = fileURLToPath(new URL("../../../apps/cli/bin/threat-exposure.mjs", import.meta.url))

describe.skipIf(cannotRun !== undefined)(cannotRun ?? "in a real VS Code, outside its views", () => {
  let stage: Stage
  let bench: Workbench
  let watched: WatchedService
  let proxy: Server | undefined
  let proxyAddress = ""
  const tunnels: Array<string> = []
  const folder = mkdtempSync(join(tmpdir(), "threat-exposure-beyond-"))
  /** Behind certificates that sign themselves: the machine trusts one of the two. */
  let trusted: WatchedService
  let untrusted: WatchedService

  /** The certificate that is not trusted has the same name. */
  const certificateIn = (name: string) => {
    mkdirSync(join(folder, name))
    return makeCertificate(join(folder, name), "IP:127.0.0.1")
  }

  /** The command line on the PATH of the shell that a person logs in to. It notes which service and proxy it was given. */
  const installCommandLine = () => {
    const program = join(folder, "threat-exposure")
    const note = `printenv THREAT_EXPOSURE_BASE_URL HTTPS_PROXY > '${join(folder, "given")}'`
    writeFileSync(program, `#!/bin/sh\n${note}\nexec '${process.execPath}' '${commandLine}' "$@"\n`)
    chmodSync(program, 0o755)
    writeFileSync(join(folder, ".profile"), `PATH="${folder}:$PATH"\n`)
  }

  it.beforeAll(async ({ browser }) => {
    installCommandLine()
    const certificate = certificateIn("trusted")
    proxy = createServer().on("connect", ({ url = "" }, socket: Socket) => {
      tunnels.push(url)
      socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n")
    })
    const port = await freePort()
    proxy.listen(port, "127.0.0.1")
    proxyAddress = `http://127.0.0.1:${port}`
    stage = await prepare(browser, async (service) => {
      watched = await watch(service.address)
      trusted = await watch(service.address, certificate)
      untrusted = await watch(service.address, certificateIn("untrusted"))
      return {
        env: {
          ...given(service).env,
          HOME: folder,
          SSL_CERT_FILE: certificate.certificate,
          THREAT_EXPOSURE_BASE_URL: watched.address,
          PROBE_UID: await service.uidOf("leaked_credential"),
          PROBE_SESSION_CODE: sessionCode
        },
        settings: {
          "chat.disableAIFeatures": false,
          "http.proxy": proxyAddress,
          "http.noProxy": ["127.0.0.1"],
          "http.systemCertificatesNode": true
        }
      }
    })
    await writeFile(join(stage.code.workspace, "draft.env"), "")
    bench = await Workbench.open(stage.browser, stage.code.address, { alongside: new URL("probe", import.meta.url) })
    await bench.status().getByText("sample service").waitFor()
  })
  afterAll(async () => {
    proxy?.close()
    for (const each of [watched, trusted, untrusted]) each?.stop()
    await stage?.stop()
    rmSync(folder, { recursive: true })
  })
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") await bench.picture(task.name)
  })

  describe("requests", () => {
    beforeEach(() => bench.closeNotifications())

    it("asks for a report", async () => {
      await bench.command("Threat Exposure: Create Report…")
      await bench.answer("Title of the report", " ")
      await bench.fault("Enter a value")
      await bench.correct("Fourth quarter")
      await bench.answer("Author", "Dana")
      await bench.answer("Audience")
      await bench.answer("IDs of the report's elements", "3, 1, two")
      await bench.fault("Enter whole numbers, separated by commas")
      await bench.correct("3, 1")
      await bench.answer("Time interval")
      await bench.told("The report “Fourth quarter” was requested.")
    })

    it("adds users to the tenant behind a dialog, and says when it is not there", async () => {
      const add = async (tenant: string, users: string) => {
        await bench.command("Threat Exposure: Add Users to Tenant…")
        await bench.answer("Tenant ID", tenant)
        await bench.answer("User IDs", users)
        await bench.answer("Role")
        await bench.choose("Read-only access")
      }
      await add("1", "7, 8")
      await bench.dialog().getByText("Add 2 users to tenant 1?").waitFor()
      await bench.dialogButton("Add")
      await bench.told("2 users were added to tenant 1.")
      await add("99", "7")
      await bench.dialog().getByText("Add 1 user to tenant 99?").waitFor()
      await bench.dialogButton("Add")
      await bench.told("Tenant 99 not found.")
    })

    it("asks threat intelligence, shows the request's id and copies it", async () => {
      await bench.command("Threat Exposure: Ask Threat Intelligence…")
      await bench.answer("Your question", "Who sells access to example.com?")
      await bench.answer("Tone")
      const message = await bench.told("its ID is in the clipboard")
      const id = await bench.clipboard()
      assert.match(id, /^[\w-]{8,}$/u)
      assert.include(await message.textContent(), `Request ${id} sent;`)
      await bench.copy("something else")
      await bench.notificationButton("its ID is in the clipboard", "Copy Again")
      await bench.waitForClipboard(id)
    })
  })

  it("shows progress that can be cancelled while the service takes its time", async () => {
    await bench.only("Recommendations")
    await bench.row("Recommendations", "shop.example.com").waitFor()
    watched.hold()
    await bench.titleButton("Recommendations", "Refresh Recommendations")
    await bench.cancelProgress("Loading recommendations")
    await bench.row("Recommendations", "shop.example.com").waitFor()
    await bench.command("Threat Exposure: Search Credentials…")
    const form = await bench.webview("Every hundred results use one unit of quota.")
    await form.getByRole("textbox", { name: "Domain" }).fill("example.com")
    await form.getByRole("button", { name: "Search", exact: true }).click()
    const results = await bench.webview("Searching credentials…")
    await results.getByRole("button", { name: "Cancel" }).click()
    await bench.webview("Loading was cancelled.")
    watched.answer()
    await bench.closeEditors()
  })

  it("sends requests that follow each other over one connection", async () => {
    await bench.only("Recommendations")
    await bench.row("Recommendations", "shop.example.com").waitFor()
    const connections = watched.connections()
    for (let turn = 1; turn <= 4; turn++) {
      const answered = watched.answered()
      await bench.titleButton("Recommendations", "Refresh Recommendations")
      await until("the service has answered", () => watched.answered() > answered)
      await bench.view("Recommendations").locator(".monaco-progress-container.active").waitFor({ state: "hidden" })
    }
    assert.isAtMost(watched.connections(), connections + 1)
  })

  it("suggests to export outside of the git work tree", async () => {
    await bench.command("Threat Exposure: Export Events…")
    await bench.choose("All Identifiers")
    await bench.choose("At most 100 events")
    await bench.choose("CSV")
    await bench.choose("What the view shows")
    const input = bench.page.locator(".quick-input-widget:visible input.input")
    await bench.page.waitForFunction(
      `document.querySelector(".quick-input-widget input.input")?.value.endsWith(".csv")`
    )
    assert.strictEqual(dirname(await input.inputValue()), dirname(stage.code.workspace))
    await bench.page.keyboard.press("Escape")
  })

  it("stands in the accounts menu", async () => {
    await bench.page.locator('.activitybar a.action-label[aria-label^="Accounts"]').click()
    await bench.page.locator('.context-view .action-label:has-text("sample service (Threat Exposure)")').waitFor()
    await bench.page.keyboard.press("Escape")
  })

  it("uses the proxy of the editor's settings", async () => {
    await bench.command("Threat Exposure: Add Profile…")
    await bench.answer("Address of the service", "https://exposure.invalid")
    await bench.choose("No credentials")
    await bench.told("The service cannot be reached.")
    assert.include(tunnels, "exposure.invalid:443")
    await bench.closeNotifications()
  })

  it("trusts the certificates that the machine trusts, and no other", async () => {
    await bench.command("Threat Exposure: Add Profile…")
    await bench.answer("Address of the service", untrusted.address)
    await bench.choose("No credentials")
    await bench.told("The certificate of the service is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT).")
    await bench.closeNotifications()
    assert.deepStrictEqual(untrusted.asked, [])
    await bench.command("Threat Exposure: Add Profile…")
    await bench.signIn(trusted.address, stage.service.token)
    assert.isNotEmpty(trusted.asked)
  })

  it("offers the command line to the editor's agents, with the window's sign-in and the editor's network settings", async () => {
    await bench.command("MCP: List Servers")
    await bench.choose("Threat Exposure")
    await bench.choose("Start Server")
    await bench.page
      .locator(".panel .view-line")
      .filter({ hasText: /Discovered.\d+.tools/u })
      .waitFor()
    assert.strictEqual(await readFile(join(folder, "given"), "utf8"), `${trusted.address}\n${proxyAddress}\n`)
    await bench.command("View: Toggle Output")
    await bench.command("Threat Exposure: Switch Profile…")
    await bench.choose("sample service")
    await bench.status().getByText("sample service").waitFor()
  })

  it("opens the event that a link names", async () => {
    const uid = await stage.service.uidOf("leaked_credential")
    await bench.command("Developer: Open URL")
    await bench.answer("URL to open", `code-oss://threat-exposure.threat-exposure/event/${encodeURIComponent(uid)}`)
    await bench.dialogButton("Open")
    await bench.webview(uid)
    await bench.closeEditors()
  })

  it("opens a link to an event whose uid has a percent sign, and says that there is none", async () => {
    const before = (await stage.service.requests()).length
    await bench.command("Developer: Open URL")
    const link = `code-oss://threat-exposure.threat-exposure/event/${encodeURIComponent("leak/nowhere/100%")}`
    await bench.answer("URL to open", link)
    await bench.dialogButton("Open")
    await bench.webview("Event not found.")
    assert.isAbove((await stage.service.requests()).length, before)
    await bench.closeEditors()
  })

  it("guides through its first steps, each with a working button", async () => {
    await bench.command("Welcome: Open Walkthrough")
    await bench.choose("Get Started with Threat Exposure")
    // The stage is already signed in.
    await bench.page.locator('.getting-started-step:has-text("Sign in") .codicon.complete').waitFor()
    await bench.walkthroughStep("Sign in", "Sign In")
    await bench.question("sample service")
    await bench.page.keyboard.press("Escape")
    await bench.walkthroughStep("Add an identifier", "Create Identifier")
    await bench.question("What do you want to monitor?")
    await bench.page.keyboard.press("Escape")
    await bench.walkthroughStep("View its events", "Show Events")
    await bench.view("Events").waitFor()
    await bench.walkthroughStep("Check your changes", "Check Changes")
    await bench.dialog().getByText("Search for leaks?").waitFor()
    await bench.dialogButton("Cancel")
    await bench.closeEditors()
  })

  it("says that nothing was done if the editor has lost the row, and leaves the selected row alone", async () => {
    await bench.closeNotifications()
    await bench.only("Events")
    const row = bench.view("Events").locator('[role=treeitem][aria-label^="critical, "]').first()
    await bench.openPage(row, "What to do")
    const before = await stage.service.requests()
    await bench.command("Probe: Ignore a Lost Row")
    await bench.told("Nothing was done, because the rows were being drawn again.")
    assert.notInclude((await stage.service.requests()).slice(before.length).join("\n"), "events.act")
    await bench.closeEditors()
  })

  describe("gives another extension", () => {
    beforeEach(() => bench.closeNotifications())
    afterAll(() => bench.closeEditors())

    it("a session, once the user has allowed it, with the code of docs/extension.md", async () => {
      assert.include(sessionCode, "getSession")
      await bench.command("Probe: Get a Session")
      await bench.dialog().getByText("wants to sign in using Threat Exposure").waitFor()
      await bench.dialogButton("Allow")
      await bench.choose("sample service")
      await bench.told("Probe: there is a session.")
      assert.deepStrictEqual(JSON.parse(await readFile(join(stage.code.workspace, "session.json"), "utf8")), {
        accessToken: stage.service.token,
        label: "sample service",
        scopes: ["token"]
      })
    })

    it("tools that first say which service they ask and what it costs, and reveal no secret", async () => {
      await bench.openFile("staging.env")
      await bench.command("Probe: Use Language-Model Tools")
      for (const [title, cost] of [
        ["Search exposure events", "This uses one unit of your search quota."],
        ["Read an exposure event", "without its secrets."],
        ["Count leaked credentials", "This uses one unit of your search quota."],
        ["Check the open file for leaks", "two searches for each."]
      ] as const) {
        await bench.dialog().getByText(title).first().waitFor()
        await bench.dialog().getByText(cost).first().waitFor()
        assert.include(await bench.dialog().textContent(), watched.address)
        await bench.page.locator(".monaco-dialog-box .monaco-button").last().click()
        await bench.dialog().getByText(title).first().waitFor({ state: "detached" })
        if (title === "Check the open file for leaks") {
          // The first check of a person asks as every first check does.
          await bench.dialog().getByText("Search for leaks?").waitFor()
          await bench.dialogButton("Search")
        }
      }
      await bench.dialog().getByText("Search exposure events").first().waitFor()
      await bench.page.locator(".monaco-dialog-box .monaco-button").last().click()
      await bench.told("Probe: the tools have answered.")
      const text = await readFile(join(stage.code.workspace, "tools.json"), "utf8")
      const { known, answers } = JSON.parse(text)
      assert.sameMembers(
        known,
        ["searchEvents", "getEvent", "countCredentials", "checkOpenFile"].map((name) => `threatExposure_${name}`)
      )
      const [found, event, counted, checked, refused] = answers.map(({ text }: { readonly text: string }) => text)
      assert.isAtLeast(JSON.parse(found).events.length, 1)
      for (const { severity } of JSON.parse(found).events) assert.include(["high", "critical"], severity)
      assert.include(event, "**Password:** ••••••••")
      assert.isAbove(JSON.parse(counted).credentials, 0)
      assert.isAbove(Object.keys(JSON.parse(counted).bySource).length, 0)
      assert.strictEqual(JSON.parse(checked).verdict, "leaked")
      assert.sameMembers(
        JSON.parse(checked).leaks.flatMap(({ lines }: { readonly lines: ReadonlyArray<number> }) => lines),
        [2, 4, 5]
      )
      assert.include(refused, "Invalid input")
      for (const line of (await readFile(join(stage.code.workspace, "deploy", "staging.env"), "utf8")).split("\n")) {
        const secret = line.split("=")[1] ?? ""
        if (secret.length > 10 && !secret.startsWith("db.")) assert.notInclude(text, secret)
      }
    })
  })

  it("marks what looks like a secret during typing, and sends no request", async () => {
    await bench.openFile("draft.env")
    await bench.checkSetting("threatExposure.leakCheck.asYouType")
    const before = await stage.service.requests()
    await bench.openFile("draft.env")
    await bench.page.locator(".editor-group-container.active .view-lines").click()
    await bench.page.keyboard.type(`DATABASE_PASSWORD=${["Amber", "kestrel", "8841", "weir!"].join("-")}`)
    await bench.page.locator(".squiggly-info").first().waitFor()
    await bench.command("View: Toggle Problems")
    await bench.page
      .locator('.markers-panel [role=treeitem]:has-text("Check the file to learn whether it has leaked.")')
      .waitFor()
    assert.deepStrictEqual(await stage.service.requests(), before)
    await bench.pressInText("Control+Home")
    await bench.fix("Ignore with a comment")
    await bench.answer("Why can it be ignored?", "a draft")
    await bench.waitForText("# threat-exposure: allow-next-line (a draft)")
    await bench.page.locator(".squiggly-info").first().waitFor({ state: "detached" })
    await bench.pressInText("Control+Z")
    await bench.page.locator(".squiggly-info").first().waitFor()
    await bench.checkSetting("threatExposure.leakCheck.asYouType")
    await bench.openFile("draft.env")
    await bench.page.locator(".squiggly-info").first().waitFor({ state: "detached" })
    await bench.checkSetting("threatExposure.leakCheck.asYouType")
    await bench.openFile("draft.env")
    await bench.page.locator(".squiggly-info").first().waitFor()
  })
})
