import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Layer, Scope } from "effect"
import { Profiles } from "../src/connection/Profiles.ts"
import { Commands } from "../src/editor/Commands.ts"
import { commands, tools, views } from "../src/Contributions.ts"
import { Editor } from "../src/editor/Editor.ts"
import * as Activation from "../src/Activation.ts"
import { EditorDouble } from "./EditorDouble.ts"

const begun = Effect.fnUntraced(function* (
  editor: EditorDouble,
  load: Parameters<typeof Activation.layer>[0],
  scope: Scope.Scope
) {
  yield* Layer.buildWithScope(
    Activation.layer(load).pipe(Layer.provide(Profiles.layer), Layer.provide(editor.layer)),
    scope
  )
})

describe("the front", () => {
  it.effect("registers all that is contributed before anything is loaded, and leaves nothing", () =>
    Effect.gen(function* () {
      const editor = new EditorDouble()
      const scope = yield* Scope.make()
      yield* begun(editor, Effect.die("loaded unasked"), scope)
      const of = (kind: string) =>
        [...editor.registered].filter((name) => name.startsWith(`${kind} `)).map((name) => name.slice(kind.length + 1))
      assert.sameMembers(of("command"), Object.keys(commands))
      assert.sameMembers(of("view"), Object.keys(views))
      assert.sameMembers(of("tool"), Object.keys(tools))
      assert.include(editor.status?.text ?? "", "Sign In")
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual([...editor.registered], [])
    })
  )

  it.effect("loads the rest once, at the first use, and lets it go with the extension", () =>
    Effect.gen(function* () {
      const editor = new EditorDouble()
      const scope = yield* Scope.make()
      const told: Array<string> = []
      const rest = Layer.effectDiscard(
        Effect.gen(function* () {
          const commands = yield* Commands
          yield* commands.on("showLog", () => Effect.sync(() => told.push("log")))
          yield* commands.on("copyId", () => Effect.sync(() => told.push("copied")))
          yield* (yield* Editor).tree("events", Effect.succeed([]))
          yield* Effect.addFinalizer(() => Effect.sync(() => told.push("gone")))
        })
      ).pipe(Layer.provide(Commands.layer))
      const load = Effect.sync(() => {
        told.push("loaded")
        return rest
      })
      yield* begun(editor, load, scope)
      assert.deepStrictEqual(told, [])
      const run = (name: "copyId" | "showLog") => editor.commands.get(name)?.() ?? Effect.die(name)
      yield* Effect.all([run("showLog"), run("showLog"), editor.trees.get("events")?.roots ?? Effect.die("no view")], {
        concurrency: "unbounded"
      })
      yield* run("copyId")
      assert.deepStrictEqual(told, ["loaded", "log", "log", "copied"])
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(told.slice(4), ["gone"])
    })
  )

  it.effect("loads it unasked where detection runs as one types", () =>
    Effect.gen(function* () {
      const editor = new EditorDouble()
      editor.settings.set("leakCheck.asYouType", true)
      const scope = yield* Scope.make()
      const loaded = yield* Deferred.make<void>()
      yield* begun(editor, Effect.as(Deferred.succeed(loaded, undefined), Layer.empty), scope)
      yield* Deferred.await(loaded)
      yield* Scope.close(scope, Exit.void)
    })
  )

  it.effect("says in the log that the rest could not be loaded", () =>
    Effect.gen(function* () {
      const editor = new EditorDouble()
      const scope = yield* Scope.make()
      yield* begun(editor, Effect.die(new Error("a file is missing")), scope)
      const exit = yield* Effect.exit(editor.commands.get("showLog")?.() ?? Effect.void)
      assert.isTrue(Exit.isFailure(exit))
      assert.include(editor.log.join("\n"), "a file is missing")
      yield* Scope.close(scope, Exit.void)
    })
  )
})
