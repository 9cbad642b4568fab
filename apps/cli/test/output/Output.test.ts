import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Command from "effect/cli/Command"
import {
  jsonText,
  outputFlags,
  printable,
  progressLine,
  say,
  shorten,
  showsProgress
} from "@threat-exposure/cli/output/Output"

/** Sets the window title, clears the screen with 7-bit and 8-bit codes, and has right-to-left text and a hidden tag. */
const hostile = "\u001b]0;x\u0007\r\n\u001b[2J\u009b2J \u202Etxt\u2028 \u{E0041}"

/** Characters that must not remain in the output. */
const driving = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

describe("output", () => {
  it("removes control sequences from untrusted text", () => {
    assert.notMatch(printable(hostile), driving)
  })

  it("escapes them in JSON without changing the value", () => {
    const text = jsonText({ [hostile]: [hostile] })
    assert.notMatch(text, driving)
    assert.deepStrictEqual(JSON.parse(text), { [hostile]: [hostile] })
    assert.strictEqual(jsonText({ a: 1 }, 2), '{\n  "a": 1\n}')
  })

  it("replaces halves of surrogate pairs in JSON, and nothing that looks like their escapes", () => {
    const given = { "\udc00": ["\ud800x", "\\ud800", "\\\ud800", "😀", "\ud83d\ude00\ud83d"] }
    assert.deepStrictEqual(JSON.parse(jsonText(given)), {
      "\ufffd": ["\ufffdx", "\\ud800", "\\\ufffd", "😀", "😀\ufffd"]
    })
  })

  it("shortens a text to a width in columns", () => {
    assert.strictEqual(shorten("Größe 日本語", 20), "Größe 日本語")
    assert.strictEqual(shorten("Größe 日本語", 10), "Größe 日…")
  })

  it.effect.each([
    [true, [], "xterm", true],
    [true, ["--quiet"], "xterm", false],
    [true, [], "dumb", false],
    [false, [], "xterm", false]
  ] as const)(
    "shows progress where standard error is a terminal (%s), flags are %j and TERM is %s: %s",
    ([stderrIsTerminal, flags, TERM, expected]) => {
      let shown: boolean | undefined
      const program = Command.make("test", {}, () => Effect.map(showsProgress, (answer) => void (shown = answer))).pipe(
        Command.withGlobalFlags(outputFlags)
      )
      const terminal = Stdio.layerTest({ stderrIsTerminal: Effect.succeed(stderrIsTerminal) })
      return Command.runWith(program, { version: "1" })(flags).pipe(
        Effect.provide(
          Layer.mergeAll(NodeServices.layer, terminal, ConfigProvider.layer(ConfigProvider.fromUnknown({ TERM })))
        ),
        Effect.tap(() => Effect.sync(() => assert.strictEqual(shown, expected)))
      )
    }
  )

  it.effect("clears progress before a message, and nothing where there is no progress", () => {
    const written: Array<string> = []
    const terminal = Stdio.layerTest({
      stderrIsTerminal: Effect.succeed(true),
      stderr: () => Sink.forEach((text) => Effect.sync(() => written.push(String(text))))
    })
    const lines = Object.assign(Object.create(console), { error: (line: string) => written.push(`${line}\n`) })
    const program = Command.make("test", {}, () =>
      Effect.gen(function* () {
        const { clear, show } = yield* progressLine
        yield* say("first")
        yield* show("1 of 2")
        yield* show("2 of 2")
        yield* say("second")
        yield* say("third")
        yield* clear
        yield* show("done")
        yield* clear
        yield* clear
      })
    ).pipe(Command.withGlobalFlags(outputFlags))
    return Command.runWith(program, { version: "1" })([]).pipe(
      Effect.provideService(Console.Console, lines),
      Effect.provide(
        Layer.mergeAll(
          NodeServices.layer,
          terminal,
          ConfigProvider.layer(ConfigProvider.fromUnknown({ TERM: "xterm" }))
        )
      ),
      Effect.tap(() =>
        Effect.sync(() =>
          assert.deepStrictEqual(written, [
            "first\n",
            "\r1 of 2\u001b[K",
            "\r2 of 2\u001b[K",
            "\r\u001b[Ksecond\n",
            "third\n",
            "\rdone\u001b[K",
            "\r\u001b[K"
          ])
        )
      )
    )
  })
})
