/** What happens without being asked for: new events, and what another window does. */
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { cannotRun, prepare, type Stage } from "./Setup.ts"
import { paste } from "./SyntheticEvents.ts"
import { Workbench } from "./Workbench.ts"

/** Seconds between two looks. */
const interval = 1

describe.skipIf(cannotRun !== undefined)(cannotRun ?? "in a real VS Code, in the background", () => {
  let stage: Stage
  let bench: Workbench
  let number = 0

  const load = (severity: string, count: number) =>
    stage.service.loadEvents(Array.from({ length: count }, () => paste({ number: number++, severity, at: new Date() })))

  beforeAll(async () => {
    stage = await prepare(() => ({
      settings: {
        "threatExposure.refresh.minutes": interval / 60,
        "threatExposure.notifications.severity": "high",
        "threatExposure.savedSearches": [{ name: "Ours", query: { type: "query_string", query_string: "quaymaster" } }]
      }
    }))
    bench = await Workbench.open(stage.browser, stage.code.address)
  })
  afterAll(() => stage?.stop())
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") await bench.picture(task.name)
  })

  const signIn = async () => {
    await bench.only("Events")
    await bench.welcomeButton("Events", "Sign In")
    await bench.signIn(stage.service.address, stage.service.token)
  }

  /** In the time of two looks nothing is asked; what was under way before may still end. */
  const asksNothing = async () => {
    for (let attempt = 0; attempt < 3; attempt++) {
      const before = await stage.service.requests()
      await sleep(interval * 2000)
      if ((await stage.service.requests()).length === before.length) return
    }
    assert.fail("requests go on")
  }

  it("asks nothing while signed out", asksNothing)

  it("counts new events in a badge, which a refresh takes away", async () => {
    await signIn()
    await bench.row("Events", "No events match.").waitFor()
    await load("low", 2)
    await bench.badge().getByText("2", { exact: true }).waitFor()
    await bench.view("Events").locator('[role=treeitem][aria-label*=", new, "]').nth(1).waitFor()
    await load("low", 1)
    await bench.badge().getByText("3", { exact: true }).waitFor()
    assert.isFalse(await bench.notification("new event").isVisible())
    await bench.titleButton("Events", "Refresh Events")
    await bench.badge().waitFor({ state: "hidden" })
  })

  it("shows one message at most, for events as severe as the person chose", async () => {
    await bench.titleButton("Events", "Refresh Events")
    await bench.badge().waitFor({ state: "hidden" })
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

  it("asks nothing while the view is hidden, or the window without the focus, and catches up", async () => {
    await bench.titleButton("Events", "Refresh Events")
    await bench.only("Identifiers")
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

  it("shares the register and a sign-out with another window", async () => {
    const other = await Workbench.within(bench.context, stage.code.address)
    await other.only("Identifiers")
    await other.welcome("Identifiers").getByText("There are none here yet").waitFor()
    await other.blur()
    await bench.command("Threat Exposure: Add Known Identifier by ID…")
    await bench.answer("ID of the identifier", "1")
    await bench.answer("A name to show", "the first one")
    await bench.only("Identifiers")
    await bench.row("Identifiers", "the first one").waitFor()
    // A browser's windows tell each other within seconds; whoever comes back looks.
    const seen = async (there: () => Promise<boolean>) => {
      for (let attempt = 0; attempt < 20 && !(await there()); attempt++) {
        await other.blur()
        await other.focus()
        await sleep(500)
      }
      assert.isTrue(await there())
    }
    await seen(() => other.row("Identifiers", "the first one").isVisible())
    await bench.command("Threat Exposure: Sign Out")
    await seen(() => other.status().getByText("Sign In").isVisible())
    await other.welcome("Identifiers").getByText("Sign in to a threat-exposure service").waitFor()
    await other.page.close()
  })
})
