/** A person at work in a real VS Code: the packaged extension against the real service with sample data. */
import { existsSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Frame, Locator } from "playwright-core"
import { afterAll, afterEach, assert, describe } from "vitest"
import { cannotRun, prepare, type Stage } from "./Setup.ts"
import { it } from "./SharedBrowser.ts"
import { eventually, isThere, until, Workbench } from "./Workbench.ts"

/** Chooses an action that is in the menu of a page. */
const chooseMore = async (page: Frame, action: string) => {
  await page.getByRole("button", { name: "More Actions" }).click()
  await page.locator(".menu").getByRole("button", { name: action }).click()
}

const eventRow = '[role=treeitem][aria-label*=" ago"]:not([aria-expanded])'

describe.skipIf(cannotRun !== undefined)(cannotRun ?? "in a real VS Code", () => {
  let stage: Stage
  let bench: Workbench

  it.beforeAll(async ({ browser }) => {
    stage = await prepare(browser)
    bench = await Workbench.open(stage.browser, stage.code.address)
  })
  afterAll(() => stage?.stop())
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") await bench.picture(task.name)
  })

  describe("signed out", () => {
    it("shows the overview, events and the button of a leak check at first", async () => {
      await bench.showSidebar()
      for (const title of ["Overview", "Events", "Leak Check"]) {
        await bench.view(title).locator("> .pane-header[aria-expanded=true]").waitFor()
      }
      const bottomOf = async (locator: Locator) => {
        const box = await locator.boundingBox()
        return box === null ? Number.POSITIVE_INFINITY : box.y + box.height
      }
      const button = bench.welcome("Leak Check").locator('.monaco-button:has-text("Check Changes")')
      await button.waitFor()
      await eventually(async () => assert.isAtMost(await bottomOf(button), await bottomOf(bench.view("Leak Check"))))
    })

    it("offers only checks that are possible where no folder is open", async () => {
      const { origin } = new URL(stage.code.address)
      const other = await Workbench.open(stage.browser, `${origin}/?ew=true`)
      await other.only("Leak Check")
      const buttons = other.welcome("Leak Check").locator(".monaco-button")
      await eventually(async () => assert.deepStrictEqual(await buttons.allInnerTexts(), ["Open Folder"]))
      await other.close()
    })

    it("shows this in the status bar and in every view, and asks for nothing by itself", async () => {
      await bench.status().getByText("Sign In").waitFor()
      assert.isFalse(await bench.page.locator(".quick-input-widget:visible, .monaco-dialog-box").first().isVisible())
      for (const title of ["Identifiers", "Events", "Policies", "Recommendations"]) {
        await bench.only(title)
        await bench.welcome(title).getByText("Shown once you sign in").waitFor()
      }
      await bench.only("Leak Check")
      await bench.welcome("Leak Check").getByText("Nothing has been checked yet").waitFor()
    })

    it("refuses an address that would send the token in clear, and a token the service refuses", async () => {
      await bench.only("Events")
      await bench.command("Threat Exposure: Sign In…")
      await bench.answer("Address of the service", "http://exposure.example.com")
      await bench.fault("https://")
      await bench.correct(stage.service.address)
      await bench.question("(2/3)")
      await bench.back()
      await bench.question("(1/3)")
      await bench.typed(stage.service.address)
      await bench.answer("Address of the service")
      await bench.choose("Access token")
      await bench.answer("Access token for 127.0.0.1", "te_not-a-token")
      await bench.notificationButton("refused this token", "Try Again")
      await bench.answer("Access token for 127.0.0.1", stage.service.token)
      // The workbench may put the message straight into its notification centre: the status bar and the view tell.
      await bench.status().getByText("127.0.0.1").waitFor()
      await bench.row("Events", "All Identifiers").waitFor()
    })

    it("renames the profile", async () => {
      await bench.command("Threat Exposure: Rename Profile…")
      await bench.choose("127.0.0.1")
      await bench.answer("Name of the profile", "by hand")
      await bench.status().getByText("by hand").waitFor()
    })
  })

  describe("events", () => {
    it("shows a saved search with its events, matched words marked, and loads more", async () => {
      await bench.only("Events")
      // The saved search alone stays open.
      await bench.fold("Events", "All Identifiers")
      await bench.command("Threat Exposure: New Saved Search…")
      await bench.question("Search by")
      await bench.choose("domain")
      await bench.type("The domain, such as", "example.c")
      await bench.back()
      await bench.question("Search by")
      await bench.choose("domain")
      await bench.typed("example.c")
      await bench.answer("The domain, such as", "example.com")
      await bench.question("No filter")
      await bench.choose("Apply")
      await bench.answer("Name of the search", "Ours")
      await bench.unfold("Events", "Ours")
      await bench.row("Events", "shown").waitFor()
      await bench.rows("Events").locator(".highlight").first().waitFor()
      // Events that are dealt with are left out, so that a page may show fewer than ten.
      const before = Number.parseInt((await bench.row("Events", "shown").textContent())?.replace(/\D+/u, "") ?? "", 10)
      assert.isAtMost(before, 10)
      const later = bench.rows("Events").filter({ hasText: "shown", hasNotText: `${before} shown` })
      await bench.clickUntil(bench.row("Events", "shown"), later.first())
    })

    it("opens an event as a page: shows it, hides its secret until it is revealed, and leads on", async () => {
      await bench.only("Events")
      const uid = await stage.service.uidOf("leaked_credential")
      await bench.goToEvent(uid)
      const shown = await bench.webview("Password")
      const secret = () => shown.locator('dt:text-is("Password") + dd .secret').textContent()
      assert.strictEqual(await secret(), "••••••••")
      assert.strictEqual(await shown.locator("#page script, #page [style], #page [onclick]").count(), 0)
      await shown.locator('dt:text-is("Password") + dd button').press("Enter")
      await shown.locator('dd button:text-is("Hide")').waitFor()
      assert.notInclude((await secret()) ?? "", "•")
      // The focus stays where it was.
      await bench.page.keyboard.press("Enter")
      await shown.locator('dt:text-is("Password") + dd button:text-is("Reveal")').waitFor()
      await chooseMore(shown, "Copy UID")
      await bench.waitForClipboard(uid)
      assert.strictEqual(await shown.locator(".menu:popover-open").count(), 0)

      // The page of an event in the view links to its neighbours, in the same panel.
      const second = await bench.openPage(bench.view("Events").locator(eventRow).first(), "Next")
      await second.locator("#next:not([disabled])").waitFor()
      const title = await second.locator("h1").textContent()
      await second.locator("#next").click()
      await second.locator(`h1:not(:text-is(${JSON.stringify(title)}))`).waitFor()
      assert.strictEqual(await bench.page.locator(".editor-group-container .tab").count(), 1)
      await bench.closeEditors()
    })

    it("opens a row with the first click after a view was refreshed while it was hidden", async () => {
      await bench.only("Events")
      await bench.row("Events", "shown").waitFor()
      await bench.only("Identifiers")
      for (let times = 0; times < 3; times++) {
        const before = (await stage.service.requests()).length
        await bench.command("Threat Exposure: Refresh Events")
        await until("the service is asked", async () => (await stage.service.requests()).length > before)
      }
      await bench.clickAtFirstSight("Events", eventRow)
      await bench.webview("Details")
      await bench.closeEditors()
    })

    it("goes to an event by its uid, and says if there is none", async () => {
      await bench.goToEvent("leak/nowhere/0")
      await bench.webview("Event not found.")
      await bench.closeEditors()
    })

    it("groups by severity", async () => {
      await bench.only("Events")
      await bench.command("Threat Exposure: Group Events By…")
      await bench.choose("Severity")
      const group = bench
        .rows("Events")
        .filter({ hasText: /^Critical\d+\+?$/u })
        .first()
      assert.match((await group.getAttribute("aria-label")) ?? "", /^Critical, \d+ events?(?: loaded so far)?/u)
      await bench.command("Threat Exposure: Group Events By…")
      await bench.choose("No grouping")
      await bench.row("Events", "shown").waitFor()
    })

    it("exports what a search finds", async () => {
      await bench.command("Threat Exposure: Export Events…")
      await bench.chooseNamed("Ours")
      await bench.choose("At most 100 events")
      await bench.choose("CSV")
      await bench.choose("What the view shows")
      await bench.saveAs("events.csv", stage.code.workspace)
      await bench.told("exported to events.csv.")
      const lines = (await readFile(join(stage.code.workspace, "events.csv"), "utf8")).trim().split("\r\n")
      assert.include(lines[0], "uid,type,severity")
      assert.isAbove(lines.length, 20)
    })
  })

  describe("the overview", () => {
    const numberIn = async (frame: Frame, id: string) =>
      Number((await frame.locator(`#${id} b`).textContent())?.replaceAll(/\D/gu, ""))

    it("counts all open events of the tenant by itself, and links each number to its events", async () => {
      await bench.only("Overview")
      const frame = await bench.webview("Events per day")
      await frame.locator("#all b").filter({ hasText: /^\d+$/u }).waitFor()
      const listed = await fetch(`${stage.service.address}/svc/v4/events/tenant/_search`, {
        method: "POST",
        headers: { authorization: `Bearer ${stage.service.token}`, "content-type": "application/json" },
        body: "{}"
      })
      assert.isString(((await listed.json()) as { next: string }).next)
      assert.isAbove(await numberIn(frame, "all"), 10)
      await frame.locator("#time-table summary").click()
      // The page may be drawn again between the two looks.
      await eventually(async () => {
        const totals = await frame.locator("#time-table tbody tr td:nth-child(2)").allTextContents()
        const sum = totals.reduce((sum, text) => sum + Number(text), 0)
        assert.strictEqual(sum, await numberIn(frame, "all"))
      })

      const critical = await numberIn(frame, "severity-critical")
      await frame.locator("#severity-critical").press("Enter")
      const folder = bench.row("Events", `${critical} · of the loaded events`)
      await folder.waitFor()
      // The rows below the folder follow it.
      await eventually(async () => {
        const first = bench.rows("Events").nth(1)
        assert.match((await first.getAttribute("aria-label")) ?? "", /^critical,/u)
        assert.strictEqual(Number(await first.getAttribute("aria-setsize")), critical)
      })
      await bench.inline(folder, "Close Search")
      await folder.waitFor({ state: "detached" })

      // A page that is drawn again while a button is pressed takes no click away.
      const drawn = frame.evaluate(`new Promise((resolve) => addEventListener("message", resolve, { once: true }))`)
      await frame.locator("#severity-critical").hover()
      await bench.page.mouse.down()
      await frame.locator("#period").dispatchEvent("change")
      await drawn
      await bench.page.mouse.up()
      await folder.waitFor()
      await bench.inline(folder, "Close Search")
      await folder.waitFor({ state: "detached" })
    })

    it("runs nothing but its own script, and loads nothing from anywhere", async () => {
      await bench.only("Overview")
      const frame = await bench.webview("Events per day")
      const policy = await frame.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content")
      assert.match(policy ?? "", /^default-src 'none'; script-src 'nonce-[\w-]+'; style-src 'nonce-[\w-]+'; /u)
      const refused = await frame.evaluate<ReadonlyArray<string>>(`new Promise((resolve) => {
        const found = []
        document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => {
          found.push(effectiveDirective)
          if (new Set(found).size === 4) resolve(found)
        })
        document.body.insertAdjacentHTML("beforeend", '<p style="color: red" onclick="void 0"><img src="https://example.com/a.png"></p>')
        document.body.lastElementChild.click()
        fetch("https://example.com/").catch(() => {})
      })`)
      assert.sameMembers([...new Set(refused)], ["connect-src", "img-src", "script-src-attr", "style-src-attr"])
    })
  })

  describe("identifiers", () => {
    it("lists those of the service, checks what it is given, and creates, disables and deletes a domain", async () => {
      await bench.closeNotifications()
      await bench.only("Identifiers")
      await bench.row("Identifiers", "Subsidiaries").waitFor()
      const companyLabel = /^example\.com\d+ events$/u
      const company = bench.rows("Identifiers").filter({ hasText: companyLabel })
      await bench.unfold("Identifiers", companyLabel)
      await bench.row("Identifiers", "10 shown").waitFor()
      await bench
        .rows("Identifiers")
        .filter({ hasText: /^Events10\+$/u })
        .waitFor()
      await bench.fold("Identifiers", companyLabel)
      await bench.contextMenu(company, "Open Identifier")
      const page = await bench.webview("Latest events")
      assert.strictEqual(await page.locator("h1").textContent(), "example.com")
      await page.getByRole("button", { name: "Accounts and logins" }).click()
      const policy = await bench.webview("Assignments")
      await policy.getByRole("button", { name: "example.com" }).waitFor()
      await bench.closeEditors()
      await bench.titleButton("Identifiers", "Create Identifier")
      await bench.choose("domain")
      await bench.answer("The domain", "not a domain")
      await bench.fault("not a domain")
      await bench.correct("quay.example.com")
      await bench.answer("Types of events")
      await bench.answer("Severities of events")
      const row = bench.row("Identifiers", "quay.example.com")
      await bench.unfold("Identifiers", "quay.example.com")
      await bench.unfold("Identifiers", "Policies")
      await bench.row("Identifiers", "No policy: every event counts.").waitFor()
      await bench.contextMenu(row, "Disable Identifier", bench.row("Identifiers", "disabled · 0 events"))
      await bench.contextMenu(row, "Delete Identifier…", bench.dialog().getByText("The service stops monitoring it"))
      await bench.dialogButton("Delete")
      await row.waitFor({ state: "detached" })
    })

    it("shows a name that looks like a link as text in a message, and does not change the direction of the text", async () => {
      await bench.closeNotifications()
      await bench.command("Threat Exposure: Create Identifier…")
      await bench.choose("keyword")
      await bench.answer("Value to monitor: keyword", "[quay\u202e](command:workbench.action.toggleSidebarVisibility)")
      await bench.answer("Types of events")
      await bench.answer("Severities of events")
      const told = await bench.told("“[quay ] (command:workbench.action.toggleSidebarVisibility)” was created.")
      assert.strictEqual(await told.locator("a[href]").count(), 0)
      await bench.row("Identifiers", "[quay ](command:").waitFor()
    })
  })

  describe("policies", () => {
    it("shows the policies of the service, and assigns one", async () => {
      await bench.only("Policies")
      const row = bench.row("Policies", "Shop and payments only")
      await row.waitFor()
      await bench.inline(row, "Assign Policy")
      await bench.question("Select identifiers")
      await bench.choose("example.com")
      await bench.page.keyboard.press("Enter")
      await bench.choose("Keep past events")
      await bench.told("is assigned to")
      await bench.unfold("Policies", "Shop and payments only")
      await bench.row("Policies", "example.com").waitFor()
    })

    it("deletes one behind a dialog that says what is lost", async () => {
      await bench.closeNotifications()
      await bench.contextMenu(bench.row("Policies", "Shop and payments only"), "Delete Policy…")
      await bench.dialog().getByText("matches every event again").waitFor()
      await bench.dialogButton("Cancel")
      await bench.row("Policies", "Shop and payments only").waitFor()
      await bench.contextMenu(bench.row("Policies", "Shop and payments only"), "Delete Policy…")
      await bench.dialogButton("Delete")
      await bench.row("Policies", "Shop and payments only").waitFor({ state: "detached" })
    })
  })

  it("accepts a recommendation, which creates its identifier", async () => {
    await bench.only("Recommendations")
    const row = bench.row("Recommendations", "example.org")
    await row.waitFor()
    await bench.inline(row, "Accept Recommendation")
    await bench.only("Identifiers")
    await bench.row("Identifiers", "example.org").waitFor()
  })

  const searchCredentials = async () => {
    await bench.command("Threat Exposure: Search Credentials…")
    const form = await bench.webview("Every hundred results use one unit of quota.")
    const fields = `[...document.querySelectorAll(".form > select, .form .field input")]`
    // The style may come after the text.
    await until("all fields are equally wide", () =>
      form.evaluate(`new Set(${fields}.map((each) => each.offsetWidth)).size === 1`)
    )
    await form.getByRole("textbox", { name: "Domain" }).fill("example.com")
    await form.getByRole("button", { name: "Search", exact: true }).click()
    return bench.webview("Change the Search")
  }

  it("searches credentials into a table, opens and reveals one, and warns before secrets are written in plain text", async () => {
    await bench.closeNotifications()
    const results = await searchCredentials()
    const rows = results.locator("table.rows tbody tr")
    // In a narrow page, the table scrolls and its columns stay readable.
    await bench.setSidebarWidth(1000)
    await results.waitForFunction("innerWidth < 320")
    const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert.strictEqual(await results.evaluate(overflow), 0)
    assert.isAbove((await rows.first().locator("th").boundingBox())?.width ?? 0, 80)
    await bench.setSidebarWidth(300)
    await rows.first().getByText("••••••••").waitFor()
    await results.getByRole("button", { name: "Export…" }).click()
    await bench.choose("At most 100 credentials")
    await bench.choose("CSV")
    await bench.choose("Write secrets in plain text")
    await bench.dialog().getByText("Write passwords in plain text?").waitFor()
    await bench.dialogButton("Cancel")
    await results.getByRole("button", { name: "Export…" }).click()
    await bench.choose("At most 100 credentials")
    await bench.choose("NDJSON")
    await bench.choose("Mask the secrets")
    await bench.saveAs("credentials.ndjson", stage.code.workspace)
    await bench.told("exported to credentials.ndjson.")
    const text = await readFile(join(stage.code.workspace, "credentials.ndjson"), "utf8")
    assert.include(text, '"hash":"********"')
    const account = await rows.locator("th button").first().textContent()
    await rows.locator("th button").first().click()
    const one = await bench.webview("Show All Results")
    assert.strictEqual(await one.locator("h1").textContent(), account)
    const secret = () => one.locator('dt:text-is("Secret") + dd .secret').textContent()
    assert.strictEqual(await secret(), "••••••••")
    await one.locator('dt:text-is("Secret") + dd button').click()
    await one.locator('dd button:text-is("Hide")').waitFor()
    assert.notInclude((await secret()) ?? "", "•")
    await one.locator("#next").click()
    await one.locator(`h1:not(:text-is(${JSON.stringify(account)}))`).waitFor()
    assert.strictEqual(await secret(), "••••••••")
    await chooseMore(one, "Open as Markdown")
    await bench.waitForText("**Secret:** ••••••••")
    await bench.closeEditors()
  })

  it("keeps over a reload the filter of events, the period of the overview and open pages, and searches nothing by itself", async () => {
    await bench.closeNotifications()
    await bench.only("Overview")
    const overview = await bench.webview("Events per day")
    await overview.locator("#period").selectOption({ label: "12 months" })
    await overview.getByRole("heading", { name: "Events per month" }).waitFor()

    await bench.only("Events")
    const narrowed = bench.view("Events").locator('.pane-header .description:has-text("critical")')
    await bench.titleButton("Events", "Filter Events…")
    await bench.choose("Severity")
    await bench.choose("critical")
    await bench.question("critical")
    await bench.choose("Apply")
    await narrowed.waitFor()
    const first = bench.view("Events").locator('[role=treeitem][aria-label^="critical, "]').first()
    const event = await bench.openPage(first, "In your tenant")
    const title = (await event.locator("h1").textContent()) ?? ""
    const tab = (await bench.page.locator(".tab.active .label-name").first().textContent()) ?? ""

    const results = await searchCredentials()
    await results.getByRole("button", { name: "Open as Markdown" }).click()
    await bench.waitForText(/\| Account .*\| Secret/u)
    await bench.kept(/"events\.filter":\{[^}]*"severity":\[?"critical"/u)
    await bench.kept(/"pages\.open":\[\{[^\]]*Credentials/u)
    const searches = async () => (await stage.service.requests()).filter((url) => url.includes("credentials")).length
    const before = await searches()

    await bench.reloadWindow()
    await bench.waitForText("Results are not kept when the window reloads.")
    await bench.page.locator('.tab:has-text("Credentials: example.com")').first().click()
    const restored = await bench.webview("Results are not kept when the window reloads.")
    assert.strictEqual(await searches(), before)
    await restored.getByRole("button", { name: "Search Again" }).click()
    await restored.locator("table.rows").waitFor()

    await bench.page
      .locator(`.tab:has-text(${JSON.stringify(tab)})`)
      .first()
      .click()
    const again = await bench.webview(title)
    await chooseMore(again, "Open as Markdown")
    assert.include(await bench.waitForText("## Details"), "**Severity:**")
    await bench.closeEditors()

    await bench.only("Events")
    await narrowed.waitFor()
    await bench.row("Events", "shown").waitFor()
    await eventually(async () => {
      const labels = await bench.rows("Events").evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label")))
      const events = labels.filter((label) => /^(?:info|low|medium|high|critical), /u.test(label ?? ""))
      assert.isNotEmpty(events)
      for (const label of events) assert.match(label ?? "", /^critical,/u)
    })
    await bench.only("Overview")
    await bench.webview("Events per month")
    await bench.only("Events")
    await bench.titleButton("Events", "Clear Event Filter")
    await narrowed.waitFor({ state: "hidden" })
    await bench.row("Events", "shown").waitFor()
  })

  describe("leak check", () => {
    const textOf = (name: string) => readFile(join(stage.code.workspace, name), "utf8")

    it("shows the plan first, then squiggles, problems and findings", async () => {
      await bench.closeNotifications()
      await bench.openFile("staging.env")
      await bench.command("Threat Exposure: Check File for Leaks")
      await bench.dialog().getByText("4 values, 8 searches").waitFor()
      await bench.dialog().getByText(stage.service.address).waitFor()
      await bench.dialogButton("Search")
      await bench.page.locator(".squiggly-error").first().waitFor()
      await bench.only("Leak Check")
      await bench.view("Leak Check").getByText("3 leaked. 8 searches.").waitFor()
      await bench.row("Leak Check", "deploy/staging.env").waitFor()
      await bench.goToLeak("2: DATABASE_PASSWORD", 2)
    })

    it("offers to open the event, ignores with a reason, and moves a secret to .env", async () => {
      await bench.fix("Ignore with a reason")
      await bench.answer("Why can it be ignored?", "rotated: see the incident report")
      await bench.choose("90 days")
      await bench.row("Leak Check", "ignored").waitFor()
      await bench.view("Leak Check").getByText("2 leaked.").waitFor()
      await eventually(async () =>
        assert.match(
          await textOf(".threat-exposure-ignore.yml"),
          /^ignore:\n {2}- fingerprint: [0-9a-f]{16}\n {4}reason: "rotated: see the incident report"\n/u
        )
      )

      await bench.openFile("invoices.ts")
      await bench.command("Threat Exposure: Check File for Leaks")
      await bench.view("Leak Check").getByText("1 leaked.").waitFor()
      // The message changes before the rows.
      await bench.row("Leak Check", "src/invoices.ts").waitFor()
      await bench.goToLeak("4: paymentsToken", 4)
      await bench.fix("Move to .env")
      await bench.answer("Name of the variable", "PAYMENTS_KEY")
      await bench.waitForText("const paymentsToken = process.env.PAYMENTS_KEY")
      await bench.told("PAYMENTS_KEY is in .env now. Git ignores it.")
      const moved = await eventually(async () => {
        const text = await textOf(".env")
        assert.match(text, /^PAYMENTS_KEY=\S+$/mu)
        return text
      })
      const [, token = "?"] = moved.split("=")
      await bench.pressInText("Control+Z")
      await bench.waitForText(`const paymentsToken = "${token.trim()}"`)
      // The editor undoes and redoes one of the files after the other, and takes no redo before the undo is over.
      const isFile = (name: string) => existsSync(join(stage.code.workspace, name))
      await until("the undo takes the files away", () => !isFile(".env") && !isFile(".gitignore"))
      await until("the change is made again", async () => {
        await bench.pressInText("Control+Shift+Z")
        const text = await bench.text()
        return text.includes("const paymentsToken = process.env.PAYMENTS_KEY") && isFile(".env") && isFile(".gitignore")
      })
      await eventually(async () => assert.include(await textOf(".gitignore"), ".env"))
      await bench.page.waitForFunction(`document.querySelectorAll(".squiggly-error").length === 0`)
    })

    it("checks what the branch adds, including lines that a later commit removed", async () => {
      await bench.command("Threat Exposure: Check Changes for Leaks")
      await bench.row("Leak Check", "src/invoices.ts").waitFor()
      await bench.row("Leak Check", "scripts/release.sh").waitFor()
      await bench.row("Leak Check", "GITHUB_TOKEN").click()
      // The version of the commit: the file itself no longer has the line.
      await bench.waitForText("GITHUB_TOKEN=")
      await bench.closeEditors()
    })

    it("checks the workspace", async () => {
      await bench.command("Threat Exposure: Check Workspace for Leaks")
      await bench.view("Leak Check").locator('.pane-header .description:has-text("Workspace")').waitFor()
      await bench.row("Leak Check", "deploy/staging.env").waitFor()
    })

    it("reports the faulty line of an invalid ignore file, and checks nothing", async () => {
      const path = join(stage.code.workspace, ".threat-exposure-ignore.yml")
      const before = await readFile(path, "utf8")
      await writeFile(path, "ignore:\n  - fingerprint: nonsense\n")
      await bench.command("Threat Exposure: Check Workspace for Leaks")
      await bench.told(".threat-exposure-ignore.yml:2")
      await writeFile(path, before)
    })
  })

  describe("when the service is gone", () => {
    it("keeps the shown rows and says how old they are; Retry loads them again", async () => {
      await bench.closeNotifications()
      await bench.only("Events")
      await bench.row("Events", "Ours").waitFor()
      await bench.row("Events", "shown").waitFor()
      await stage.service.kill()
      await bench.titleButton("Events", "Refresh Events")
      await bench
        .view("Events")
        .getByText(/As of .*The service cannot be reached/u)
        .waitFor()
      await bench.rows("Events").nth(5).waitFor()
      await stage.service.restart()
      await bench.titleButton("Events", "Refresh Events")
      await bench.view("Events").getByText(/As of/u).waitFor({ state: "hidden" })
    })

    it("counts down when there were too many requests, and goes on by itself", async () => {
      await stage.service.restart({ THREAT_EXPOSURE_BASIC_RATE: "0.25" })
      await bench.only("Recommendations")
      const countdown = bench.view("Recommendations").getByText(/Too many requests\. Trying again in \d+ s\./u)
      // The service allows one call in four seconds, and another client uses it until the countdown is visible.
      const seen = new AbortController()
      const takeCalls = async () => {
        const headers = { authorization: `Bearer ${stage.service.token}` }
        while (!seen.signal.aborted) {
          await fetch(`${stage.service.address}/svc/v4/identifier-recommendations/`, { headers })
        }
      }
      const taking = takeCalls()
      await until("the view counts down", async () => {
        await bench.titleButton("Recommendations", "Refresh Recommendations")
        return isThere(countdown.waitFor({ timeout: 10_000 }))
      }).finally(() => seen.abort())
      await taking
      await countdown.waitFor({ state: "hidden" })
      await bench.row("Recommendations", "shop.example.com").waitFor()
      await stage.service.restart({})
    })
  })

  describe("profiles", () => {
    it("switches to another, whose key lacks a permission, and back", async () => {
      const token = await stage.service.createKey("write-tenant")
      await bench.command("Threat Exposure: Add Profile…")
      await bench.signIn(stage.service.address, token)
      await bench.only("Recommendations")
      await bench.welcome("Recommendations").getByText("lacks the permission Read Tenant").waitFor()
      await bench.command("Threat Exposure: Switch Profile…")
      await bench.choose("by hand")
      await bench.status().getByText("by hand").waitFor()
      await bench.row("Recommendations", "shop.example.com").waitFor()
    })

    it("says once that the sign-in has expired when the key is revoked, and stops asking", async () => {
      await stage.service.revokeKeys()
      await bench.only("Recommendations")
      await bench.titleButton("Recommendations", "Refresh Recommendations")
      await bench.page.getByLabel("Threat Exposure: your sign-in has expired").first().waitFor()
      await bench.welcome("Recommendations").getByText("Shown once you sign in again").waitFor()
      await bench.only("Events")
      await bench.welcome("Events").getByText("Shown once you sign in again").waitFor()
    })

    it("signs out", async () => {
      await bench.command("Threat Exposure: Switch Profile…")
      await bench.chooseNamed("127.0.0.1")
      await bench.command("Threat Exposure: Sign Out")
      await bench.status().getByText("Sign In").waitFor()
      await bench.command("Threat Exposure: Remove Profile…")
      await bench.choose("by hand")
      await bench.dialog().getByText("Remove the profile “by hand”?").waitFor()
      await bench.dialogButton("Remove")
      // The dialog closes before the settings are written.
      const isGone = async () => {
        await bench.command("Threat Exposure: Switch Profile…")
        await bench.question("Switch Profile")
        const isThere = await bench.page.locator('.quick-input-list .monaco-list-row:has-text("by hand")').isVisible()
        await bench.page.keyboard.press("Escape")
        return !isThere
      }
      await until("the profile is removed", isGone)
    })
  })
})
