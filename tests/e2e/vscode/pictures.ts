/**
 * Takes the pictures of the documents in a real VS Code with sample data. With a folder as argument, it takes every view,
 * page and state into that folder instead, in four themes or in those that are named after it, for a review of how they
 * look.
 */
import { mkdir } from "node:fs/promises"
import { join, resolve } from "node:path"
import { argv } from "node:process"
import { fileURLToPath } from "node:url"
import type { SampleService } from "@threat-exposure/tools/SampleService"
import { sampleSettings } from "@threat-exposure/tools/real-vscode-workspace"
import { setup } from "../../build.ts"
import { cannotRun, given, prepare } from "./Setup.ts"
import { type ViewTitle, Workbench } from "./Workbench.ts"

if (cannotRun !== undefined) throw new Error(cannotRun)
setup()

const themes = new Map([
  ["dark", "Dark 2026"],
  ["light", "Light 2026"],
  ["high-contrast", "Default High Contrast"],
  ["high-contrast-light", "Default High Contrast Light"]
])

/** A window that is signed in to a sample service, for as long as `use` takes. */
const signedIn = async (theme: string, use: (bench: Workbench, service: SampleService) => Promise<void>) => {
  const stage = await prepare((service) => ({
    ...given(service),
    settings: { ...sampleSettings, "workbench.colorTheme": themes.get(theme) ?? theme }
  }))
  try {
    await use(await Workbench.open(stage.browser, stage.code.address), stage.service)
  } finally {
    await stage.stop()
  }
}

/** Moves the edge between the sidebar and the editors. */
const setSidebarWidth = async ({ page }: Workbench, wanted: number) => {
  const box = await page.locator(".part.sidebar").boundingBox()
  if (box === null) throw new Error("There is no sidebar")
  const middle = box.y + box.height / 2
  await page.mouse.move(box.x + box.width, middle)
  await page.mouse.down()
  await page.mouse.move(box.x + wanted, middle, { steps: 5 })
  await page.mouse.up()
  await page.mouse.move(0, 0)
}

/** Lets everything be drawn, and takes the picture. */
const take = async ({ page }: Workbench, path: string) => {
  await page.waitForTimeout(800)
  await page.screenshot({ path })
  console.log(path)
}

const scrollOverview = async (bench: Workbench, to: "0" | "document.documentElement.scrollHeight") =>
  (await bench.webview("Events per day")).evaluate(`window.scrollTo(0, ${to})`)

/** Loads all events of the last twelve months. */
const loadOverview = async (bench: Workbench) => {
  await bench.only("Overview")
  const overview = await bench.webview("Load")
  const all = overview.getByText("All events of the last 12 months are loaded.")
  while (!(await all.isVisible())) {
    await bench.command("Threat Exposure: Load More Events into the Overview")
    await bench.notification("Loading events").waitFor({ state: "hidden", timeout: 60_000 })
    await bench.page.waitForTimeout(1000)
  }
  await scrollOverview(bench, "0")
}

/** Opens the most severe event of the view. */
const openSevereEvent = async (bench: Workbench) => {
  await bench.view("Events").locator('[role=treeitem][aria-label^="critical"]').first().click()
  return bench.webview("In your tenant")
}

const checkChanges = async (bench: Workbench) => {
  await bench.only("Leak Check")
  await bench.command("Threat Exposure: Check Changes for Leaks")
  await bench.dialog().waitFor()
}

/** Confirms the plan, and shows the evidence for the first leak of a file, whose values are blurred. */
const showLeak = async (bench: Workbench) => {
  await bench.dialogButton("Search")
  await bench.row("Leak Check", "deploy/staging.env").waitFor({ timeout: 60_000 })
  await bench.row("Leak Check", "line 2").click()
  await bench.page.addStyleTag({
    content: ".view-line > span > span:last-child:not(:first-child) { filter: blur(4px) }"
  })
  await bench.page.locator(".squiggly-error").first().hover({ force: true })
  await bench.page.locator(".monaco-hover:visible").first().waitFor()
}

const documents = () =>
  signedIn("dark", async (bench, service) => {
    const picture = (name: string) =>
      take(bench, fileURLToPath(new URL(`../../../docs/images/${name}.png`, import.meta.url)))
    await bench.page.setViewportSize({ width: 1240, height: 640 })
    await bench.only("Leak Check")
    await setSidebarWidth(bench, 480)
    await checkChanges(bench)
    await showLeak(bench)
    await picture("leak-check")

    await bench.page.setViewportSize({ width: 1240, height: 860 })
    await loadOverview(bench)
    const overview = await bench.webview("Events per day")
    await overview.getByRole("button", { name: "Look Up Accounts of example.com" }).click()
    await bench.webview("Imported")
    await bench.closeEditors()
    await bench.goToEvent(await service.uidOf("paste"))
    await setSidebarWidth(bench, 440)
    await scrollOverview(bench, "0")
    await picture("overview")

    await bench.page.setViewportSize({ width: 1240, height: 800 })
    await setSidebarWidth(bench, 300)
    await bench.closeEditors()
    await bench.only("Events")
    await openSevereEvent(bench)
    await picture("events")
  })

const gallery = (theme: string, folder: string) =>
  signedIn(theme, async (bench, service) => {
    const picture = (name: string) => take(bench, join(folder, `${name}-${theme}.png`))
    const pictureOf = async (title: ViewTitle, name: string) => {
      await bench.only(title)
      await picture(name)
    }
    const { page } = bench
    await bench.only("Overview")
    await bench.webview("Load")
    await picture("overview-first")
    await loadOverview(bench)
    await picture("overview")
    await bench.only("Identifiers")
    await bench.unfold("Identifiers", "example.com")
    await picture("identifiers")
    await bench.only("Events")
    await bench.unfold("Events", "Everything on example.com")
    await bench.row("Events", "Load More").waitFor()
    await picture("events")
    const event = await openSevereEvent(bench)
    await picture("event")
    await event.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    await picture("event-end")
    const uid = await service.uidOf("leaked_credential")
    await bench.goToEvent(uid)
    const secret = await bench.webview(uid)
    await secret.locator('button.link:text-is("Reveal")').first().press("Enter")
    await secret.locator('button.link:text-is("Hide")').first().waitFor()
    await picture("event-revealed")
    await setSidebarWidth(bench, 800)
    await picture("event-narrow")
    await pictureOf("Overview", "overview-wide")
    await setSidebarWidth(bench, 300)
    const overview = await bench.webview("Events per day")
    await overview.locator("#time-table summary").press("Enter")
    await overview.locator("#time-table").scrollIntoViewIfNeeded()
    await picture("overview-table")
    await scrollOverview(bench, "document.documentElement.scrollHeight")
    await picture("overview-end")
    await pictureOf("Policies", "policies")
    await pictureOf("Recommendations", "recommendations")
    await bench.closeEditors()
    await pictureOf("Leak Check", "leak-check-empty")
    await checkChanges(bench)
    await picture("leak-check-plan")
    await showLeak(bench)
    await picture("leak-check")
    await bench.command("Threat Exposure: Search Credentials…")
    await bench.question("Search by")
    await picture("credentials-form")
    await bench.choose("Accounts whose address is at a domain")
    await bench.answer("domain (Press 'Enter'", "example.com")
    await bench.choose("Imported at any time")
    await bench.answer("Extra fields")
    const results = await bench.webview("Imported")
    await results.locator("table.rows").waitFor()
    await picture("credentials")
    await results.locator("tbody th button").first().click()
    const credential = await bench.webview("Show All Results")
    await credential.locator('dd button:text-is("Reveal")').first().click()
    await credential.locator('dd button:text-is("Hide")').first().waitFor()
    await picture("credential")
    await service.kill()
    await bench.only("Events")
    await bench.titleButton("Events", "Refresh Events")
    await bench.view("Events").getByText(/As of/u).waitFor()
    await bench.row("Events", "example.com").click()
    await bench.webview("cannot be reached")
    await picture("event-offline")
    await service.restart()
    await bench.command("Threat Exposure: Sign Out")
    await bench.only("Overview")
    await bench.webview("Sign In")
    await picture("overview-signed-out")
    await pictureOf("Events", "events-signed-out")
    await bench.command("Welcome: Open Walkthrough...")
    await bench.choose("Get Started with Threat Exposure")
    await page.locator(".gettingStartedContainer").waitFor()
    await bench.command("View: Close Primary Side Bar")
    await picture("walkthrough")
  })

const [, , folder, ...chosen] = argv
if (folder === undefined) await documents()
else {
  await mkdir(folder, { recursive: true })
  for (const theme of chosen.length === 0 ? themes.keys() : chosen) await gallery(theme, resolve(folder))
}
