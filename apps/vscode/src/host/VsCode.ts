/** Implements the editor interface over the `vscode` API, combined from all areas. */
import { Effect, Layer } from "effect"
import type { ExtensionContext } from "vscode"
import { Editor } from "../editor/Editor.ts"
import { commands } from "./Commands.ts"
import { documents } from "./Documents.ts"
import { files } from "./Files.ts"
import { findings } from "./Findings.ts"
import { makeHostScope } from "./HostScope.ts"
import { messages } from "./Messages.ts"
import { pages } from "./Pages.ts"
import { questions } from "./Questions.ts"
import type { Registrations } from "./Registrations.ts"
import { storage } from "./Storage.ts"
import { trees } from "./Trees.ts"
import { webviews } from "./Webviews.ts"

export const layer = (context: ExtensionContext, registrations: Registrations): Layer.Layer<Editor> =>
  Layer.effect(
    Editor,
    Effect.gen(function* () {
      const host = yield* makeHostScope(context, registrations)
      return Editor.of({
        ...commands(host),
        ...trees(host),
        ...questions(host),
        ...messages(host),
        ...pages(host),
        ...webviews(host),
        ...documents(),
        ...findings(host),
        ...storage(host),
        ...files()
      })
    })
  )
