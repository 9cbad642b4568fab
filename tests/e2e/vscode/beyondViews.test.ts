/** What the extension does outside its views: requests, links, the walkthrough, marks as one types, and tools. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { cannotRun, given, prepare, type Stage } from "./Setup.ts"
import { Workbench } from "./Workbench.ts"

describe.skipIf(cannotRun !== undefined)(cannotRun ?? "in a real VS Code, outside its views", () => {
  let stage: Stage
  let bench: Workbench

  beforeAll(async () => {
    stage = await prepare(given)
    await writeFile(join(stage.code.workspace, "draft.env"), "")
    bench = await Workbench.open(stage.browser, stage.code.address)
    await bench.status().getByText("sample service").waitFor()
  })
  afterAll(() => stage?.stop())
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
        await bench.choose("They may only read")
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

  it("opens the event that a link names", async () => {
    const uid = await stage.service.uidOf("leaked_credential")
    await bench.command("Developer: Open URL")
    await bench.answer("URL to open", `code-oss://threat-exposure.threat-exposure/event/${encodeURIComponent(uid)}`)
    await bench.dialogButton("Open")
    await bench.waitForText(`**UID:** \`${uid}\``)
    await bench.closeEditors()
  })

  it("opens a link to an event whose uid has a percent sign, and says that there is none", async () => {
    const before = (await stage.service.requests()).length
    await bench.command("Developer: Open URL")
    const link = `code-oss://threat-exposure.threat-exposure/event/${encodeURIComponent("leak/nowhere/100%")}`
    await bench.answer("URL to open", link)
    await bench.dialogButton("Open")
    await bench.waitForText("Event not found.")
    assert.isAbove((await stage.service.requests()).length, before)
    await bench.closeEditors()
  })

  it("leads through its first steps, each with a button that does what it says", async () => {
    await bench.command("Welcome: Open Walkthrough")
    await bench.choose("Get Started with Threat Exposure")
    const step = async (title: string, button: string) => {
      const shown = bench.page.locator(`.getting-started-step:has-text("${title}")`)
      await shown.waitFor()
      if (!(await shown.getAttribute("class"))?.includes("expanded")) await shown.click()
      await shown.locator(`.monaco-button:has-text("${button}")`).click()
    }
    // One is signed in already.
    await bench.page.locator('.getting-started-step:has-text("Sign in") .codicon.complete').waitFor()
    await step("Sign in", "Sign In")
    await bench.question("sample service")
    await bench.page.keyboard.press("Escape")
    await step("Add an identifier", "Create Identifier")
    await bench.question("What do you want to monitor?")
    await bench.page.keyboard.press("Escape")
    await step("Look at its events", "Show Events")
    await bench.view("Events").waitFor()
    await step("Check your changes", "Check Changes")
    await bench.dialog().getByText("Search for leaks?").waitFor()
    await bench.dialogButton("Cancel")
    await bench.closeEditors()
  })

  it("marks what looks like a secret as one types, and asks nobody", async () => {
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
    await bench.checkSetting("threatExposure.leakCheck.asYouType")
    await bench.openFile("draft.env")
    await bench.page.locator(".squiggly-info").first().waitFor({ state: "detached" })
    await bench.checkSetting("threatExposure.leakCheck.asYouType")
    await bench.openFile("draft.env")
    await bench.page.locator(".squiggly-info").first().waitFor()
  })
})
