/** Ten thousand events: in a view, and into files, also while the service is gone. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { many, newest, prepareManyEvents, showAll, shown } from "./ManyEvents.ts"
import { cannotRun, type Stage } from "./Setup.ts"
import { paste } from "./SyntheticEvents.ts"
import { Workbench } from "./Workbench.ts"

describe.skipIf(cannotRun !== undefined)(cannotRun ?? "in a real VS Code, with ten thousand events", () => {
  let stage: Stage
  let bench: Workbench

  beforeAll(async () => {
    stage = await prepareManyEvents()
    bench = await Workbench.open(stage.browser, stage.code.address)
  })
  afterAll(() => stage?.stop())
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") await bench.picture(task.name)
  })

  const linesOf = async (name: string) =>
    (await readFile(join(stage.code.workspace, name), "utf8").catch(() => "")).split("\n").filter((line) => line !== "")

  const exportAs = async (name: string, format: string, most: string) => {
    await bench.command("Threat Exposure: Export Events…")
    await bench.choose("Ledgers")
    await bench.choose(most)
    await bench.choose(format)
    await bench.saveAs(name, stage.code.workspace)
  }

  const most = 1000

  it("goes on with an export after the service was gone, with nothing lost and nothing twice", async () => {
    await exportAs("events.ndjson", "NDJSON", `At most ${most} events`)
    while ((await linesOf("events.ndjson")).length < 200) await sleep(20)
    await stage.service.kill()
    await bench.told("events are in events.")
    const kept = (await linesOf("events.ndjson")).length
    assert.isAtLeast(kept, 200)
    assert.isBelow(kept, most)
    await bench.told(`The service cannot be reached. ${kept} events are in`)
    await stage.service.restart()
    await bench.notificationButton("events are in", "Resume")
    await bench.told(`${most} events were exported to`)
    const uids = (await linesOf("events.ndjson")).map((line) => JSON.parse(line).metadata.uid)
    assert.strictEqual(uids.length, most)
    assert.strictEqual(new Set(uids).size, most)
  })

  it("leaves a whole file where an export was cancelled", async () => {
    await bench.closeNotifications()
    await exportAs("events.sarif", "SARIF", "All events")
    while ((await linesOf("events.sarif")).length < 200) await sleep(50)
    await bench.notificationButton("Export Events", "Cancel")
    await bench.told("The export was cancelled.")
    const { runs } = JSON.parse((await linesOf("events.sarif")).join("\n"))
    const kept: number = runs[0].results.length
    assert.isAtLeast(kept, 100)
    assert.isBelow(kept, many)
    await bench.told(`${kept} events are in`)
    await bench.closeNotifications()
  })

  it("tells in place of rows that the service is gone, and goes on with an export that a reload of the window broke off", async () => {
    await exportAs("again.sarif", "SARIF", `At most ${most} events`)
    while ((await linesOf("again.sarif")).length < 200) await sleep(20)
    await stage.service.kill()
    await bench.kept(/"exports\.unfinished":\[[^\]]*again\.sarif/u)
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
    await bench.told(`${most} events were exported to`)
    const { runs } = JSON.parse((await linesOf("again.sarif")).join("\n"))
    const uids = runs[0].results.map((result: Result) => result.partialFingerprints["threatExposure/event"])
    assert.strictEqual(uids.length, most)
    assert.strictEqual(new Set(uids).size, most)
    assert.deepStrictEqual(
      runs[0].tool.driver.rules.map(({ id }: { readonly id: string }) => id),
      ["paste"]
    )
  })

  it("shows all of them, folded and unfolded, refreshed and grouped", { timeout: 240_000 }, async () => {
    await showAll(bench)
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

interface Result {
  readonly partialFingerprints: Readonly<Record<string, string>>
}
