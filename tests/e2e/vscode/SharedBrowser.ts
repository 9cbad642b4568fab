/** The browser that all test files share: it starts once, and each of their windows is a context of its own. */
import { test } from "vitest"
import { launchBrowser } from "./Setup.ts"

// oxlint-disable-next-line no-empty-pattern -- vitest reads from the pattern which fixtures this one needs
export const it = test.extend("browser", { scope: "worker" }, async ({}, { onCleanup }) => {
  const browser = await launchBrowser()
  onCleanup(() => browser.close())
  return browser
})
