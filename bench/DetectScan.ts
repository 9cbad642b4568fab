/** One scan in a process of its own: `tree FOLDER` or `history FOLDER`; prints its peak memory in MB and what it read. */
import * as NodeScanner from "@threat-exposure/detect/node/NodeScanner"
import { Scanner } from "@threat-exposure/detect/Scanner"
import { Effect, Stream } from "effect"

const [mode, root = ""] = process.argv.slice(2)

const summary = await Effect.runPromise(
  Effect.gen(function* () {
    const scanner = yield* Scanner
    const scan = yield* mode === "history" ? scanner.history({ root }) : scanner.tree({ root })
    yield* Stream.runDrain(scan.candidates)
    return yield* scan.summary
  }).pipe(Effect.provide(NodeScanner.layer))
)
const peak = Math.round(process.resourceUsage().maxRSS / 1024)
process.stdout.write(`${peak} ${Math.round(summary.bytes / 1e6)} MB in ${summary.commits} commits\n`)
