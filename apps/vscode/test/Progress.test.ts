/** Every request of a command or a view shows progress, and can be cancelled. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TreeNode } from "../src/editor/tree/TreeNode.ts"
import type { Subject } from "../src/editor/tree/Subject.ts"
import { EventSubject } from "../src/events/EventSubjects.ts"
import { GroupSubject, IdentifierSubject } from "../src/identifiers/IdentifierRow.ts"
import { PolicySubject } from "../src/policies/PolicyTree.ts"
import { RecommendationSubject } from "../src/recommendations/RecommendationSubject.ts"
import { searchCredentials } from "./CredentialSearch.ts"
import { EditorDouble, opened } from "./EditorDouble.ts"
import { event, served, started, whileTimePasses } from "./Running.ts"

const row = (subject: Subject) => new TreeNode({ id: "row", label: "row", state: "leaf" }, { subject })

const identifier = { id: 7, name: "example.com", type: "domain", origin: "created" as const }
const recommendation = { id: 9, data: {}, status: null, updated_at: null, relevancy: null }
const policy = { uuid: "p-1", name: "Strict", policy: undefined, identifiers: [] }
const credential = {
  id: 1,
  identity_name: "ada@example.com",
  source_id: "s",
  imported_at: "2026-11-01T00:00:00Z",
  hash: "amber-lynx"
}
const anEvent = new EventSubject({ ...event(1), tenant_metadata: { ...event(1).tenant_metadata, tags: [] } })

/** Opens all rows at all depths. */
const openAll = (rows: Effect.Effect<ReadonlyArray<TreeNode>> = Effect.succeed([])): Effect.Effect<void> =>
  Effect.flatMap(whileTimePasses(rows), (nodes) =>
    Effect.forEach(nodes, ({ children }) => (children === undefined ? Effect.void : openAll(children)), {
      discard: true
    })
  )

interface Waiting {
  readonly command: string
  readonly answers?: ReadonlyArray<string>
  readonly args?: ReadonlyArray<unknown>
  /** Whether credentials are searched before the service stops answering. */
  readonly isSearched?: boolean
  readonly tree?: string
}

const waiting: ReadonlyArray<Waiting> = [
  { command: "testConnection" },
  { command: "signIn", answers: ["New profile…", "https://api.example.com", "Access token", "a-token"] },
  { command: "events.refresh", tree: "events" },
  { command: "identifiers.refresh", tree: "identifiers" },
  { command: "policies.refresh", tree: "policies" },
  { command: "recommendations.refresh", tree: "recommendations" },
  { command: "events.openMarkdown", args: [row(anEvent)] },
  { command: "events.openJson", args: [row(anEvent)] },
  { command: "events.checkValues", args: [row(anEvent)] },
  { command: "identifiers.create", answers: ["Keyword", "orchard", ""] },
  { command: "identifiers.createGroup", answers: ["Shops"] },
  { command: "identifiers.addById", answers: ["8"] },
  { command: "policies.addById", answers: ["p-2"] },
  { command: "policies.assign", answers: ["example.com", "Keep past events"], args: [row(new PolicySubject(policy))] },
  { command: "policies.assign" },
  { command: "policies.create", answers: ["Query", "type:leak", "Leaks"] },
  { command: "policies.update", args: [row(new PolicySubject(policy))] },
  { command: "policies.unassign", args: [row(new PolicySubject(policy, 7))] },
  { command: "identifiers.assignPolicies", args: [row(new IdentifierSubject(identifier))] },
  { command: "identifiers.disable", args: [row(new IdentifierSubject(identifier))] },
  { command: "identifiers.delete", answers: ["Delete"], args: [row(new IdentifierSubject(identifier))] },
  { command: "identifiers.renameGroup", answers: ["Ours"], args: [row(new GroupSubject({ id: 1, name: "Shops" }))] },
  { command: "recommendations.accept", args: [row(new RecommendationSubject(recommendation))] },
  { command: "policies.delete", args: [row(new PolicySubject(policy))] },
  { command: "credentials.loadMore", isSearched: true },
  {
    command: "credentials.export",
    isSearched: true,
    answers: ["All credentials", "CSV", "Mask the secrets", "file:///orchard/credentials.csv"]
  },
  {
    command: "events.export",
    answers: ["Ours", "All events", "CSV", "What the view shows", "file:///orchard/events.csv"]
  },
  { command: "overview.loadEvents" },
  { command: "createReport", answers: ["Third quarter", "Ada", "board", ""] },
  { command: "addUsers", answers: ["1", "2", "viewer", "Read-only access", "Add"] },
  { command: "askIntel", answers: ["Who sells access?", "short"] },
  { command: "checkFile", answers: ["Search"] }
]

describe("a command that waits for the service", () => {
  it.effect.each(waiting)("shows its progress, and ends when it is cancelled: $command", (given) =>
    Effect.gen(function* () {
      const { answers = [], args = [], command, isSearched = false, tree } = given
      let isAnswering = true
      yield* served((path) =>
        isAnswering
          ? {
              status: 200,
              body: path.includes("/credentials/")
                ? { items: [credential], next: "more" }
                : path.includes("polic")
                  ? []
                  : { items: [event(1)], next: null }
            }
          : new Promise(() => {})
      )
      const editor = new EditorDouble()
      editor.settings.set("requests.timeoutSeconds", 60)
      editor.settings.set("savedSearches", [{ name: "Ours" }])
      editor.memento.set("everywhere register.sample", {
        identifiers: [identifier],
        policies: [{ uuid: "p-1", name: "Strict", origin: "entered" }],
        groups: []
      })
      const text = `const password = "${["tidal", "Wren", "4471", "harbour!"].join("-")}"\n`
      editor.files.set("file:///orchard/src/shop.ts", text)
      editor.activeText = opened("file:///orchard/src/shop.ts", text)
      yield* started(editor, true)
      if (tree !== undefined) {
        yield* openAll(editor.trees.get(tree)?.roots)
      }
      if (isSearched) yield* searchCredentials(editor, { text: "example.com" })
      isAnswering = false
      editor.waitedFor.length = 0
      editor.answers.push(...answers)
      const running = yield* Effect.forkChild(editor.commands.get(command)?.(...args) ?? Effect.void)
      const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      for (let turns = 0; turns < 20 || (turns < 50_000 && editor.waitedFor.length === 0); turns++) yield* turn
      assert.isUndefined(running.pollUnsafe(), "it waits for nothing")
      assert.isNotEmpty(editor.waitedFor)
      yield* editor.cancel
      yield* whileTimePasses(Fiber.join(running))
    }).pipe(Effect.scoped)
  )
})
