/** Events as they arrive, also with another window; and ten thousand of them: in files, while the service is gone, and in a view. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, afterEach, assert, beforeAll, describe } from "vitest"
import { loadMany, many, newest, settingsForMany, showAll, shown } from "./ManyEvents.ts"
import { cannotRun, prepare, type Stage, watch, type WatchedService } from "./Setup.ts"
import { it } from "./SharedBrowser.ts"
import { paste } from "./SyntheticEvents.ts"
import { isThere, until, Workbench } from "./Workbench.ts"

/** Seconds between two looks. */
const interval = 0.5

describe.skipIf(cannotRun !== undefined)(cannotRun ?? "in a real VS Code", () => {
  let stage: Stage
  let bench: Workbench

  it.beforeAll(async ({ browser }) => {
    stage = await prepare(browser, () => ({
      settings: {
        "threatExposure.refresh.minutes": interval / 60,
        "threatExposure.notifications.severity": "high",
        "threatExposure.savedSearches": [
          { name: "Ours", query: { type: "query_string", query_string: "harbourmaster" } }
        ]
      }
    }))
    bench = await Workbench.open(stage.browser, stage.code.address)
  })
  afterAll(() => stage?.stop())
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") await bench.picture(task.name)
  })

  describe("in the background", () => {
    let number = 2 * many
    const load = (severity: string, count: number) => {
      const next = () => paste({ number: number++, severity, at: new Date(), about: "harbourmaster" })
      return stage.service.loadEvents(Array.from({ length: count }, next))
    }

    const signIn = async () => {
      await bench.only("Events")
      await bench.command("Threat Exposure: Sign In…")
      await bench.signIn(stage.service.address, stage.service.token)
    }

    /** Waits until no request arrives between two polls; earlier requests may still end. */
    const asksNothing = () =>
      until("requests end", async () => {
        const before = await stage.service.requests()
        await sleep(interval * 2000)
        return (await stage.service.requests()).length === before.length
      })

    /** An event that comes before a refresh has ended is not new to it. */
    const refresh = async () => {
      await bench.titleButton("Events", "Refresh Events")
      await bench.badge().waitFor({ state: "hidden" })
      await newRows().first().waitFor({ state: "detached" })
      await bench.view("Events").locator(".monaco-progress-container.active").waitFor({ state: "hidden" })
    }

    const newRows = () => bench.view("Events").locator('[role=treeitem][aria-label*=", new, "]')

    it("sends no request while signed out", asksNothing)

    it("counts new events in a badge, which a refresh removes", async () => {
      await signIn()
      await bench.unfold("Events", "Ours")
      await bench.row("Events", "No events match.").waitFor()
      await load("low", 2)
      await bench.badge().getByText("2", { exact: true }).waitFor()
      await newRows().nth(1).waitFor()
      await load("low", 1)
      await bench.badge().getByText("3", { exact: true }).waitFor()
      assert.isFalse(await bench.notification("new event").isVisible())
      await refresh()
    })

    it("shows at most one message, for events of the chosen severity or higher", async () => {
      await load("critical", 1)
      await bench.notification("1 new event (high or higher)").waitFor()
      await load("critical", 2)
      await bench.badge().getByText("3", { exact: true }).waitFor()
      assert.isBelow(await bench.page.locator('.notification-list-item:has-text("new event")').count(), 2)
      await bench.notificationButton("1 new event", "Don't Show Again")
      await bench.notification("new event").waitFor({ state: "hidden" })
      await load("critical", 1)
      await bench.badge().getByText("4", { exact: true }).waitFor()
      assert.isFalse(await bench.notification("new event").isVisible())
    })

    it("sends no request while the view is hidden or the window has no focus, and catches up afterwards", async () => {
      await refresh()
      await bench.only("Identifiers")
      await asksNothing()
      await load("low", 1)
      await asksNothing()
      await bench.only("Events")
      await bench.badge().getByText("1", { exact: true }).waitFor()
      await bench.blur()
      await load("low", 1)
      await asksNothing()
      await bench.focus()
      await bench.badge().getByText("2", { exact: true }).waitFor()
    })

    it("shares a sign-out with another window", async () => {
      const other = await Workbench.within(bench.context, stage.code.address)
      await other.only("Identifiers")
      await other.row("Identifiers", "example.com").waitFor()
      await other.blur()
      await bench.command("Threat Exposure: Sign Out")
      // A change reaches the other windows within seconds, and a window reads it when it gets the focus.
      await until("the other window is signed out", async () => {
        await other.blur()
        await other.focus()
        return isThere(other.status().getByText("Sign In").waitFor({ timeout: 500 }))
      })
      await other.welcome("Identifiers").getByText("Shown once you sign in").waitFor()
      await other.page.close()
    })
  })

  describe("ten thousand of them", () => {
    let watched: WatchedService

    beforeAll(async () => {
      watched = await watch(stage.service.address)
      await loadMany(stage.service)
      await stage.code.configure(settingsForMany)
    })
    afterAll(() => watched?.stop())

    // This is a test and not a hook, because only tests are retried.
    it("are found by a saved search after a sign-in", async () => {
      await bench.command("Threat Exposure: Add Profile…")
      await bench.signIn(watched.address, stage.service.token)
      await bench.only("Events")
      // The identifiers' events would leave no room for the search.
      await bench.fold("Events", "All Identifiers")
      await bench.unfold("Events", "Ledgers")
    })

    const linesOf = async (name: string) =>
      (await readFile(join(stage.code.workspace, name), "utf8").catch(() => ""))
        .split("\n")
        .filter((line) => line !== "")

    const exportAs = async (name: string, format: string, most: string) => {
      await bench.command("Threat Exposure: Export Events…")
      await bench.choose("Ledgers")
      await bench.choose(most)
      await bench.choose(format)
      await bench.choose("What the view shows")
      await bench.saveAs(name, stage.code.workspace)
    }

    const most = 1000

    /** Leaves the export in its middle, where it waits for its next events. */
    const exportSome = async (name: string, format: string, most: string) => {
      // Requests of other views must not use up what the export needs.
      watched.hold(60, "/events/global/")
      await exportAs(name, format, most)
      await until(`${name} has events`, async () => (await linesOf(name)).length >= 200)
    }

    /** Kills the service while somebody waits for its answer. */
    const kill = async () => {
      await stage.service.kill()
      watched.answer()
    }

    it("continues an export after the service was unreachable, without loss or repetition", async () => {
      await exportSome("events.ndjson", "NDJSON", "At most 1,000 events")
      await kill()
      await bench.told("events are in events.")
      const kept = (await linesOf("events.ndjson")).length
      assert.isAtLeast(kept, 200)
      assert.isBelow(kept, most)
      await bench.told(`The service cannot be reached. ${kept} events are in`)
      await stage.service.restart()
      await bench.notificationButton("events are in", "Resume")
      await bench.told("1,000 events were exported to")
      const uids = (await linesOf("events.ndjson")).map((line) => JSON.parse(line).metadata.uid)
      assert.strictEqual(uids.length, most)
      assert.strictEqual(new Set(uids).size, most)
    })

    it("leaves a valid file if an export was cancelled", async () => {
      await bench.closeNotifications()
      await exportSome("events.sarif", "SARIF", "All events")
      await bench.notificationButton("Export Events", "Cancel")
      watched.answer()
      await bench.told("The export was cancelled.")
      const { runs } = JSON.parse((await linesOf("events.sarif")).join("\n"))
      const kept: number = runs[0].results.length
      assert.isAtLeast(kept, 100)
      assert.isBelow(kept, many)
      await bench.told(`${kept.toLocaleString("en")} events are in`)
      await bench.closeNotifications()
    })

    it("shows instead of rows that the service is unreachable, and continues an export that a reload of the window interrupted", async () => {
      await exportSome("again.sarif", "SARIF", "At most 1,000 events")
      await kill()
      await bench.kept(/"exports\.unfinished":\[.*again\.sarif/u)
      await bench.reload()
      await bench.only("Recommendations")
      await bench.welcome("Recommendations").getByText("The service cannot be reached").waitFor()
      await bench.only("Events")
      await bench.welcome("Events").getByText("The service cannot be reached").waitFor()
      await stage.service.restart()
      await bench.welcomeButton("Events", "Retry")
      await bench.row("Events", "Ledger 1 of").waitFor()
      const { runs: halted } = JSON.parse((await linesOf("again.sarif")).join("\n"))
      assert.isBelow(halted[0].results.length, most)
      await bench.command("Threat Exposure: Resume Export…")
      // The one that was cancelled waits too.
      await bench.choose("again.sarif")
      await bench.told("1,000 events were exported to")
      const { runs } = JSON.parse((await linesOf("again.sarif")).join("\n"))
      const uids = runs[0].results.map((result: Result) => result.partialFingerprints["threatExposure/event"])
      assert.strictEqual(uids.length, most)
      assert.strictEqual(new Set(uids).size, most)
      assert.deepStrictEqual(
        runs[0].tool.driver.rules.map(({ id }: { readonly id: string }) => id),
        ["paste"]
      )
    })

    it("shows all of them, folded and unfolded, refreshed and grouped", async () => {
      await showAll(bench)
      const asked = await stage.service.requests()
      // The overview was folded while it opened: it does not load the events of the tenant, in as many requests again.
      assert.isBelow(asked.filter((request) => request.startsWith("events.ofTenant ")).length, many / 20)
      await newest(bench).click()
      await bench.page.waitForFunction(shown.events)
      await newest(bench).click()
      await bench.page.waitForFunction(shown.noEvents)
      await stage.service.loadEvents([paste({ number: many, severity: "low", at: new Date() })])
      await newest(bench).click()
      await bench.titleButton("Events", "Refresh Events")
      await bench.page.waitForFunction(shown.newestEvent(many))
      await bench.command("Threat Exposure: Group Events By…")
      await bench.choose("Severity")
      await bench.page.waitForFunction(shown.critical)
    })
  })
})

interface Result {
  readonly partialFingerprints: Readonly<Record<string, string>>
}
