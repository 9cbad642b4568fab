/** The tests of a file are one visit to an editor, and all files share one browser, in which each of their windows is a context of its own. */
import { type RunnerTestFile, test } from "vitest"
import { launchBrowser } from "./Setup.ts"

/** The files in which a test has failed. */
const failed = new WeakSet<RunnerTestFile>()

export const it = test
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from the pattern which fixtures this one needs
  .extend("browser", { scope: "worker" }, async ({}, { onCleanup }) => {
    const browser = await launchBrowser()
    onCleanup(() => browser.close())
    return browser
  })
  // The tests of a file are one visit, each where the last one has ended: after a failure, the others would only wait.
  .extend("visit", { auto: true }, ({ onTestFailed, skip, task }) => {
    skip(failed.has(task.file), "an earlier test of the file has failed")
    onTestFailed(() => void failed.add(task.file))
  })
