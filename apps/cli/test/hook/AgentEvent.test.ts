import { assert, describe, it } from "vitest"
import { textsOfEvent } from "../../src/hook/AgentEvent.ts"

describe("the event of an agent", () => {
  it("is read in all its texts but those about the session, also within JSON", () => {
    const event = {
      session_id: "s",
      hook_event_name: "PreToolUse",
      cwd: "/repository",
      tool_name: "Bash",
      tool_input: { command: "deploy", password: "one", list: ["two", { deep: "three" }] },
      toolArgs: JSON.stringify({ token: "four" }),
      prompt: "line one\nline two"
    }
    assert.deepStrictEqual(textsOfEvent(JSON.stringify(event)), [
      "tool_name: Bash",
      "command: deploy",
      "password: one",
      "two",
      "deep: three",
      "token: four",
      "line one\nline two"
    ])
    assert.deepStrictEqual(textsOfEvent(`${"[".repeat(60)}"deep"${"]".repeat(60)}`), [])
    for (const text of ["", "text", '"text"', "1"]) assert.isUndefined(textsOfEvent(text), text)
  })
})
