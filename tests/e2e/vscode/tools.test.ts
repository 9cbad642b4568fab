/** What another extension gets: the language-model tools, called as a model's host calls them, and a session. */
import { readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { cannotRun, given, prepare, type Stage } from "./Setup.ts"
import { Workbench } from "./Workbench.ts"

const guide = readFileSync(new URL("../../../docs/extension.md", import.meta.url), "utf8")
const [, sessionCode = ""] = /^```ts\n(.*?)^```$/msu.exec(guide) ?? []

describe.skipIf(cannotRun !== undefined)(cannotRun ?? "in a real VS Code, what other extensions get", () => {
  let stage: Stage
  let bench: Workbench

  beforeAll(async () => {
    stage = await prepare(async (service) => ({
      env: {
        ...given(service).env,
        PROBE_UID: await service.uidOf("leaked_credential"),
        PROBE_SESSION_CODE: sessionCode
      },
      settings: { "chat.disableAIFeatures": false }
    }))
    bench = await Workbench.open(stage.browser, stage.code.address, { alongside: new URL("probe", import.meta.url) })
  })
  afterAll(() => stage?.stop())

  it("a session, after the person allowed it, by the code of docs/extension.md", async ({ onTestFailed }) => {
    onTestFailed(() => bench.picture("session"))
    assert.include(sessionCode, "getSession")
    await bench.command("Probe: Get a Session")
    await bench.dialog().getByText("wants to sign in using Threat Exposure").waitFor()
    await bench.dialogButton("Allow")
    await bench.choose("sample service")
    await bench.told("Probe: there is a session.")
    assert.deepStrictEqual(JSON.parse(await readFile(join(stage.code.workspace, "session.json"), "utf8")), {
      accessToken: stage.service.token,
      label: "sample service",
      scopes: ["token"]
    })
  })

  it("tools that say where they ask and what it costs before they do, and give no secret away", async ({
    onTestFailed
  }) => {
    onTestFailed(() => bench.picture("tools"))
    await bench.openFile("staging.env")
    await bench.command("Probe: Use Language-Model Tools")
    for (const [title, cost] of [
      ["Search exposure events", "This uses one unit of your search quota."],
      ["Read an exposure event", "without its secrets."],
      ["Count leaked credentials", "This uses one unit of your search quota."],
      ["Check the open file for leaks", "two searches for each."]
    ] as const) {
      await bench.dialog().getByText(title).first().waitFor()
      await bench.dialog().getByText(cost).first().waitFor()
      assert.include(await bench.dialog().textContent(), stage.service.address)
      await bench.page.locator(".monaco-dialog-box .monaco-button").last().click()
      await bench.dialog().getByText(title).first().waitFor({ state: "detached" })
      if (title === "Check the open file for leaks") {
        // The question that every check asks once stands for a person, too.
        await bench.dialog().getByText("Search for leaks?").waitFor()
        await bench.dialogButton("Search")
      }
    }
    await bench.dialog().getByText("Search exposure events").first().waitFor()
    await bench.page.locator(".monaco-dialog-box .monaco-button").last().click()
    await bench.told("Probe: the tools have answered.")
    const text = await readFile(join(stage.code.workspace, "tools.json"), "utf8")
    const { known, answers } = JSON.parse(text)
    assert.sameMembers(
      known,
      ["searchEvents", "getEvent", "countCredentials", "checkOpenFile"].map((name) => `threatExposure_${name}`)
    )
    const [found, event, counted, checked, refused] = answers.map(({ text }: { readonly text: string }) => text)
    assert.isAtLeast(JSON.parse(found).length, 1)
    for (const { severity } of JSON.parse(found)) assert.include(["high", "critical"], severity)
    assert.include(event, "**Password:** ••••••••")
    assert.isAbove(JSON.parse(counted).credentials, 0)
    assert.isAbove(Object.keys(JSON.parse(counted).bySource).length, 0)
    assert.strictEqual(JSON.parse(checked).verdict, "leaked")
    assert.sameMembers(
      JSON.parse(checked).leaks.flatMap(({ lines }: { readonly lines: ReadonlyArray<number> }) => lines),
      [2, 4, 5]
    )
    assert.include(refused, "is not what the tool takes")
    for (const line of (await readFile(join(stage.code.workspace, "deploy", "staging.env"), "utf8")).split("\n")) {
      const secret = line.split("=")[1] ?? ""
      if (secret.length > 10 && !secret.startsWith("db.")) assert.notInclude(text, secret)
    }
  })
})
