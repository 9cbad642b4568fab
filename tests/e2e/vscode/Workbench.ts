/** A person's hands and eyes in a real VS Code: what the interface tests do and look at. */
import { extname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { Browser, BrowserContext, Frame, Locator, Page } from "playwright-core"

const pictures = fileURLToPath(new URL("../../../.cache/e2e", import.meta.url))

/** Stops the animations of each document: without a graphics card, each frame takes CPU time. Runs in the page. */
const still = `{
  const sheet = new CSSStyleSheet()
  sheet.replaceSync("*, ::before, ::after { animation: none !important; transition: none !important }")
  document.adoptedStyleSheets.push(sheet)
}`

/** Adds an extension to the workbench's configuration before it is read; runs in the page. */
const developing = `(extension) => {
  const add = () => {
    const element = document.getElementById("vscode-workbench-web-configuration")
    if (element === null) return
    watching.disconnect()
    const configuration = JSON.parse(element.getAttribute("data-settings"))
    const extensions = [extension]
    const developmentOptions = { ...configuration.developmentOptions, extensions }
    element.setAttribute("data-settings", JSON.stringify({ ...configuration, developmentOptions }))
  }
  const watching = new MutationObserver(add)
  watching.observe(document, { childList: true, subtree: true })
}`

/** Whether a text is among what the workbench keeps; runs in the page. */
const keptSomewhere = `async (source) => {
  const resultOf = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  for (const { name } of await indexedDB.databases()) {
    const database = await resultOf(indexedDB.open(name))
    try {
      for (const store of database.objectStoreNames) {
        const values = await resultOf(database.transaction(store).objectStore(store).getAll())
        if (values.some((value) => typeof value === "string" && new RegExp(source, "u").test(value))) return true
      }
    } finally {
      database.close()
    }
  }
  return false
}`

/** Expands a pane, and clicks an element in it as soon as it appears. Runs in the page. */
const clickAtFirstSight = `async (title, selector) => {
  const header = [...document.querySelectorAll(".sidebar .pane h3.title")].find((each) => each.textContent === title)
  const click = (target) => {
    for (const type of ["mousedown", "mouseup", "click"])
      target.dispatchEvent(new MouseEvent(type, { bubbles: true, button: 0, detail: 1 }))
  }
  const found = () => header.closest(".pane").querySelector(selector)
  click(header)
  while (!(found()?.getBoundingClientRect().height > 0)) await new Promise((resolve) => setTimeout(resolve, 1))
  click(found())
}`

/** Whether a wait came to its end in time. */
export const isThere = (wait: Promise<void>): Promise<boolean> =>
  wait.then(
    () => true,
    () => false
  )

export type ViewTitle =
  | "Overview"
  | "Identifiers"
  | "Events"
  | "Policies"
  | "Recommendations"
  | "Leak Check"
  | (string & {})

/** Milliseconds until a wait for something on the screen fails. Only a hang takes as long. */
const screenTimeout = 300_000

/** Milliseconds after which a click or key without an effect counts as lost, because the editor was redrawing. */
const lateness = 15_000

/** Repeats `look` until it does not throw: what another process writes or draws follows its signal a moment later. */
export const eventually = async <A>(look: () => A | Promise<A>): Promise<A> => {
  const deadline = Date.now() + screenTimeout
  for (;;) {
    try {
      return await look()
    } catch (cause) {
      if (Date.now() > deadline) throw cause
    }
    await sleep(50)
  }
}

/** Waits until `isSo` returns true; `what` is the subject of the error. */
export const until = (what: string, isSo: () => boolean | Promise<boolean>): Promise<void> =>
  eventually(async () => {
    if (!(await isSo())) throw new Error(`${what}: not within ${screenTimeout / 60_000} minutes`)
  })

export class Workbench {
  readonly page: Page
  readonly context: BrowserContext

  private constructor(context: BrowserContext, page: Page) {
    this.context = context
    this.page = page
  }

  /**
   * A window of its own: with it starts an empty secret storage. `alongside` is the folder of another extension, which
   * runs in it too.
   */
  static async open(
    browser: Browser,
    address: string,
    { alongside }: { readonly alongside?: URL } = {}
  ): Promise<Workbench> {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 860 },
      reducedMotion: "reduce",
      // Otherwise, the server compresses 20 MB for each window, although all traffic is local.
      extraHTTPHeaders: { "accept-encoding": "identity" },
      locale: "en",
      permissions: ["clipboard-read", "clipboard-write"]
    })
    await context.addInitScript(still)
    if (alongside !== undefined) {
      const { host: authority } = new URL(address)
      const extension = { $mid: 1, scheme: "vscode-remote", authority, path: fileURLToPath(alongside) }
      await context.addInitScript(`(${developing})(${JSON.stringify(extension)})`)
    }
    return Workbench.within(context, address)
  }

  /** Opens another window in the same browser context. */
  static async within(context: BrowserContext, address: string): Promise<Workbench> {
    const page = await context.newPage()
    page.setDefaultTimeout(screenTimeout)
    const workbench = new Workbench(context, page)
    await page.goto(address, { timeout: screenTimeout })
    // Hooks open windows, and only tests are retried.
    await workbench.ready().catch(() => workbench.reload())
    return workbench
  }

  async ready(): Promise<void> {
    await this.page.locator(".monaco-workbench").waitFor({ timeout: screenTimeout })
    await this.status().waitFor({ timeout: screenTimeout })
  }

  async reload(): Promise<void> {
    await this.page.reload()
    await this.ready()
  }

  /** Uses the editor's own command, because the workbench then saves the state of pages and editors. */
  async reloadWindow(): Promise<void> {
    await Promise.all([this.page.waitForEvent("load"), this.command("Developer: Reload Window")])
    await this.ready()
  }

  /** The extension's word in the status bar. */
  status(): Locator {
    return this.page.locator('.statusbar-item[id^="threat-exposure"]').first()
  }

  async showSidebar(): Promise<void> {
    const action = this.page.locator('.activitybar a.action-label[aria-label^="Threat Exposure"]')
    const shown = this.page.locator('.sidebar .composite.title:has-text("Threat Exposure")')
    await this.clickUntil(action, shown)
  }

  /** Moves the edge between the sidebar and the editors, as far as the workbench lets it. */
  async setSidebarWidth(wanted: number): Promise<void> {
    const box = await this.page.locator(".part.sidebar").boundingBox()
    if (box === null) throw new Error("There is no sidebar")
    const middle = box.y + box.height / 2
    await this.page.mouse.move(box.x + box.width, middle)
    await this.page.mouse.down()
    await this.page.mouse.move(box.x + wanted, middle, { steps: 5 })
    await this.page.mouse.up()
    await this.page.mouse.move(0, 0)
  }

  view(title: ViewTitle): Locator {
    return this.page.locator(`.sidebar .pane:has(> .pane-header h3.title:text-is("${title}"))`)
  }

  /** Unfolds a view, and folds the others away, so that its rows have room. */
  async only(title: ViewTitle): Promise<Locator> {
    await this.showSidebar()
    await this.view(title).waitFor()
    const titles = await this.page.locator(".sidebar .pane > .pane-header h3.title").allTextContents()
    for (const each of titles) {
      const header = this.view(each).locator("> .pane-header")
      await this.clickUntil(
        header.locator("h3.title"),
        header.and(this.page.locator(`[aria-expanded=${each === title}]`))
      )
    }
    return this.view(title)
  }

  /** Clicks a row of a folded view before the view has been drawn again. */
  async clickAtFirstSight(title: ViewTitle, selector: string): Promise<void> {
    await this.page.evaluate(`(${clickAtFirstSight})(${JSON.stringify(title)}, ${JSON.stringify(selector)})`)
  }

  rows(title: ViewTitle): Locator {
    return this.view(title).locator("[role=treeitem]")
  }

  row(title: ViewTitle, label: string): Locator {
    return this.rows(title).filter({ hasText: label }).first()
  }

  /** Goes to the last row, once it holds this text: a long list shows only the rows in sight. */
  lastRow(title: ViewTitle, text: string): Promise<void> {
    return this.#rowAt("End", title, text)
  }

  firstRow(title: ViewTitle, text: string): Promise<void> {
    return this.#rowAt("Home", title, text)
  }

  async #rowAt(key: "Home" | "End", title: ViewTitle, text: string): Promise<void> {
    const row = this.view(title).locator(`[role=treeitem].focused:has-text("${text}")`)
    await until(`“${text}” is where ${key} leads in ${title}`, async () => {
      if (await row.isVisible()) return true
      await this.view(title).locator(".monaco-list").first().focus()
      await this.page.keyboard.press(key)
      return row.isVisible()
    })
  }

  async #frame(text: string): Promise<Frame | undefined> {
    for (const frame of this.page.frames()) {
      const said = await frame.evaluate<string>(`document.getElementById("page")?.innerText ?? ""`).catch(() => "")
      if (said.includes(text)) return frame
    }
    return undefined
  }

  /** The frame of a page that is looked at and holds this text. */
  webview(text: string): Promise<Frame> {
    return eventually(async () => {
      const frame = await this.#frame(text)
      if (frame === undefined) throw new Error(`no page says “${text}”`)
      return frame
    })
  }

  /** Opens the page of a row. A list that draws its rows anew in that moment takes no click. */
  async openPage(row: Locator, text: string): Promise<Frame> {
    let clicked = 0
    return eventually(async () => {
      if (Date.now() > clicked + lateness) {
        await row.click()
        clicked = Date.now()
      }
      const frame = await this.#frame(text)
      if (frame === undefined) throw new Error(`no page says “${text}” after clicks on its row`)
      return frame
    })
  }

  /** Opens the file of a leak at its line. */
  async goToLeak(label: string, line: number): Promise<void> {
    const place = this.page.locator(`.statusbar-item:has-text("Ln ${line},")`)
    await this.clickUntil(this.row("Leak Check", label), place)
  }

  /** The text of a view that has nothing to show. */
  welcome(title: ViewTitle): Locator {
    return this.view(title).locator(".welcome-view-content")
  }

  async welcomeButton(title: ViewTitle, label: string): Promise<void> {
    await this.welcome(title).locator(`.monaco-button:has-text("${label}")`).click()
  }

  /** A button of a row, which shows itself under the pointer: a row that is drawn anew in that moment hides it again. */
  async inline(row: Locator, label: string): Promise<void> {
    await this.#clickHovered(row, row.locator(`.actions a.action-label[aria-label^="${label}"]`))
  }

  /**
   * Chooses from the menu of a row, which takes no click in its first tenth of a second; again where that leads to nothing
   * `wanted`: the editor passes no row to the command while it draws that anew.
   */
  async contextMenu(row: Locator, label: string, wanted?: Locator): Promise<void> {
    const item = this.page.locator(`.context-view .action-item:has(.action-label:text-is("${label}"))`)
    await until(`the menu leads from “${label}” to ${wanted}`, async () => {
      await this.clickUntil(row, item, "right")
      await until(`the menu takes “${label}”`, async () => {
        // A click that was taken late leaves nothing to click on.
        await isThere(item.click({ timeout: 1000 }))
        return isThere(item.waitFor({ state: "hidden", timeout: 500 }))
      })
      return wanted === undefined || isThere(wanted.waitFor({ timeout: lateness }))
    })
  }

  /** A button of a view's title. */
  async titleButton(title: ViewTitle, label: string): Promise<void> {
    const header = this.view(title).locator("> .pane-header")
    await this.#clickHovered(header, header.locator(`a.action-label[aria-label^="${label}"]`))
  }

  async #clickHovered(place: Locator, button: Locator): Promise<void> {
    await until(`${button} is clicked`, async () => {
      await place.hover()
      return isThere(button.click({ timeout: lateness }))
    })
  }

  async command(title: string): Promise<void> {
    await until(`“${title}” is run`, async () => {
      await this.lookUp(title)
      return this.#accept(`>${title}`)
    })
  }

  async goToEvent(uid: string): Promise<void> {
    await this.command("Threat Exposure: Go to Event…")
    await this.answer("UID of the event", uid)
  }

  /** Leaves the command palette open with its matches for the text. */
  lookUp(text: string): Promise<void> {
    return this.#offer("F1", `>${text}`, text)
  }

  /** Tries again, because anything that takes the focus may close the list that the key opens. */
  #offer(key: string, typed: string, offered: string): Promise<void> {
    const row = this.page.locator(`.quick-input-list .monaco-list-row.focused:has-text("${offered}")`).first()
    return eventually(async () => {
      await this.page.keyboard.press(key)
      await this.input().fill(typed, { timeout: lateness })
      await row.waitFor({ timeout: lateness })
    })
  }

  /** Whether the list was there to take the key. It is hidden as soon as it has. */
  async #accept(typed: string): Promise<boolean> {
    const input = this.page.locator(".quick-input-widget input.input")
    for (let isPressed = false; ; isPressed = true) {
      if (!(await input.isVisible()) || (await input.inputValue()) !== typed) return isPressed
      await input.press("Enter")
    }
  }

  private input(): Locator {
    return this.page.locator(".quick-input-widget:visible input.input")
  }

  /** Waits for the question whose prompt or title holds `about`, and answers it. */
  async answer(about: string, text?: string): Promise<void> {
    await this.question(about)
    if (text !== undefined) await this.input().fill(text)
    await this.input().press("Enter")
  }

  /** Types into the question whose prompt or title holds `about`, and leaves it open. */
  async type(about: string, text: string): Promise<void> {
    await this.question(about)
    await this.input().fill(text)
  }

  /** Waits until the open input box contains the text. */
  async typed(text: string): Promise<void> {
    await this.page.waitForFunction(
      `document.querySelector(".quick-input-widget input.input")?.value === ${JSON.stringify(text)}`
    )
  }

  /** Goes back to the question before, in a form. */
  async back(): Promise<void> {
    await this.page.locator('.quick-input-widget a.action-label[aria-label^="Back"]').click()
  }

  /** Answers the questions for a new profile. */
  async signIn(address: string, token: string): Promise<void> {
    await this.answer("Address of the service", address)
    await this.choose("Access token")
    const { host } = new URL(address)
    await this.answer(`Access token for ${host}`, token)
    await this.status().getByText(host).waitFor()
  }

  /** Corrects an answer that was refused: the message of the refusal replaces the prompt. */
  async correct(text: string): Promise<void> {
    await this.input().fill(text)
    await this.input().press("Enter")
  }

  /** Answers the workbench's own dialog for where to save. */
  async saveAs(name: string, folder: string): Promise<void> {
    await this.page.waitForFunction(
      `document.querySelector(".quick-input-widget input.input")?.value.endsWith(${JSON.stringify(extname(name))})`
    )
    await this.input().fill(join(folder, name))
    // The dialog ignores keys while it looks up the typed text.
    await until(`the dialog saves ${name}`, async () => {
      await isThere(this.input().press("Enter", { timeout: 1000 }))
      return isThere(this.input().waitFor({ state: "hidden", timeout: 2000 }))
    })
  }

  /** Unfolds a row, which may move while others take their places around it. */
  unfold(title: ViewTitle, label: string | RegExp): Promise<void> {
    return this.#expand(title, label, true)
  }

  fold(title: ViewTitle, label: string | RegExp): Promise<void> {
    return this.#expand(title, label, false)
  }

  async #expand(title: ViewTitle, label: string | RegExp, isExpanded: boolean): Promise<void> {
    const wanted = this.page.locator(`[aria-expanded=${isExpanded}]`)
    const row = this.rows(title).filter({ hasText: label })
    await this.clickUntil(row.first(), row.and(wanted).first())
  }

  /**
   * Clicks until the wanted state is there, but not where it is there already: a click in the moment of a new drawing is lost,
   * and a second one takes back a first one that is only late.
   */
  async clickUntil(target: Locator, wanted: Locator, button: "left" | "right" = "left"): Promise<void> {
    await until(`clicks lead to ${wanted}`, async () => {
      if (await wanted.isVisible()) return true
      // A row that moves below the resting pointer shows its tooltip, which covers the row that is to be clicked.
      await this.page.mouse.move(0, 0)
      await target.click({ button })
      return isThere(wanted.waitFor({ timeout: lateness }))
    })
  }

  /** Waits until the browser's workbench has written such a text to where it keeps things over a reload: it does so now and then. */
  async kept({ source }: RegExp): Promise<void> {
    await until(`something like ${source} is kept`, () =>
      this.page.evaluate<boolean>(`(${keptSomewhere})(${JSON.stringify(source)})`)
    )
  }

  async question(about: string): Promise<void> {
    await this.page
      .locator(
        `.quick-input-widget:visible:has-text("${about}"), .quick-input-widget:visible:has(input[placeholder*="${about}"])`
      )
      .waitFor()
  }

  /** Chooses one line of a quick pick. */
  async choose(label: string): Promise<void> {
    await this.page.locator(`.quick-input-list .monaco-list-row:has-text("${label}")`).first().click()
  }

  /** Chooses the line whose name begins like this: others may have these letters, too. */
  async chooseNamed(name: string): Promise<void> {
    await this.page.locator(`.quick-input-list .monaco-list-row[aria-label^="${name}"]`).first().click()
  }

  /** The window loses the focus, as where another one is brought before it. */
  async blur(): Promise<void> {
    await this.page.evaluate(`document.hasFocus = () => false; window.dispatchEvent(new Event("blur"))`)
  }

  async focus(): Promise<void> {
    await this.page.evaluate(`delete document.hasFocus; window.dispatchEvent(new Event("focus"))`)
  }

  /** The number on the extension's icon. */
  badge(): Locator {
    return this.page.locator('.activitybar .action-item:has(a[aria-label^="Threat Exposure"]) .badge-content')
  }

  /** Waits until the open question finds fault with its answer in these words. */
  async fault(words: string): Promise<void> {
    await this.page.locator(`.quick-input-widget .quick-input-message:has-text("${words}")`).waitFor()
  }

  notification(text: string): Locator {
    return this.page.locator(`.notification-list-item:has-text("${text}")`).first()
  }

  /** Waits for a message; one that follows others closely goes into the notification centre without being shown. */
  async told(text: string): Promise<Locator> {
    const item = this.notification(text)
    const centre = this.page.locator(".notifications-center.visible")
    await until(`the message “${text}” is shown`, async () => {
      if (await isThere(item.waitFor({ timeout: 3000 }))) return true
      await this.clickUntil(this.page.locator('.statusbar-item[id="status.notifications"] a'), centre)
      return false
    })
    return item
  }

  /** The message may leave for the notification centre meanwhile. */
  async notificationButton(text: string, label: string): Promise<void> {
    await until(`“${label}” of “${text}” is there`, async () => {
      const item = await this.told(text)
      return isThere(item.locator(`.monaco-button:has-text("${label}")`).click({ timeout: lateness }))
    })
  }

  /** Waits for progress with this title, and cancels it. */
  async cancelProgress(title: string): Promise<void> {
    await this.notificationButton(title, "Cancel")
    await this.notification(title).waitFor({ state: "hidden" })
  }

  /** Applies a quick fix at the cursor. */
  async fix(title: string): Promise<void> {
    const item = this.page.locator(`.action-widget .monaco-list-row:has-text("${title}")`).first()
    await until(`“${title}” is offered`, async () => {
      await this.page.keyboard.press("Control+.")
      // The fixes belong to marks, which may come a moment later.
      if (await isThere(item.waitFor({ timeout: 2000 }))) return true
      await this.page.keyboard.press("Escape")
      return false
    })
    await item.click()
  }

  /** Presses the button of a step in an open walkthrough. */
  async walkthroughStep(title: string, button: string): Promise<void> {
    const step = this.page.locator(`.getting-started-step:has-text("${title}")`)
    await this.clickUntil(step, step.and(this.page.locator(".expanded")))
    await step.locator(`.monaco-button:has-text("${button}")`).click()
  }

  async dialogButton(label: string): Promise<void> {
    await this.page.locator(`.monaco-dialog-box .monaco-button:has-text("${label}")`).click()
  }

  /** Presses a key in the text of the active editor. */
  async pressInText(key: string): Promise<void> {
    await this.page.locator(".editor-group-container.active .view-lines").click()
    await this.page.keyboard.press(key)
  }

  dialog(): Locator {
    return this.page.locator(".monaco-dialog-box")
  }

  /** The active editor's visible text, with ordinary spaces. */
  async text(): Promise<string> {
    const lines = this.page.locator(".editor-group-container.active .view-lines .view-line")
    const found = await lines.evaluateAll((elements) =>
      elements
        .map((element) => ({ top: Number.parseFloat(element.style.top), text: element.textContent }))
        .toSorted((a, b) => a.top - b.top)
        .map(({ text }) => text)
    )
    return found.join("\n").replaceAll("\u00a0", " ")
  }

  waitForText(wanted: string | RegExp): Promise<string> {
    return eventually(async () => {
      const text = await this.text()
      if (typeof wanted === "string" ? text.includes(wanted) : wanted.test(text)) return text
      throw new Error(`the editor never showed ${String(wanted)}; it shows:\n${text}`)
    })
  }

  async openFile(name: string): Promise<void> {
    await until(`${name} opens`, async () => {
      await this.#offer("Control+P", name, name)
      return this.#accept(name)
    })
    await this.page.locator(`.tab.active:has-text("${name}")`).waitFor()
  }

  clipboard(): Promise<string> {
    return this.page.evaluate("navigator.clipboard.readText()")
  }

  /** Points at the hidden value of a variable in `staging.env`, until its hover has this text. */
  async hoverHidden(variable: string, text: string): Promise<Locator> {
    // The line of the cursor shows its values.
    await this.page.locator(".view-line", { hasText: "DATABASE_HOST" }).click({ position: { x: 20, y: 5 } })
    const hover = this.page.locator(".monaco-hover:visible", { hasText: text }).first()
    await until(`a hover says “${text}”`, async () => {
      await this.page.mouse.move(0, 0)
      // This position is after the variable's name and the equals sign.
      await this.page.locator(".view-line", { hasText: variable }).hover({ position: { x: 185, y: 8 } })
      return isThere(hover.waitFor({ timeout: 1500 }))
    })
    return hover
  }

  async copy(text: string): Promise<void> {
    await this.page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
  }

  async waitForClipboard(text: string): Promise<void> {
    await until(`“${text}” is copied`, async () => (await this.clipboard()) === text)
  }

  /** Clicks the box of a setting in the Settings page. */
  async checkSetting(id: string): Promise<void> {
    await this.command("Preferences: Open Settings (UI)")
    const box = this.page.locator(`.settings-editor .setting-item-contents:has(.setting-value-checkbox)`)
    const search = this.page.locator(".settings-editor .settings-header .suggest-input-container .view-lines")
    await search.click()
    await this.page.keyboard.press("Control+A")
    await this.page.keyboard.insertText(`@id:${id}`)
    await this.page.locator('.settings-editor :text-matches("^1 Setting Found")').waitFor()
    const check = box.locator(".setting-value-checkbox").first()
    const was = await check.getAttribute("aria-checked")
    const changed = box.locator(`.setting-value-checkbox:not([aria-checked="${was}"])`).first()
    await this.clickUntil(check, changed)
  }

  async closeEditors(): Promise<void> {
    await this.command("View: Close All Editors")
    await this.page.locator(".editor-group-container .tab").first().waitFor({ state: "detached" })
  }

  async closeNotifications(): Promise<void> {
    await this.command("Notifications: Clear All Notifications")
  }

  /** A picture of the window when a test failed. */
  async picture(name: string): Promise<void> {
    const file = `${name.replaceAll(/\W+/gu, "-").slice(0, 60)}.png`
    await this.page.screenshot({ path: join(pictures, file) })
  }

  close(): Promise<void> {
    return this.context.close()
  }
}
