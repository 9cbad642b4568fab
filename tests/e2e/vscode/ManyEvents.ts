/** Ten thousand events in the Events view, for tests and measurements. */
import type { SampleService } from "@threat-exposure/tools/SampleService"
import { paste } from "./SyntheticEvents.ts"
import type { Workbench } from "./Workbench.ts"

export const many = 10_000

export const loadMany = (service: SampleService): Promise<void> => {
  const now = Date.now()
  return service.loadEvents(
    Array.from({ length: many }, (_, number) =>
      paste({ number, severity: severities[number % 5] ?? "info", at: new Date(now - number * 60_000) })
    )
  )
}

/** The settings contain a saved search, "Ledgers", that finds all events. */
export const settingsForMany = {
  "threatExposure.requests.searchesPerSecond": 100,
  "threatExposure.events.pageSize": 100,
  "threatExposure.refresh.minutes": 0,
  "threatExposure.savedSearches": [{ name: "Ledgers", query: { type: "query_string", query_string: "quaymaster" } }]
}

/** Loads every page, and leaves the view at its first row. */
export const showAll = async (bench: Workbench): Promise<void> => {
  await bench.only("Events")
  await bench.fold("Events", "All Identifiers")
  await bench.unfold("Events", "Ledgers")
  for (let shown = 100; shown < many; shown = Math.min(many, shown - (shown % 1000) + 1000)) {
    await bench.lastRow("Events", `${shown.toLocaleString("en")} shown`)
    // Each key press requests a page, and the pages are loaded one after the other.
    for (let page = shown; page < shown - (shown % 1000) + 1000; page += 100) await bench.page.keyboard.press("Enter")
  }
  await bench.lastRow("Events", "9,901 to 10,000")
  await bench.firstRow("Events", "All Identifiers")
}

/** The row that holds the newest hundred. */
export const newest = (bench: Workbench) => bench.rows("Events").filter({ hasText: /^1 to 100$/u })

/** The content of the page: expressions that run in it. */
export const shown = {
  events: `document.querySelectorAll('.sidebar [role="treeitem"][aria-level="3"]').length > 5`,
  noEvents: `document.querySelectorAll('.sidebar [role="treeitem"][aria-level="3"]').length === 0`,
  newestEvent: (number: number) =>
    `document.querySelectorAll('.sidebar [role="treeitem"][aria-level="3"]')[0]?.textContent.includes("Ledger ${number} ")`,
  critical: `[...document.querySelectorAll('.sidebar [role="treeitem"]')].some((row) => /^Critical2,000/u.test(row.textContent))`
}

const severities = ["info", "low", "medium", "high", "critical"] as const
