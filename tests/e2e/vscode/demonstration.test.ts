/** `npm run vscode`, as the README shows it. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, it } from "vitest"

const root = fileURLToPath(new URL("../../..", import.meta.url))

it("npm run vscode opens an editor at the address that it prints, and ends with everything that it started", async () => {
  const child = spawn("npm", ["run", "--silent", "vscode"], { cwd: root, stdio: ["ignore", "pipe", "pipe"] })
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve))
  let printed = ""
  const addresses = new Promise<ReadonlyArray<string>>((resolve) => {
    const hear = (chunk: unknown) => {
      printed += String(chunk)
      if (printed.includes("Ctrl+C")) resolve(printed.match(/http:\/\/\S+/gu) ?? [])
    }
    child.stdout.on("data", hear)
    child.stderr.on("data", hear)
  })
  try {
    const [editor = "", service = ""] = await Promise.race([addresses, closed.then(() => [])])
    assert.include(await (await fetch(editor)).text(), "workbench", printed)
    assert.strictEqual((await fetch(`${service}/healthz`)).status, 200)
    child.kill("SIGTERM")
    await closed
    for (const address of [editor, service]) {
      assert.strictEqual(
        await fetch(address).then(
          () => "answers",
          () => "gone"
        ),
        "gone",
        address
      )
    }
  } finally {
    child.kill("SIGTERM")
  }
})
