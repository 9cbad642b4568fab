/**
 * Takes the pictures of the documents in a real VS Code with sample data. With a folder as argument, it takes every view,
 * page and state into that folder instead, in four themes and in French, or in those that are named after it, for a
 * review of how they look.
 */
import { mkdir, readFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { argumentsOf, refuse } from "@threat-exposure/tools/Arguments"
import type { SampleService } from "@threat-exposure/tools/SampleService"
import { sampleSettings } from "@threat-exposure/tools/real-vscode-workspace"
import type { VsCodeOptions } from "@threat-exposure/tools/real-vscode"
import { setup } from "../../build.ts"
import { cannotRun, given, launchBrowser, prepare, watch, type WatchedService } from "./Setup.ts"
import { type ViewTitle, Workbench } from "./Workbench.ts"

const themes = new Map([
  ["dark", "Dark 2026"],
  ["light", "Light 2026"],
  ["high-contrast", "Default High Contrast"],
  ["high-contrast-light", "Default High Contrast Light"]
])

/** The display language of a gallery, in the dark theme. */
const languages = new Map([["french", "fr"]])

const everyLook = [...themes.keys(), ...languages.keys()]
const usage = "npm run pictures -- [FOLDER [LOOK…]]"
const {
  positionals: [folder, ...chosen]
} = argumentsOf(usage, { most: 1 + everyLook.length, options: {} })
const unknown = chosen.filter((look) => !everyLook.includes(look))
if (unknown.length > 0)
  refuse(`No look is called ${unknown.join(", ")}. There are: ${everyLook.join(", ")}`, `Usage: ${usage}`)
if (cannotRun !== undefined) throw new Error(cannotRun)
setup()

const read = async (path: string): Promise<Readonly<Record<string, string>>> =>
  JSON.parse(await readFile(new URL(`../../../apps/vscode/${path}`, import.meta.url), "utf8"))

/** The extension's own words in a language, by their English. */
const wordsIn = async (language: string | undefined): Promise<(english: string) => string> => {
  if (language === undefined) return (english) => english
  const english = await read("package.nls.json")
  const translated = await read(`package.nls.${language}.json`)
  const words = new Map(Object.entries(await read(`l10n/bundle.l10n.${language}.json`)))
  for (const [key, text] of Object.entries(english)) words.set(text, translated[key] ?? text)
  return (text) => {
    const word = words.get(text)
    if (word === undefined) throw new Error(`“${text}” has no translation`)
    return word
  }
}

interface Scene {
  readonly bench: Workbench
  readonly service: SampleService
  /** The service that keeps the editor waiting. */
  readonly watched: WatchedService
  readonly open: (options: Partial<VsCodeOptions>) => Promise<Workbench>
  readonly say: (english: string) => string
  /** A command of the extension, by its English title. */
  readonly command: (title: string) => Promise<void>
}

/** A window that is signed in to a sample service, for as long as `use` takes. */
const signedIn = async (look: string, use: (scene: Scene) => Promise<void>) => {
  const language = languages.get(look)
  const say = await wordsIn(language)
  let watched: WatchedService | undefined
  const looks = {
    ...(language === undefined ? {} : { language }),
    settings: { "workbench.colorTheme": themes.get(language === undefined ? look : "dark") ?? look }
  }
  const browser = await launchBrowser()
  const stage = await prepare(browser, async (service) => {
    watched = await watch(service.address)
    return {
      ...given({ ...service, address: watched.address }),
      ...looks,
      settings: { ...sampleSettings, ...looks.settings }
    }
  })
  try {
    if (watched === undefined) throw new Error("There is no service")
    const bench = await Workbench.open(stage.browser, stage.code.address)
    await use({
      bench,
      service: stage.service,
      watched,
      open: async (options) => {
        const code = await stage.another({ ...looks, ...options, settings: { ...looks.settings, ...options.settings } })
        return Workbench.open(stage.browser, code.address)
      },
      say,
      command: (title) => bench.command(`Threat Exposure: ${say(title)}`)
    })
  } finally {
    watched?.stop()
    await stage.stop()
    await browser.close()
  }
}

/** Lets everything be drawn, and takes the picture. */
const take = async ({ page }: Workbench, path: string) => {
  await page.waitForTimeout(800)
  await page.screenshot({ path })
  console.log(path)
}

const scrollOverview = async ({ bench, say }: Scene, to: "0" | "document.documentElement.scrollHeight") =>
  (await bench.webview(say("Events per day"))).evaluate(`window.scrollTo(0, ${to})`)

/** Waits until all events of the period are loaded. */
const loadOverview = async (scene: Scene) => {
  const { bench, say } = scene
  await bench.only(say("Overview"))
  const overview = await bench.webview(say("Events per day"))
  await overview.locator("#all b").filter({ hasText: /^\d+$/u }).waitFor({ timeout: 120_000 })
  await scrollOverview(scene, "0")
}

/** Opens the most severe event of the view. */
const openSevereEvent = async ({ bench, say }: Scene) => {
  await bench
    .view(say("Events"))
    .locator(`[role=treeitem][aria-label^="${say("critical")}"]`)
    .first()
    .click()
  return bench.webview(say("In your tenant"))
}

const goToEvent = async ({ bench, command, say }: Scene, uid: string) => {
  await command("Go to Event…")
  await bench.answer(say("UID of the event, such as leak/source/1234"), uid)
}

const checkChanges = async ({ bench, command, say }: Scene) => {
  await bench.only(say("Leak Check"))
  await command("Check Changes for Leaks")
  await bench.dialog().waitFor()
}

/** Confirms the plan, hides the values that leaked, and shows the evidence for the first of a file. */
const showLeak = async (scene: Scene) => {
  const { bench, command, say } = scene
  await bench.dialogButton(say("Search"))
  await bench.row(say("Leak Check"), "deploy/staging.env").waitFor({ timeout: 60_000 })
  await bench.row(say("Leak Check"), "2: DATABASE_PASSWORD").click()
  await command("Hide Leaked Values in the Editor")
  await bench.hoverHidden("DATABASE_PASSWORD", say("Open Event"))
}

const documents = () =>
  signedIn("dark", async (scene) => {
    const { bench, service } = scene
    const picture = (name: string) =>
      take(bench, fileURLToPath(new URL(`../../../docs/images/${name}.png`, import.meta.url)))
    await bench.page.setViewportSize({ width: 1240, height: 640 })
    await bench.only("Leak Check")
    await bench.setSidebarWidth(480)
    await checkChanges(scene)
    await showLeak(scene)
    await picture("leak-check")

    await bench.page.setViewportSize({ width: 1240, height: 860 })
    await loadOverview(scene)
    const overview = await bench.webview("Events per day")
    await overview.getByRole("button", { name: "Look Up Accounts of example.com" }).click()
    await bench.webview("Imported")
    await bench.closeEditors()
    await goToEvent(scene, await service.uidOf("paste"))
    await bench.setSidebarWidth(440)
    await scrollOverview(scene, "0")
    await picture("overview")

    await bench.page.setViewportSize({ width: 1240, height: 800 })
    await bench.setSidebarWidth(300)
    await bench.closeEditors()
    await bench.only("Events")
    await openSevereEvent(scene)
    await picture("events")
  })

/** Pictures of the sign-in form, of empty views, and of views that wait for the service. */
const states = async (look: string, folder: string) =>
  signedIn(look, async (scene) => {
    const { open, say, service, watched } = scene
    const picture = (bench: Workbench, name: string) => take(bench, join(folder, `${name}-${look}.png`))
    const views = ["Identifiers", "Events", "Policies", "Recommendations"].map(say)
    /** Expands all views, each as tall as its content. */
    const unfolded = async (bench: Workbench, name: string, title = views) => {
      await bench.page.setViewportSize({ width: 900, height: 1300 })
      await bench.showSidebar()
      const headers = bench.page.locator(".sidebar .pane > .pane-header")
      for (let index = 0; index < (await headers.count()); index++) {
        const header = headers.nth(index)
        const isWanted = title.includes((await header.locator("h3.title").textContent()) ?? "")
        if (((await header.getAttribute("aria-expanded")) === "true") !== isWanted) {
          await header.locator("h3.title").click()
        }
      }
      await picture(bench, name)
    }

    const fresh = await open({})
    await unfolded(fresh, "signed-out")
    await fresh.page.setViewportSize({ width: 1280, height: 860 })
    await fresh.command(`Threat Exposure: ${say("Sign In…")}`)
    await fresh.answer(say("Address of the service"), "http://exposure.example.com")
    await fresh.fault("https://")
    await picture(fresh, "sign-in-1")
    await fresh.correct(watched.address)
    await fresh.question("(2/3)")
    await picture(fresh, "sign-in-2")
    await fresh.choose(say("Access token"))
    await fresh.question("(3/3)")
    await picture(fresh, "sign-in-3")
    const { host } = new URL(watched.address)
    await fresh.answer(host, "not-a-token")
    await picture(fresh, "sign-in-refused")
    await fresh.page.keyboard.press("Escape")
    await fresh.close()

    // Another tenant, which has nothing yet.
    const token = await service.createKey("read-tenant", 2)
    const empty = await open(given({ ...service, address: watched.address, token }))
    await unfolded(empty, "empty")
    await empty.page.setViewportSize({ width: 1280, height: 860 })
    await empty.only(say("Overview"))
    await picture(empty, "overview-empty")
    await empty.close()

    const { bench } = scene
    await bench.only(say("Events"))
    await bench.row(say("Events"), say("Load More")).waitFor()
    watched.hold()
    await bench.titleButton(say("Events"), say("Refresh Events"))
    await bench.openPage(bench.row(say("Events"), "example.com"), say("Loading the event…"))
    await picture(bench, "loading")
    watched.answer()
    await bench.page.waitForTimeout(2000)
    await service.restart({ THREAT_EXPOSURE_SEARCHES_A_MONTH: "1" })
    // The only search of this month, and then one for something else: the same one costs nothing.
    for (const search of [
      { name: "First", query: { type: "domain", fqdn: "example.com" } },
      { name: "Second", query: { type: "domain", fqdn: "example.org" } }
    ]) {
      const window = await open({
        ...given({ ...service, address: watched.address }),
        settings: { "threatExposure.savedSearches": [search] }
      })
      await window.only(say("Events"))
      await window.fold(say("Events"), say("All Identifiers"))
      await window.unfold(say("Events"), search.name)
      await window.rows(say("Events")).nth(2).waitFor()
      await unfolded(window, "quota-used-up")
      await window.page.setViewportSize({ width: 1280, height: 860 })
      await window.only(say("Overview"))
      await picture(window, "overview-quota-used-up")
      await window.close()
    }
    await service.kill()
    await bench.reload()
    await unfolded(bench, "unreachable")
    await bench.page.setViewportSize({ width: 1280, height: 860 })
    await bench.only(say("Overview"))
    await (
      await bench.webview(say("exposed accounts"))
    )
      .locator("#numbers", { hasText: say("The service cannot be reached.") })
      .waitFor()
    await picture(bench, "overview-unreachable")
    await service.restart({})
    const limited = await open(
      given({ ...service, address: watched.address, token: await service.createKey("write-tenant") })
    )
    await unfolded(limited, "forbidden")
    await limited.close()
    await service.revokeKeys()
    await bench.reload()
    await unfolded(bench, "expired")
    await bench.page.setViewportSize({ width: 1280, height: 860 })
    await bench.only(say("Overview"))
    await picture(bench, "overview-expired")
  })

/** Pictures of every view and page with sample data. */
const gallery = (look: string, folder: string) =>
  signedIn(look, async (scene) => {
    const { bench, command, say, service } = scene
    const { page } = bench
    const picture = (name: string) => take(bench, join(folder, `${name}-${look}.png`))
    const pictureOf = async (title: ViewTitle, name: string) => {
      await bench.only(say(title))
      await picture(name)
    }
    const [events, leaks] = [say("Events"), say("Leak Check")]
    await bench.only(say("Overview"))
    await bench.webview(say("Events per day"))
    await picture("overview-first")
    await loadOverview(scene)
    await picture("overview")
    await bench.only(say("Identifiers"))
    await bench.unfold(say("Identifiers"), "example.com")
    await bench.row(say("Identifiers"), say("Load More")).waitFor()
    await picture("identifiers")
    await bench.contextMenu(bench.row(say("Identifiers"), "example.com"), say("Open Identifier"))
    await bench.webview(say("Latest events"))
    await picture("identifier")
    await bench.closeEditors()
    await bench.only(events)
    await bench.unfold(events, "Everything on example.com")
    await bench.row(events, say("Load More")).waitFor()
    await picture("events")
    await bench.row(events, "BOT-").hover()
    await page.locator(".monaco-hover:visible").first().waitFor()
    await picture("events-hover")
    await bench.row(events, "BOT-").click({ button: "right" })
    await picture("events-menu")
    await page.keyboard.press("Escape")
    await bench.titleButton(events, "More Actions")
    await picture("events-more")
    await page.keyboard.press("Escape")
    await command("Create Identifier…")
    await bench.question(say("What do you want to monitor?"))
    await picture("identifier-form")
    await page.keyboard.press("Escape")
    await page.locator('.activitybar a.action-label[aria-label^="Accounts"]').click()
    await picture("accounts")
    await page.keyboard.press("Escape")
    await bench.status().hover()
    await page.locator(".monaco-hover:visible").first().waitFor()
    await picture("status-hover")
    await page.mouse.move(0, 0)
    const event = await openSevereEvent(scene)
    await picture("event")
    await event.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    await picture("event-end")
    const uid = await service.uidOf("leaked_credential")
    await goToEvent(scene, uid)
    const secret = await bench.webview(uid)
    await secret
      .locator(`button.link:text-is("${say("Reveal")}")`)
      .first()
      .press("Enter")
    await secret
      .locator(`button.link:text-is("${say("Hide")}")`)
      .first()
      .waitFor()
    await picture("event-revealed")
    await bench.setSidebarWidth(800)
    await picture("event-narrow")
    await pictureOf("Overview", "overview-wide")
    await bench.setSidebarWidth(300)
    const overview = await bench.webview(say("Events per day"))
    await overview.locator("#time-table summary").press("Enter")
    await overview.locator("#time-table").scrollIntoViewIfNeeded()
    await picture("overview-table")
    await scrollOverview(scene, "document.documentElement.scrollHeight")
    await picture("overview-end")
    await overview.locator("#severity-critical").press("Enter")
    await bench.row(events, say("of the loaded events")).waitFor()
    await picture("events-of-a-number")
    await bench.closeEditors()
    await bench.only(events)
    await command("Filter Events…")
    await picture("filter-form")
    await page.keyboard.press("Escape")
    await command("Group Events By…")
    await bench.choose(say("Severity"))
    await page.waitForTimeout(1000)
    await picture("events-grouped")
    await command("Group Events By…")
    await bench.choose(say("No grouping"))
    await bench.only(say("Policies"))
    await bench.unfold(say("Policies"), "Shop and payments only")
    await picture("policies")
    await bench.contextMenu(bench.row(say("Policies"), "Shop and payments only"), say("Open Policy"))
    await bench.webview(say("Assignments"))
    await picture("policy")
    await bench.closeEditors()
    await pictureOf("Recommendations", "recommendations")
    await bench.closeEditors()
    await bench.command("Preferences: Open Settings (UI)")
    await page.locator(".settings-editor .settings-header .suggest-input-container .view-lines").click()
    await page.keyboard.type("@ext:threat-exposure.threat-exposure")
    // Closes the suggestions.
    await page.keyboard.press("Escape")
    await page.locator(".settings-editor .setting-item-contents").first().waitFor()
    await picture("settings")
    await bench.closeEditors()
    await pictureOf("Leak Check", "leak-check-empty")
    await checkChanges(scene)
    await picture("leak-check-plan")
    await showLeak(scene)
    await picture("leak-check")
    await bench.row(leaks, "GITHUB_TOKEN").hover()
    await picture("leak-check-hover")
    await bench.row(leaks, "2: DATABASE_PASSWORD").click({ button: "right" })
    await picture("leak-check-menu")
    await page.keyboard.press("Escape")
    await page.locator(".editor-group-container.active .view-lines").click({ position: { x: 90, y: 30 } })
    await page.keyboard.press("Control+.")
    await picture("leak-check-fixes")
    await page.keyboard.press("Escape")
    await command("Group Findings By…")
    await bench.choose(say("Severity"))
    await picture("leak-check-grouped")
    await command("Search Credentials…")
    const form = await bench.webview(say("Every hundred results use one unit of quota."))
    await form.getByRole("textbox", { name: say("Domain") }).fill("example.com")
    await picture("credentials-form")
    await form.getByRole("button", { name: say("Search"), exact: true }).click()
    const results = await bench.webview(say("Change the Search"))
    await results.locator("table.rows").waitFor()
    await picture("credentials")
    await results.locator("tbody th button").first().click()
    const credential = await bench.webview(say("Show All Results"))
    await credential
      .locator(`dd button:text-is("${say("Reveal")}")`)
      .first()
      .click()
    await credential
      .locator(`dd button:text-is("${say("Hide")}")`)
      .first()
      .waitFor()
    await picture("credential")
    await service.kill()
    await bench.only(events)
    await bench.titleButton(events, say("Refresh Events"))
    await bench.view(events).getByText(say("The service cannot be reached.")).waitFor()
    await bench.row(events, "example.com").click()
    await bench.webview(say("The service cannot be reached."))
    await picture("event-offline")
    await service.restart()
    await command("Sign Out")
    await bench.only(say("Overview"))
    await bench.webview(say("Sign In"))
    await picture("overview-signed-out")
    await bench.command("Welcome: Open Walkthrough...")
    await bench.choose(say("Get Started with Threat Exposure"))
    await page.locator(".gettingStartedContainer").waitFor()
    await bench.command("View: Close Primary Side Bar")
    await picture("walkthrough")
  })

if (folder === undefined) await documents()
else {
  await mkdir(folder, { recursive: true })
  for (const look of chosen.length === 0 ? everyLook : chosen) {
    await gallery(look, resolve(folder))
    await states(look, resolve(folder))
  }
}
