import * as Redacted from "effect/Redacted"
import { assert, describe, it } from "vitest"
import { candidatesOfEvent, textsOfEvent } from "../../src/hook/AgentEvent.ts"

describe("the event of an agent", () => {
  it("is read in all its texts but those about the session, also within JSON", () => {
    const event = {
      session_id: "s",
      hook_event_name: "PreToolUse",
      cwd: "/repository",
      tool_name: "Bash",
      tool_input: { command: "deploy", password: "[one", list: ["two", { deep: "three" }] },
      toolArgs: JSON.stringify({ token: "four" }),
      prompt: "line one\nline two"
    }
    assert.deepStrictEqual(textsOfEvent(JSON.stringify(event)), [
      "tool_name: Bash",
      "tool_input",
      "command: deploy",
      "password: [one",
      "list",
      "two",
      "deep: three",
      "toolArgs",
      "token: four",
      "prompt",
      "line one\nline two"
    ])
    const deep = (depth: number) => textsOfEvent(`${"[".repeat(depth)}"deep"${"]".repeat(depth)}`)
    assert.deepStrictEqual(deep(50), ["deep"])
    assert.strictEqual(deep(60), "the agent's message is nested too deeply")
    for (const text of ["", "text", '"text"', "1"]) {
      assert.strictEqual(textsOfEvent(text), "the agent's message is not JSON", text)
    }
  })

  it("gives the possible secrets, or says why it was not scanned", () => {
    const event = (text: string) => candidatesOfEvent(JSON.stringify({ tool_input: { command: text } }))
    assert.deepStrictEqual(event("npm test"), [])
    const [candidate] = event("DB_PASSWORD=Qx7vLm2pRt9wZk4b deploy")
    assert.strictEqual(typeof candidate === "object" ? candidate.name : undefined, "DB_PASSWORD")
    const named = { tool_input: { headers: { ghp_4wPqVn8TzK2mLr7XcY5dGs9BhJ3fNe0aWbQe: ["first", "second"] } } }
    assert.lengthOf(candidatesOfEvent(JSON.stringify(named)), 1)
    assert.strictEqual(candidatesOfEvent("{"), "the agent's message is not JSON")
    assert.strictEqual(event("a".repeat(4_000_001)), "the text is larger than 4 MB")
  })

  it.each([
    ["a comment that allows it", "DB_PASSWORD=Qx7vLm2pRt9wZk4b # gitleaks:allow"],
    ["a null character, as in the environment of a process", "HOME=/root\0DB_PASSWORD=Qx7vLm2pRt9wZk4b\0"],
    ["the beginning of a pointer of git", "version https://git-lfs.github.com/spec/v1\nDB_PASSWORD=Qx7vLm2pRt9wZk4b"]
  ])("hides no secret behind %s", (_, text) => {
    const found = candidatesOfEvent(JSON.stringify({ tool_response: { stdout: text } }))
    assert.deepStrictEqual(typeof found === "string" ? found : found.map(({ value }) => Redacted.value(value)), [
      "Qx7vLm2pRt9wZk4b"
    ])
  })

  it("is not scanned to its end if that takes too long", () => {
    let calls = 0
    const event = JSON.stringify({ content: "DB_PASSWORD=Qx7vLm2pRt9wZk4b\n".repeat(10_000) })
    assert.strictEqual(
      candidatesOfEvent(event, () => (calls += 1) > 1),
      "its text was not scanned to its end in time"
    )
  })
})
