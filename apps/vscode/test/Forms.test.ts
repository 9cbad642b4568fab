/** Every command that asks several questions: numbered, with a way back that keeps what was typed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SavedSearchSubject } from "../src/events/EventSubjects.ts"
import { MonitoredIdentifier } from "@threat-exposure/core/domain/MonitoredIdentifier"
import type { Subject } from "../src/editor/tree/Subject.ts"
import { TreeNode } from "../src/editor/tree/TreeNode.ts"
import { searchCredentials } from "./CredentialSearch.ts"
import { back, EditorDouble, opened } from "./EditorDouble.ts"
import { IdentifierSubject } from "../src/identifiers/IdentifierRow.ts"
import { PolicySubject } from "../src/policies/PolicyTree.ts"
import { listedIdentifier } from "../src/register/KnownIdentifier.ts"
import { identifier, MonitoringService } from "./MonitoringService.ts"
import { event, served, servedWhole, started, whileTimePasses } from "./Running.ts"

const credential = {
  id: 1,
  identity_name: "ada@example.com",
  source_id: "s",
  imported_at: "2026-11-01T00:00:00Z",
  hash: "amber-lynx"
}

const policy = (uuid: string, name: string) => ({
  uuid: `assignment-${uuid}`,
  matching_policy: { uuid, name, policy_type: "keywords", value: { included_keywords: ["orchard"] } }
})

const service = served((path) => {
  if (path.includes("/credentials/")) return { status: 200, body: { items: [credential], next: null } }
  if (path.includes("polic")) return { status: 200, body: [policy("p-1", "Lax"), policy("p-2", "Strict")] }
  return { status: 200, body: { items: [event(1)], next: null, request_id: "r-1" } }
})

const identifiers = ["example.com", "example.org"].map((name, index) => ({
  id: index + 1,
  name,
  type: "domain",
  origin: "created"
}))

const monitoringService = () => {
  const monitoring = new MonitoringService(identifier(1, "example.com"))
  monitoring.policies = [
    {
      uuid: "p-9",
      name: "Cookies",
      policy_type: "ASTP_COOKIES",
      value: { cookie_names: ["session"], match_subdomains: false }
    }
  ]
  return monitoring
}
const cookies = { uuid: "p-9", name: "Cookies", policy: undefined, identifiers: [] }

const listed = MonitoredIdentifier.make({
  id: 1,
  name: "example.com",
  tenant_id: null,
  data: { type: "domain", fqdn: "example.com" },
  categories: [],
  emerging_categories: [],
  severities: [],
  group_id: null,
  enrichments: null,
  is_disabled: false
})

const rowOf = (subject: Subject) => new TreeNode({ id: "row", label: "row", state: "leaf" }, { subject })

const file = "file:///orchard/src/shop.ts"
const secret = ["tidal", "Wren", "4471", "harbour!"].join("-")

interface Form {
  readonly command: string
  readonly answers: ReadonlyArray<string>
  /** Steps before the form opens. */
  readonly before?: (editor: EditorDouble) => Effect.Effect<ReadonlyArray<unknown>>
  readonly isSignedOut?: true
  /** Whether the service lists identifiers and policies. */
  readonly isListing?: true
}

const ours = { name: "Ours", query: { type: "domain" as const, fqdn: "example.com" } }

const run = (editor: EditorDouble, command: string, ...args: ReadonlyArray<unknown>) =>
  whileTimePasses(editor.commands.get(command)?.(...args) ?? Effect.void)

const forms: ReadonlyArray<Form> = [
  { command: "signIn", answers: ["https://api.example.com", "API key", "a-key"], isSignedOut: true },
  { command: "signIn", answers: ["New profile…", "https://api.example.com", "API key", "a-key"] },
  { command: "switchProfile", answers: ["New profile…", "https://api.example.com", "API key", "a-key"] },
  {
    command: "credentials.export",
    answers: ["All credentials", "NDJSON", "Mask the secrets"],
    before: (editor) => Effect.as(Effect.scoped(searchCredentials(editor, { text: "example.com" })), [])
  },
  { command: "identifiers.create", answers: ["Secret", "amber-lynx-quarry", "Key of the shop", "Leak|Paste"] },
  {
    command: "identifiers.create",
    answers: ["Secret", "amber-lynx-quarry", "Key of the shop", "Leak|Paste", "High|Critical"],
    isListing: true
  },
  {
    command: "identifiers.update",
    answers: ["Ours", "example.net", "Paste", "High"],
    before: () => Effect.succeed([rowOf(new IdentifierSubject(listedIdentifier(listed)))]),
    isListing: true
  },
  { command: "identifiers.filterIdentifiers", answers: ["Domain|Keyword", "Only enabled"], isListing: true },
  { command: "policies.create", answers: ["Included keywords", "checkout, card", "Shop"], isListing: true },
  {
    command: "policies.update",
    answers: ["Sessions", "session, token", "Cookies of subdomains as well"],
    before: () => Effect.succeed([rowOf(new PolicySubject(cookies))]),
    isListing: true
  },
  { command: "identifiers.addById", answers: ["7", "ours"] },
  { command: "events.searchBy", answers: ["Name", "Ada", "Lovelace", "Similar names too", "Apply"] },
  { command: "events.saveSearch", answers: ["GitHub repository", "example", "shop", "Apply", "Shop"] },
  {
    command: "events.editSearch",
    answers: ["Another query", "Keyword", "orchard", "Apply", "Orchard"],
    before: () =>
      Effect.succeed([
        new TreeNode({ id: "ours", label: "Ours", state: "leaf" }, { subject: new SavedSearchSubject(ours) })
      ])
  },
  {
    command: "events.export",
    answers: ["Ours", "All events", "CSV", "Everything, without the view's filter"],
    before: (editor) =>
      Effect.sync(() => [void editor.memento.set("here events.filter", { severity: "high" })].slice(1))
  },
  { command: "policies.assign", answers: ["Strict", "example.com", "Remove past events that do not match"] },
  { command: "createReport", answers: ["Third quarter", "Ada", "board", "1, 2", "30d"] },
  { command: "addUsers", answers: ["1", "2, 3", "admin", "Read and write access"] },
  { command: "askIntel", answers: ["Who sells access to example.com?", "short"] },
  {
    command: "leaks.ignore",
    answers: ["Rotated in March", "180 days"],
    before: (editor) => {
      editor.files.set(file, `const password = "${secret}"\n`)
      editor.activeText = opened(file, `const password = "${secret}"\n`)
      editor.answers.push("Search")
      return Effect.gen(function* () {
        yield* run(editor, "checkFile")
        const [finding] = editor.leaks.get(file) ?? []
        const fixes =
          finding === undefined
            ? []
            : yield* editor.onFindings?.fixes(file, finding.span, "typescript") ?? Effect.succeed([])
        return fixes.find(({ title }) => title === "Ignore with a reason…")?.command.args ?? []
      })
    }
  }
]

describe("a command with several questions", () => {
  it.effect.each(forms)("$command numbers them, and goes back from each without losing an answer", (form) =>
    Effect.gen(function* () {
      yield* form.isListing === true ? servedWhole(monitoringService().answer) : service
      const editor = new EditorDouble()
      editor.settings.set("savedSearches", [ours])
      if (form.isSignedOut !== true) {
        editor.memento.set("everywhere register.sample", { identifiers, policies: [], groups: [] })
      }
      yield* started(editor, form.isSignedOut !== true)
      const args = yield* form.before?.(editor) ?? Effect.succeed([])
      editor.answered.length = 0
      // The person leaves each question but the first once through Back, after typing or choosing an answer.
      const [first = ""] = form.answers
      editor.answers.push(first)
      for (const [index, answer] of form.answers.entries()) {
        if (index > 0) editor.answers.push(`${answer}${back}`, form.answers[index - 1] ?? "", answer)
      }
      yield* run(editor, form.command, ...args)
      const asked = editor.answered.filter(({ step }) => step !== undefined)
      const total = form.answers.length
      assert.deepStrictEqual(
        asked.map(({ answer, step }) => [answer, step?.number]),
        form.answers.flatMap((answer, index) => {
          const one = [answer, index + 1]
          return index === total - 1 ? [one] : [one, one]
        })
      )
      assert.strictEqual(asked.at(-1)?.step?.total, total)
      const seen = new Set<number | undefined>()
      for (const { answer, before, kind, step } of asked) {
        const isAskedAgain = seen.has(step?.number) || (kind !== "choice" && step?.number !== 1)
        // The list of filter parts does not remember a choice.
        if (isAskedAgain && answer !== "Apply") assert.strictEqual(before, answer, `question ${step?.number}`)
        seen.add(step?.number)
      }
    }).pipe(Effect.scoped)
  )

  const written = forms.filter(({ command }) => /^(?:identifiers|policies)\.(?:create|update)$/u.test(command))

  it.effect.each(written.filter(({ isListing }) => isListing === true))(
    "$command offers the answers again that the service refuses",
    (form) =>
      Effect.gen(function* () {
        let isRefused = false
        const monitoring = monitoringService()
        yield* servedWhole((path, body, headers, query, method) => {
          if (method === "GET" || path.endsWith("_search") || isRefused)
            return monitoring.answer(path, body, headers, query, method)
          isRefused = true
          const fault = { loc: ["body", "name"], msg: "This is reserved", type: "value_error" }
          return { status: 422, body: { detail: [fault] } }
        })
        const editor = new EditorDouble()
        yield* started(editor, true)
        const args = yield* form.before?.(editor) ?? Effect.succeed([])
        editor.presses.push("Change the Answers…")
        editor.answers.push(...form.answers, ...form.answers)
        yield* run(editor, form.command, ...args)
        assert.include(editor.told, "error: The service refused the request: name: This is reserved")
        const again = editor.answered.slice(form.answers.length)
        assert.deepStrictEqual(
          again.map(({ before }) => before),
          form.answers
        )
        assert.isEmpty(editor.told.slice(1).filter((line) => line.startsWith("error")))
      }).pipe(Effect.scoped)
  )

  it.effect("a filter leads back from each of its parts, and keeps the parts that were chosen before Back", () =>
    Effect.gen(function* () {
      yield* service
      const editor = new EditorDouble()
      yield* started(editor, true)
      editor.answers.push("Keyword", "orchard")
      editor.answers.push("Severity", "High or higher")
      editor.answers.push("Time", "From … to …", "2026-01-31", `2026-02-28${back}`, "2026-02-01", "2026-02-28")
      // Press Back in the first question of a part, then in the list of parts.
      editor.answers.push("Type", back, back, "orchard", "Apply")
      yield* run(editor, "events.searchBy")
      assert.deepStrictEqual(
        editor.answered.map(({ answer, before, step }) => [step?.number, step?.total, before, answer]),
        [
          [1, 3, "Domain", "Keyword"],
          [2, 3, "", "orchard"],
          [3, 3, "", "Severity"],
          [4, 4, "Any severity", "High or higher"],
          [3, 3, "", "Time"],
          [4, 4, "Any time", "From … to …"],
          [5, 6, "", "2026-01-31"],
          [5, 6, "2026-01-31", "2026-02-01"],
          [6, 6, "2026-02-28", "2026-02-28"],
          [3, 3, "", "Type"],
          [2, 3, "orchard", "orchard"],
          [3, 3, "", "Apply"]
        ]
      )
    }).pipe(Effect.scoped)
  )
})
