/** Opens the pages of identifiers, groups, policies and recommendations. */
import { Effect, Layer, Predicate } from "effect"
import { Commands, ofKind } from "../editor/Commands.ts"
import { Editor } from "../editor/Editor.ts"
import type { Subject } from "../editor/tree/Subject.ts"
import { GroupSubject, IdentifierSubject } from "../identifiers/IdentifierRow.ts"
import { PolicySubject } from "../policies/PolicyTree.ts"
import { RecommendationSubject } from "../recommendations/RecommendationSubject.ts"
import { openRecord, type RecordName } from "./RecordPanel.ts"
import type { RecordServices } from "./RecordPart.ts"

const part = Effect.promise(() => import("./RecordPart.ts"))

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const context = yield* Effect.context<RecordServices>()
    yield* editor.webview("record", (webview, state) =>
      Effect.flatMap(part, ({ showRecord }) => Effect.provideContext(showRecord(webview, state), context))
    )
    const show = (name: RecordName | undefined) =>
      name === undefined ? Effect.void : Effect.provideContext(openRecord(name), context)
    const open = <A extends Subject>(
      command: string,
      kind: abstract new (...args: never) => A,
      nameOf: (subject: A) => RecordName
    ) =>
      commands.on(command, ({ subjects }) => {
        const [subject] = ofKind(subjects, kind)
        return show(subject === undefined ? undefined : nameOf(subject))
      })
    yield* commands.on("identifiers.openPage", ({ args: [given], subjects }) => {
      const id = Predicate.isNumber(given) ? given : ofKind(subjects, IdentifierSubject)[0]?.identifier.id
      return show(id === undefined ? undefined : { kind: "identifier", id: String(id) })
    })
    yield* open("identifiers.openGroup", GroupSubject, ({ group: { id } }) => ({ kind: "group", id: String(id) }))
    yield* open("policies.openPage", PolicySubject, ({ policy: { uuid } }) => ({ kind: "policy", id: uuid }))
    yield* open("recommendations.openPage", RecommendationSubject, ({ recommendation: { id } }) => ({
      kind: "recommendation",
      id: String(id)
    }))
  })
)
