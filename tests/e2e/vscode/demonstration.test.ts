/** `npm run vscode`, as the README shows it, and the tour that its editor shows first. */
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe } from "vitest"
import { cannotRun } from "./Setup.ts"
import { it } from "./SharedBrowser.ts"
import { Workbench } from "./Workbench.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

describe("npm run vscode", () => {
  let child: ChildProcess
  let closed: Promise<number | null>
  let addresses: ReadonlyArray<string>

  beforeAll(async () => {
    const started = spawn("npm", ["run", "--silent", "vscode"], { cwd: root, stdio: ["ignore", "pipe", "pipe"] })
    child = started
    closed = new Promise((resolve) => child.once("close", resolve))
    let printed = ""
    const printing = new Promise<ReadonlyArray<string>>((resolve) => {
      const hear = (chunk: unknown) => {
        printed += String(chunk)
        if (printed.includes("Ctrl+C")) resolve(printed.match(/http:\/\/\S+/gu) ?? [])
      }
      started.stdout.on("data", hear)
      started.stderr.on("data", hear)
    })
    addresses = await Promise.race([printing, closed.then(() => [])])
    assert.isAtLeast(addresses.length, 2, printed)
  })
  afterAll(async () => {
    child.kill("SIGTERM")
    await closed
  })

  it("opens an editor and a service at the addresses that it prints", async () => {
    const [editor = "", service = ""] = addresses
    assert.include(await (await fetch(editor)).text(), "workbench")
    assert.strictEqual((await fetch(`${service}/healthz`)).status, 200)
  })

  it.skipIf(cannotRun !== undefined)(
    "leads a new user to an event and a leak, as its tour says",
    async ({ browser }) => {
      const [editor = ""] = addresses
      const bench = await Workbench.open(browser, editor)
      await bench.only("Overview")
      const overview = await bench.webview("Events per day")
      await overview.locator("#all").press("Enter")
      await bench.row("Events", "of the loaded events").waitFor()
      await bench.only("Events")
      await bench.openPage(
        bench.view("Events").locator("[role=treeitem][aria-label^=critical]").first(),
        "In your tenant"
      )

      await bench.only("Identifiers")
      for (const name of ["example.com", "Example Corp", "greta.holloway@example.com"]) {
        await bench.row("Identifiers", name).waitFor()
      }

      await bench.only("Leak Check")
      await bench.welcomeButton("Leak Check", "Check Changes")
      await bench.dialogButton("Search")
      await bench.goToLeak("DATABASE_PASSWORD", 2)
      await bench.close()
    }
  )

  it("ends with everything that it started", async () => {
    child.kill("SIGTERM")
    await closed
    for (const address of addresses.slice(0, 2)) {
      assert.strictEqual(
        await fetch(address).then(
          () => "answers",
          () => "gone"
        ),
        "gone",
        address
      )
    }
  })
})
