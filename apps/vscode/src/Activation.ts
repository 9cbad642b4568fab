/**
 * What the editor meets on activation: all that package.json contributes is registered, and nothing more is loaded than
 * that takes. The first use of any of it loads the rest, which then answers.
 */
import { Effect, Fiber, Layer, Stream } from "effect"
import type { Profiles } from "./connection/Profiles.ts"
import * as Status from "./connection/Status.ts"
import { Editor, type Pages, type Tree } from "./editor/Editor.ts"

/** `load` gives everything else that the extension does, and is run once at most. */
export const layer = (
  load: Effect.Effect<Layer.Layer<never, never, Editor | Profiles>>
): Layer.Layer<never, never, Editor | Profiles> => Layer.merge(Status.layer, registered(load))

const registered = (load: Parameters<typeof layer>[0]) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const editor = yield* Editor
      const scope = yield* Effect.scope

      /** How the rest answers for what is registered here, by name. */
      const answers = <Answer>() => {
        const given = new Map<string, Answer>()
        return {
          give: (name: string, answer: Answer) => Effect.sync(() => void given.set(name, answer)),
          of: (name: string): Effect.Effect<Answer> =>
            Effect.flatMap(rest, () => {
              const answer = given.get(name)
              return answer === undefined ? Effect.die(new Error(`No handler: ${name}`)) : Effect.succeed(answer)
            })
        }
      }
      const command = answers<Parameters<Editor["Service"]["command"]>[1]>()
      const roots = answers<Parameters<Editor["Service"]["tree"]>[1]>()
      const tool = answers<Parameters<Editor["Service"]["tool"]>[1]>()
      const link = answers<Parameters<Editor["Service"]["onUri"]>[0]>()
      const page = answers<Pages>()

      yield* Effect.forEach(editor.contributed.commands, (name) =>
        editor.command(name, (...args) => Effect.flatMap(command.of(name), (run) => run(...args)))
      )
      const trees = new Map<string, Tree>()
      for (const name of editor.contributed.views) {
        trees.set(name, yield* editor.tree(name, Effect.flatten(Effect.suspend(() => roots.of(name)))))
      }
      yield* Effect.forEach(editor.contributed.tools, (name) =>
        editor.tool(name, {
          prepare: (input) => Effect.flatMap(tool.of(name), ({ prepare }) => prepare(input)),
          answer: (input) => Effect.flatMap(tool.of(name), ({ answer }) => answer(input))
        })
      )
      yield* editor.onUri((path) => Effect.flatMap(link.of("link"), (open) => open(path)))
      const { changed } = yield* editor.pages({
        text: (path) => Effect.flatMap(page.of("page"), ({ text }) => text(path)),
        lenses: (path) => Effect.flatMap(page.of("page"), ({ lenses }) => lenses(path)),
        marks: (path) => Effect.flatMap(page.of("page"), ({ marks }) => marks(path))
      })

      const behind = Layer.succeed(Editor, {
        ...editor,
        command: command.give,
        tree: (name, given) =>
          Effect.andThen(roots.give(name, given), Effect.orDie(Effect.fromNullishOr(trees.get(name)))),
        tool: tool.give,
        onUri: (open) => link.give("link", open),
        pages: (pages) => Effect.as(page.give("page", pages), { changed })
      })
      const context = yield* Effect.context<Profiles>()
      const loading = yield* load.pipe(
        Effect.flatMap((layer) => Layer.buildWithScope(Layer.provide(layer, behind), scope)),
        Effect.provideContext(context),
        Effect.tapDefect((defect) => editor.log("error", `The extension could not be loaded: ${String(defect)}`)),
        // Whoever asked first may be gone before it is there.
        Effect.forkIn(scope),
        Effect.cached
      )
      const rest: Effect.Effect<unknown> = Effect.flatMap(loading, Fiber.join)

      // What is left of an export can be resumed before anything else is loaded.
      const unfinished = yield* editor.recall("here", "exports.unfinished")
      yield* editor.setContext("exports.unfinished", Array.isArray(unfinished) && unfinished.length > 0)

      // As one types, nobody asks.
      const watchTyping = Effect.flatMap(editor.setting("leakCheck.asYouType"), (isOn) =>
        isOn === true ? Effect.asVoid(loading) : Effect.void
      )
      yield* watchTyping
      yield* editor.settingsChanged(["leakCheck.asYouType"]).pipe(
        Stream.runForEach(() => watchTyping),
        Effect.forkScoped
      )
    })
  )
