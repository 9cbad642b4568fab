import { assert, it } from "@effect/vitest"
import { ValidationFailed } from "@threat-exposure/core/domain/Failures"
import { withoutStack } from "@threat-exposure/service/ExpectedFailure"

it("an expected failure has a message and no stack, and other errors keep theirs", () => {
  const { message, stack } = withoutStack(
    () => new ValidationFailed({ detail: [{ loc: [], msg: "Wrong", type: "x" }] })
  )
  assert.include(message, "Wrong")
  assert.notInclude(stack ?? "", "\n    at ")
  const thrown = () =>
    withoutStack((): Error => {
      throw new RangeError("other")
    })
  assert.throws(thrown, "other")
  assert.include(new Error("unexpected").stack ?? "", "\n    at ")
})
