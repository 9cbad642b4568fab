import { afterEach, assert, describe, it } from "vitest"
import { count, number, speak, t } from "../../src/words/Localisation.ts"

const english = (message: string, args: ReadonlyArray<string | number>) =>
  message.replaceAll(/\{(\d)\}/gu, (_, index: string) => String(args[Number(index)]))

describe("a number in a message", () => {
  afterEach(() => speak(english, "en"))

  it("has its digits grouped by the rules of the language if it is a count", () => {
    assert.strictEqual(count(10_000, "{0} event", "{0} events"), "10,000 events")
    speak(english, "fr")
    assert.strictEqual(count(10_000, "{0} événement", "{0} événements"), "10\u202F000 événements")
    assert.strictEqual(number(999_998), "999\u202F998")
  })

  it("is unchanged if it is an ID", () => {
    assert.strictEqual(t("ID {0}", 10_000), "ID 10000")
  })
})
