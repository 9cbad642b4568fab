/** Triage by keyboard, from the overview, in a real editor; and the rows that are unfolded, after a reload. */
import type { Locator } from "playwright-core"
import { afterAll, afterEach, assert, describe } from "vitest"
import { cannotRun, prepare, type Stage } from "./Setup.ts"
import { it } from "./SharedBrowser.ts"
import { eventually, isThere, until, Workbench } from "./Workbench.ts"

describe.skipIf(cannotRun !== undefined)(cannotRun ?? "in a real VS Code", () => {
  let stage: Stage
  let bench: Workbench

  it.beforeAll(async ({ browser }) => {
    stage = await prepare(browser, () => ({
      settings: {
        "threatExposure.savedSearches": [{ name: "Ours", query: { type: "domain", fqdn: "example.com" } }]
      }
    }))
    bench = await Workbench.open(stage.browser, stage.code.address)
    await bench.only("Events")
    await bench.command("Threat Exposure: Sign In…")
    await bench.signIn(stage.service.address, stage.service.token)
  })
  afterAll(() => stage?.stop())
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") await bench.picture(task.name)
  })

  const ignored = async () => {
    const response = await fetch(`${stage.service.address}/svc/v4/events/tenant/_search`, {
      method: "POST",
      headers: { authorization: `Bearer ${stage.service.token}`, "content-type": "application/json" },
      body: JSON.stringify({ filters: { status: ["ignored"] } })
    })
    const { items } = (await response.json()) as { items: ReadonlyArray<unknown> }
    return items.length
  }

  /** The page of the event may take the focus, and with it the key, in that moment. */
  const press = (key: string, row: Locator, state: "visible" | "detached") =>
    until(`the row is ${state} after ${key}`, async () => {
      // A late effect moves the focus to another row, which must not take the key too.
      if ((await row.isVisible()) === (state === "visible")) return true
      await bench.view("Events").locator(".monaco-list").first().press(key)
      return isThere(row.waitFor({ state, timeout: 15_000 }))
    })

  it("ignores the selected event with a key, counts one less, and takes it back with another", async () => {
    await bench.only("Overview")
    const overview = await bench.webview("Events per day")
    const all = overview.locator("#all b")
    await all.filter({ hasText: /^\d+$/u }).waitFor()
    const total = Number(await all.textContent())
    const before = await ignored()
    await overview.locator("#severity-critical").press("Enter")
    await bench.row("Events", "of the loaded events").waitFor()
    const rows = bench.view("Events").locator('[role=treeitem][aria-label^="critical, "]')
    const first = (await rows.first().getAttribute("aria-label")) ?? ""
    await bench.openPage(rows.first(), "What to do")
    await rows.first().focus()
    const same = bench.view("Events").locator(`[role=treeitem][aria-label=${JSON.stringify(first)}]`)
    await press("Delete", same, "detached")
    await bench.view("Events").locator('[role=treeitem].focused[aria-label^="critical, "]').waitFor()
    await until("the event is ignored", async () => (await ignored()) === before + 1)
    await press("Control+z", same, "visible")
    await until("the event is open again", async () => (await ignored()) === before)
    await bench.only("Overview")
    await (
      await bench.webview("Events per day")
    )
      .locator("#all b")
      .filter({ hasText: String(total) })
      .waitFor()
    await bench.closeEditors()
  })

  it("returns the focus to the page of an event after a question, and keeps the text that is selected there", async () => {
    await bench.only("Events")
    const rows = bench.view("Events").locator('[role=treeitem][aria-label^="critical, "]')
    const page = await bench.openPage(rows.first(), "What to do")
    const { keyboard } = bench.page
    await page.locator("#more").press("Enter")
    await page.getByRole("button", { name: "Tags…" }).press("Enter")
    await bench.question("Tags, separated by commas")
    await keyboard.press("Escape")
    await page.locator("#more:focus").waitFor()
    const title = await page.locator("h1").textContent()
    await page.evaluate(`getSelection().selectAllChildren(document.querySelector("h1"))`)
    const label = (await rows.nth(1).getAttribute("aria-label")) ?? ""
    // The selection of the overview may show the event, too.
    const another = bench
      .view("Events")
      .locator(`[role=treeitem][aria-label=${JSON.stringify(label)}]`)
      .first()
    await bench.inline(another, "Ignore Event")
    await another.waitFor({ state: "detached" })
    await bench.titleButton("Events", "Undo Last Change of Events")
    await another.waitFor()
    assert.strictEqual(await page.evaluate("getSelection().toString()"), title)
    await bench.closeEditors()
  })

  it("leaves rows folded that were folded before a reload", async () => {
    await bench.only("Events")
    await bench.fold("Events", "All Identifiers")
    await bench.kept(/"expanded\.events":\[\["events:all",false\]/u)
    await bench.reloadWindow()
    await bench.only("Events")
    await bench.view("Events").locator('[role=treeitem][aria-expanded=false]:has-text("All Identifiers")').waitFor()
    await eventually(async () => assert.strictEqual(await bench.rows("Events").count(), 2))
  })
})
