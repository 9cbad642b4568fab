import { assert, describe, it } from "vitest"
import { agentHooks, agents, commandOf, isEmpty, takesHook, withHook } from "../../src/hook/AgentHooks.ts"

describe("the settings of an agent", () => {
  it.each(agents)("of %s have the hook once, keep what is not ours, and lose it again", (agent) => {
    const own = {
      hooks: { ...Object.fromEntries(agentHooks[agent].events.map((event) => [event, ["other"]])), Stop: [1] },
      model: "m"
    }
    const once = withHook(own, agent, commandOf(agent, "fail"))
    const twice = withHook(once, agent, commandOf(agent, "warn"))
    const text = JSON.stringify(twice)
    assert.notInclude(text, "--on-incomplete fail")
    assert.strictEqual(once["model"], "m")
    for (const event of agentHooks[agent].events) {
      const entries = Object(twice["hooks"])[event]
      assert.deepStrictEqual([entries[0], entries.length], ["other", 2])
    }
    const { version: _, ...removed } = withHook(twice, agent, undefined)
    assert.deepStrictEqual(removed, own)
    assert.isFalse(isEmpty(removed, agent))
    for (const hooks of [undefined, {}, { Other: true }, own.hooks]) assert.isTrue(takesHook({ hooks }, agent))
    for (const hooks of [[], "x", null, { [agentHooks[agent].events[0] ?? ""]: { command: "other" } }]) {
      assert.isFalse(takesHook({ hooks }, agent), JSON.stringify(hooks))
    }
    assert.isTrue(isEmpty(withHook(withHook({}, agent, commandOf(agent, "fail")), agent, undefined), agent))
  })
})
