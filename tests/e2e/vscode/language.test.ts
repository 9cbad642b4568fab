/** The extension in French, where the display language is French: everything it says, and no English left. */
import { readFile } from "node:fs/promises"
import { afterAll, afterEach, assert, describe } from "vitest"
import { cannotRun, given, prepare, type Stage } from "./Setup.ts"
import { it } from "./SharedBrowser.ts"
import { paste } from "./SyntheticEvents.ts"
import { eventually, Workbench } from "./Workbench.ts"

const read = async (path: string): Promise<Readonly<Record<string, string>>> =>
  JSON.parse(await readFile(new URL(`../../../apps/vscode/${path}`, import.meta.url), "utf8"))

const french = await read("package.nls.fr.json")
const english = await read("package.nls.json")
const messages = await read("l10n/bundle.l10n.fr.json")

/** English sentences of the extension's own, of three words or more, as patterns. */
const sentences = [
  ...Object.keys(english)
    .filter((key) => english[key] !== french[key])
    .flatMap((key) => (english[key] ?? "").split("\n")),
  ...Object.keys(messages).filter((key) => messages[key] !== key)
]
  .filter((text) => text.split(" ").length > 2 && !text.includes("]("))
  // The editor's own messages may also consist of one word between two values.
  .filter((text) => !/^\{\d\} \S+ \{\d\}$/u.test(text))
  .map((text) => new RegExp(text.replaceAll(/[.*+?^$()|[\]\\]/gu, "\\$&").replaceAll(/\{\d\}/gu, ".+"), "u"))

describe.skipIf(cannotRun !== undefined)(cannotRun ?? "in a real VS Code in French", () => {
  let stage: Stage
  let bench: Workbench

  it.beforeAll(async ({ browser }) => {
    stage = await prepare(browser, (service) => ({
      ...given(service),
      language: "fr",
      settings: {
        "threatExposure.savedSearches": [{ name: "Chez nous", query: { type: "domain", fqdn: "example.com" } }]
      }
    }))
    bench = await Workbench.open(stage.browser, stage.code.address)
  })
  afterAll(() => stage?.stop())
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") await bench.picture(task.name)
  })

  /** Asserts that no visible text of the extension is English. */
  const isFrench = async () => {
    const parts = bench.page.locator(
      ".sidebar .pane-body, .monaco-dialog-box, .notification-list-item, .statusbar-item[id^=threat-exposure], .view-lines, .monaco-hover"
    )
    for (const text of await parts.allInnerTexts()) {
      const plain = text.replaceAll("\u00a0", " ")
      for (const sentence of sentences) assert.notMatch(plain, sentence)
    }
  }

  it("names its views, what they say where they are empty, and its commands", async () => {
    await bench.only(french["view.identifiers"] ?? "")
    await bench.row("Identifiants", "example.com").waitFor()
    await isFrench()
    await bench.only("Recherche de fuites")
    await bench.welcome("Recherche de fuites").getByText("Rien n'a encore été vérifié.").waitFor()
    await isFrench()
    await bench.only("Politiques")
    await bench.row("Politiques", "Shop and payments only").waitFor()
    await isFrench()
    await bench.only("Recommandations")
    await bench.row("Recommandations", "shop.example.com").waitFor()
    await isFrench()
    const titles = Object.keys(french).filter((key) => key.startsWith("command."))
    assert.isAbove(titles.length, 40)
    for (const key of titles) assert.notStrictEqual(french[key], english[key], key)
    await bench.command(`Threat Exposure: ${french["command.createReport"]}`)
    await bench.question("Titre du rapport")
    await bench.page.keyboard.press("Escape")
  })

  it("shows events, their ages and an event's page", async () => {
    await bench.only("Événements")
    await bench.row("Événements", "10 dans la liste").waitFor()
    await isFrench()
    const event = bench.view("Événements").locator('[role=treeitem][aria-label*="il y a"]:not([aria-expanded])').first()
    await bench.openPage(event, "Détails")
    await isFrench()
    await bench.closeEditors()
  })

  it("cuts nothing off in the overview, as narrow as its view is at first, narrower, and as it can be", async () => {
    await bench.only(french["view.overview"] ?? "")
    const overview = await bench.webview("Événements par jour")
    await overview.locator("#time-table summary").click()
    await overview.locator("#time-table tbody").waitFor()
    for (const width of [300, 250, 175]) {
      await bench.setSidebarWidth(width)
      await overview.waitForFunction(`innerWidth < ${width}`)
      await eventually(async () => {
        const cut = await overview.evaluate(`({
          width: document.documentElement.scrollWidth - document.documentElement.clientWidth,
          texts: [...document.querySelectorAll(".tile .label" + (${width} < 250 ? "" : ", [aria-labelledby=types] th span"))]
            .filter(({ clientHeight, scrollHeight }) => scrollHeight > clientHeight)
            .map(({ textContent }) => textContent)
        })`)
        assert.deepStrictEqual(cut, { width: 0, texts: [] })
      })
    }
    await bench.setSidebarWidth(300)
  })

  it("breaks a title that is wider than the page", async () => {
    const about = "W".repeat(300)
    const wide = (number: number) => paste({ number, severity: "low", at: new Date(), about })
    await stage.service.loadEvents([wide(1), wide(2)])
    await bench.only("Événements")
    await bench.titleButton("Événements", french["command.events.refresh"] ?? "")
    const event = await bench.openPage(bench.row("Événements", "Ledger 1 of"), "Autres événements de cette source")
    await event.getByRole("button", { name: "Ledger 2 of" }).last().waitFor()
    // The text may be there before its style.
    await eventually(async () =>
      assert.strictEqual(
        await event.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"),
        0
      )
    )
    await bench.closeEditors()
  })

  it("checks a file", async () => {
    await bench.openFile("staging.env")
    await bench.command(`Threat Exposure: ${french["command.checkFile"]}`)
    await bench.dialog().getByText("4 valeurs, 8 recherches").waitFor()
    await isFrench()
    await bench.dialogButton("Rechercher")
    await bench.view("Recherche de fuites").getByText("Fuites : 3. 8 recherches.").waitFor()
    await bench.row("Recherche de fuites", "2: DATABASE_PASSWORD").waitFor()
    await isFrench()
    await bench.row("Recherche de fuites", "2: DATABASE_PASSWORD").hover()
    await bench.page
      .locator(".monaco-hover:visible")
      .getByText("Vu dans une fuite")
      .or(bench.page.locator(".monaco-hover:visible"))
      .first()
      .waitFor()
    await isFrench()
    await bench.command(`Threat Exposure: ${french["command.leaks.hideValues"]}`)
    const hover = await bench.hoverHidden("DATABASE_PASSWORD", "Ouvrir l'événement")
    // Lines of a hover break between words.
    assert.notMatch(await hover.innerText(), /\p{L}\u00a0\p{L}/u)
  })

  it("says that the service is gone", async () => {
    await bench.closeNotifications()
    await stage.service.kill()
    await bench.only("Recommandations")
    await bench.titleButton("Recommandations", french["command.recommendations.refresh"] ?? "")
    await bench.view("Recommandations").getByText("Le service est injoignable.").waitFor()
    await isFrench()
  })
})
