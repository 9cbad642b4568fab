/** Tests the whole extension with an editor double and a scripted service. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { GivenProfile, Profiles } from "../src/connection/Profiles.ts"
import { commands, panels, tools, views } from "../src/Contributions.ts"
import { RowAction } from "../src/editor/tree/Subject.ts"
import type { TreeNode } from "../src/editor/tree/TreeNode.ts"
import { Editor } from "../src/editor/Editor.ts"
import { searchCredentials } from "./CredentialSearch.ts"
import { EditorDouble, opened } from "./EditorDouble.ts"
import {
  type Answer,
  app,
  event,
  whileTimePasses,
  rowsOf,
  sample,
  served,
  servedEach,
  started,
  under,
  servedWhole
} from "./Running.ts"

describe("the extension", () => {
  it.effect(
    "implements every command, view and tool that it contributes, sends no request, and leaves nothing behind",
    () =>
      Effect.gen(function* () {
        const { asked } = yield* served(() => undefined)
        const editor = new EditorDouble()
        const scope = yield* Scope.make()
        yield* Layer.buildWithScope(
          app.pipe(
            Layer.provide(Profiles.layer),
            Layer.provide(editor.layer),
            Layer.provide(Layer.succeed(GivenProfile, sample))
          ),
          scope
        )
        const of = (kind: string) =>
          [...editor.registered]
            .filter((name) => name.startsWith(`${kind} `))
            .map((name) => name.slice(kind.length + 1))
        assert.sameMembers(of("command"), Object.keys(commands))
        const pages = Object.keys(views).filter((name) => views[name]?.type === "webview")
        assert.sameMembers([...of("view"), ...pages], Object.keys(views))
        assert.sameMembers(of("webview"), [...pages, ...panels])
        assert.sameMembers(of("tool"), Object.keys(tools))
        assert.deepStrictEqual(asked, [])
        yield* Scope.close(scope, Exit.void)
        assert.deepStrictEqual([...editor.registered], [])
      }).pipe(Effect.scoped)
  )

  it.effect("shows in the status bar and in each view that the user is signed out", () =>
    Effect.gen(function* () {
      const editor = new EditorDouble()
      yield* started(editor, false)
      assert.include(editor.status?.text ?? "", "Sign In")
      for (const name of ["identifiers", "events", "policies", "recommendations"] as const) {
        const tree = editor.trees.get(name)
        assert.deepStrictEqual(yield* tree?.roots ?? Effect.succeed([]), [])
        assert.strictEqual(tree?.state, "signedOut", name)
      }
    })
  )

  it.effect("lists the identifiers beside a saved search, although no other view has asked for them", () =>
    Effect.gen(function* () {
      const identifier = { id: 7, name: "example.com", data: { type: "domain", fqdn: "example.com" } }
      yield* servedWhole((path) =>
        path.endsWith("/v4/identifiers/") ? { status: 200, body: { items: [identifier], next: null } } : undefined
      )
      const editor = new EditorDouble()
      editor.settings.set("savedSearches", [{ name: "Ours", query: { type: "domain", fqdn: "example.com" } }])
      yield* started(editor, true)
      const roots = () => whileTimePasses(editor.trees.get("events")?.roots ?? Effect.succeed([]))
      yield* roots()
      assert.deepStrictEqual(rowsOf(yield* roots()), ["All Identifiers", "Ours"])
    }).pipe(Effect.scoped)
  )

  it.effect("shows the events of a saved search, and loads more", () =>
    Effect.gen(function* () {
      yield* served((path, body) => {
        if (!path.endsWith("/events/global/_search")) return undefined
        const from = typeof body === "object" && body !== null && "from" in body ? Number(body.from) : 0
        const items = Array.from({ length: 10 }, (_, index) => event(from + index))
        return { status: 200, body: { items, next: from === 0 ? "10" : null } }
      })
      const editor = new EditorDouble()
      editor.settings.set("savedSearches", [{ name: "Ours", query: { type: "domain", fqdn: "example.com" } }])
      yield* started(editor, true)
      const [folder] = yield* whileTimePasses(editor.trees.get("events")?.roots ?? Effect.succeed([]))
      assert.strictEqual(folder?.row.label, "Ours")
      const rows = yield* whileTimePasses(under(folder))
      assert.strictEqual(rows.length, 11)
      assert.deepStrictEqual(rows[0]?.row.highlights, [[10, 16]])
      const more = rows.at(-1)?.subject
      assert.instanceOf(more, RowAction)
      if (more instanceof RowAction) yield* whileTimePasses(more.run)
      const all = yield* whileTimePasses(under(folder))
      assert.strictEqual(all.length, 20)
      assert.strictEqual(new Set(rowsOf(all)).size, 20)
    }).pipe(Effect.scoped)
  )

  it.effect("returns at most a few hundred rows at once, whatever their grouping", () =>
    Effect.gen(function* () {
      yield* served((_, body) => {
        const from = typeof body === "object" && body !== null && "from" in body ? Number(body.from) : 0
        const items = Array.from({ length: 10 }, (_, index) => event(from + index))
        return { status: 200, body: { items, next: from === 1190 ? null : String(from + 10) } }
      })
      const editor = new EditorDouble()
      editor.settings.set("savedSearches", [{ name: "Ours" }])
      editor.settings.set("events.pageSize", 100)
      editor.settings.set("requests.searchesPerSecond", 100)
      yield* started(editor, true)
      const [folder] = yield* whileTimePasses(editor.trees.get("events")?.roots ?? Effect.succeed([]))
      const rows = () => whileTimePasses(under(folder))
      const groupBy = (grouping: string) => {
        editor.answers.push(grouping)
        return whileTimePasses(editor.commands.get("events.groupBy")?.() ?? Effect.void)
      }
      yield* rows()
      yield* groupBy("Severity")
      const [partly] = yield* rows()
      assert.strictEqual(partly?.row.description, "100+")
      assert.strictEqual(partly?.row.accessibleLabel, "High, 100 events loaded so far")
      yield* groupBy("No grouping")
      for (
        let more = (yield* rows()).at(-1)?.subject;
        more instanceof RowAction;
        more = (yield* rows()).at(-1)?.subject
      ) {
        yield* whileTimePasses(more.run)
      }
      const openUnder = Effect.fnUntraced(function* (nodes: ReadonlyArray<TreeNode>): Effect.fn.Return<number> {
        const open = nodes.filter(({ row }) => row.state === "open")
        const counts = yield* Effect.forEach(open, (node) => Effect.flatMap(under(node), openUnder))
        return nodes.length + counts.reduce((sum, count) => sum + count, 0)
      })
      assert.deepStrictEqual(rowsOf(yield* rows()), [
        "1 to 100",
        "101 to 200",
        "201 to 300",
        "301 to 400",
        "401 to 500",
        "501 to 600",
        "601 to 700",
        "701 to 800",
        "801 to 900",
        "901 to 1,000",
        "1,001 to 1,100",
        "1,101 to 1,200"
      ])
      for (const grouping of ["Severity", "Type", "Day", "Source"]) {
        yield* groupBy(grouping)
        const grouped = yield* rows()
        assert.isAtMost(yield* openUnder(grouped), 400, grouping)
        const counts = grouped.map(({ row }) => Number(row.description?.replace(",", "")))
        assert.deepStrictEqual(
          grouped.map(({ row }) => row.accessibleLabel),
          grouped.map(({ row }) => `${row.label}, ${row.description} events`)
        )
        assert.strictEqual(
          counts.reduce((sum, count) => sum + count, 0),
          1200,
          grouping
        )
      }
    }).pipe(Effect.scoped)
  )

  it.effect("keeps the shown rows when a refresh fails, and says how old they are", () =>
    Effect.gen(function* () {
      let isUp = true
      yield* served(() => (isUp ? { status: 200, body: { items: [event(1)], next: null } } : undefined))
      const editor = new EditorDouble()
      editor.settings.set("savedSearches", [{ name: "Ours" }])
      yield* started(editor, true)
      const tree = editor.trees.get("events")
      const [folder] = yield* whileTimePasses(tree?.roots ?? Effect.succeed([]))
      yield* whileTimePasses(under(folder))
      isUp = false
      yield* whileTimePasses(editor.commands.get("events.refresh")?.() ?? Effect.void)
      assert.match(tree?.message ?? "", /^As of .*The service cannot be reached\.$/u)
      assert.deepStrictEqual(rowsOf(yield* whileTimePasses(under(folder))), ["Leak number 1"])
      isUp = true
      yield* whileTimePasses(editor.commands.get("events.refresh")?.() ?? Effect.void)
      assert.isUndefined(tree?.message)
    }).pipe(Effect.scoped)
  )

  it.effect(
    "requests each identifier once, even if events name others, where the service does not list the tenant's",
    () =>
      Effect.gen(function* () {
        const { asked } = yield* servedEach((path) => {
          const identifier = Number(path.split("/").at(-2))
          const identifiers = [identifier, identifier + 1]
            .filter((id) => id < 4)
            .map((id) => ({ id, name: `number ${id}` }))
          return { status: 200, body: { items: [{ ...event(identifier), identifiers }], next: null } }
        })
        const editor = new EditorDouble()
        yield* started(editor, true)
        editor.answers.push("1", "one")
        yield* whileTimePasses(editor.commands.get("identifiers.addById")?.() ?? Effect.void)
        asked.length = 0
        const tree = editor.trees.get("events")
        for (let draw = 0; draw < 3; draw++) {
          const [folder] = yield* whileTimePasses(tree?.roots ?? Effect.succeed([]))
          yield* whileTimePasses(under(folder))
        }
        const [folder] = yield* whileTimePasses(tree?.roots ?? Effect.succeed([]))
        assert.strictEqual(folder?.row.description, "3 · 3 identifiers")
        assert.strictEqual((yield* whileTimePasses(under(folder))).length, 3)
        assert.deepStrictEqual(asked.map((path) => path.split("/").at(-2)).toSorted(), ["1", "2", "3"])
      }).pipe(Effect.scoped)
  )

  it.effect("asks a service only once whether it lists the events of the tenant", () =>
    Effect.gen(function* () {
      const { asked } = yield* served((path) =>
        path.endsWith("/tenant/_search")
          ? { status: 404, body: { error: { code: "NOT_FOUND", message: "no such path" } } }
          : { status: 200, body: { items: [event(1)], next: null } }
      )
      const editor = new EditorDouble()
      editor.settings.set("identifiers.known", [{ profile: "sample", id: 1, name: "one.example.com", type: "domain" }])
      editor.memento.set("here events.filter", { severity: "critical" })
      yield* started(editor, true)
      const rows = Effect.gen(function* () {
        const [folder] = yield* whileTimePasses(editor.trees.get("events")?.roots ?? Effect.succeed([]))
        return rowsOf(yield* whileTimePasses(under(folder)))
      })
      yield* rows
      yield* whileTimePasses(editor.commands.get("events.clearFilter")?.() ?? Effect.die("no such command"))
      assert.deepStrictEqual(yield* rows, ["Leak number 1"])
      assert.lengthOf(
        asked.filter((path) => path.endsWith("/tenant/_search")),
        1
      )
    }).pipe(Effect.scoped)
  )

  it.effect(
    "shows the events of all identifiers from one list of the tenant's, with those that the filter asks for",
    () =>
      Effect.gen(function* () {
        const bodies: Array<unknown> = []
        const { asked } = yield* served((path, body) => {
          if (!path.endsWith("/tenant/_search")) return { status: 200, body: { items: [], next: null } }
          bodies.push(body)
          return { status: 200, body: { items: [event(1), event(2)], next: null } }
        })
        const editor = new EditorDouble()
        editor.settings.set(
          "identifiers.known",
          Array.from({ length: 60 }, (_, id) => ({ profile: "sample", id, name: `${id}.example.com`, type: "domain" }))
        )
        editor.memento.set("here events.filter", {})
        yield* started(editor, true)
        const [folder] = yield* whileTimePasses(editor.trees.get("events")?.roots ?? Effect.succeed([]))
        assert.deepStrictEqual(rowsOf(yield* whileTimePasses(under(folder))), ["Leak number 1", "Leak number 2"])
        assert.strictEqual(folder?.row.description, "2 · 60 identifiers")
        assert.lengthOf(asked, 1)
        assert.deepNestedInclude(bodies[0], { "filters.status": ["open", "ignored", "remediated"] })
      }).pipe(Effect.scoped)
  )

  const exporting = (answers: { isUp: boolean }) =>
    served((path, body) => {
      const from = typeof body === "object" && body !== null && "from" in body ? Number(body.from) : 0
      if (!answers.isUp && from > 10) return undefined
      const identifier = Number(path.split("/").at(-2))
      const items = Array.from({ length: 10 }, (_, index) => event(from + index))
      if (Number.isNaN(identifier))
        return { status: 200, body: { items, next: from === 30 ? null : String(from + 10) } }
      // Each identifier shares half of its events with the previous one.
      const shared = Array.from({ length: 10 }, (_, index) => ({
        ...event((identifier - 1) * 20 + from + index),
        identifiers: [{ id: identifier, name: "one" }]
      }))
      return { status: 200, body: { items: shared, next: from === 30 ? null : String(from + 10) } }
    })

  const uidsIn = (editor: EditorDouble, uri: string) =>
    (editor.files.get(uri) ?? "")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).metadata.uid)

  it.effect("resumes an unfinished export after a reload, without loss or repetition", () =>
    Effect.gen(function* () {
      const service = { isUp: false }
      yield* exporting(service)
      const uri = "file:///orchard/events.ndjson"
      const before = new EditorDouble()
      yield* started(before, true)
      before.answers.push("1", "one")
      yield* whileTimePasses(before.commands.get("identifiers.addById")?.() ?? Effect.void)
      before.answers.push("2", "two")
      yield* whileTimePasses(before.commands.get("identifiers.addById")?.() ?? Effect.void)
      before.answers.push("All Identifiers", "All events", "NDJSON", "What the view shows", uri)
      yield* whileTimePasses(before.commands.get("events.export")?.() ?? Effect.void)
      assert.include(before.told.join("\n"), "warning: The service cannot be reached. 20 events are in events.ndjson.")
      assert.strictEqual(before.context.get("exports.unfinished"), true)

      const after = new EditorDouble()
      for (const [key, value] of before.memento) after.memento.set(key, JSON.parse(JSON.stringify(value)))
      for (const [name, text] of before.files) after.files.set(name, text)
      yield* started(after, true)
      service.isUp = true
      yield* whileTimePasses(after.commands.get("exports.resume")?.() ?? Effect.void)
      assert.include(after.told.join("\n"), "info: 60 events were exported to events.ndjson.")
      const uids = uidsIn(after, uri)
      assert.strictEqual(uids.length, 60)
      assert.strictEqual(new Set(uids).size, 60)
      assert.strictEqual(after.context.get("exports.unfinished"), false)
    }).pipe(Effect.scoped)
  )

  it.effect("filters by the severity that the rows show, which the tenant may have lowered", () =>
    Effect.gen(function* () {
      const lowered = { ...event(2), tenant_metadata: { ...event(2).tenant_metadata, severity: { override: "low" } } }
      yield* served(() => ({ status: 200, body: { items: [event(1), lowered], next: null } }))
      const editor = new EditorDouble()
      editor.settings.set("savedSearches", [{ name: "Ours" }])
      editor.memento.set("here events.filter", { severity: "high" })
      yield* started(editor, true)
      const [folder] = yield* whileTimePasses(editor.trees.get("events")?.roots ?? Effect.succeed([]))
      assert.deepStrictEqual(rowsOf(yield* whileTimePasses(under(folder))), ["Leak number 1"])
    }).pipe(Effect.scoped)
  )

  it.effect("exports the events that pass the view's filter, or everything, as the user chooses", () =>
    Effect.gen(function* () {
      const sent: Array<unknown> = []
      yield* served((_, body) => {
        sent.push(body)
        return { status: 200, body: { items: [event(1)], next: null } }
      })
      const editor = new EditorDouble()
      editor.memento.set("here events.filter", { severity: "critical" })
      editor.settings.set("savedSearches", [{ name: "Ours", filters: { severity: "high" } }, { name: "All" }])
      yield* started(editor, true)
      const exported = Effect.fnUntraced(function* (name: string, choice: string) {
        editor.answers.push(name, "All events", "NDJSON", choice, "file:///orchard/events.ndjson")
        yield* whileTimePasses(editor.commands.get("events.export")?.() ?? Effect.void)
        return JSON.stringify(sent.at(-1))
      })
      assert.include(yield* exported("Ours", "What the view shows"), '"severity":"critical"')
      assert.include(yield* exported("Ours", "Everything, without the view's filter"), '"severity":"high"')
      assert.notInclude(yield* exported("All", "Everything, without the view's filter"), "severity")
    }).pipe(Effect.scoped)
  )

  it.effect("does not resume an export with another profile, or into a file that was changed", () =>
    Effect.gen(function* () {
      const service = { isUp: false }
      yield* exporting(service)
      const editor = new EditorDouble()
      const uri = "file:///orchard/events.sarif"
      editor.settings.set("savedSearches", [{ name: "Ours" }])
      yield* started(editor, true)
      editor.answers.push("Ours", "All events", "SARIF", "What the view shows", uri)
      yield* whileTimePasses(editor.commands.get("events.export")?.() ?? Effect.void)
      service.isUp = true
      editor.files.set(uri, "something else")
      yield* whileTimePasses(editor.commands.get("exports.resume")?.() ?? Effect.void)
      assert.include(editor.told.at(-1) ?? "", "The export file has changed. Start a new export.")
      assert.strictEqual(editor.files.get(uri), "something else")
      const kept: unknown = JSON.parse(
        JSON.stringify(editor.memento.get("here exports.unfinished")).replace(
          '"profile":"sample"',
          '"profile":"another"'
        )
      )
      const other = new EditorDouble()
      other.memento.set("here exports.unfinished", kept)
      yield* started(other, true)
      yield* whileTimePasses(other.commands.get("exports.resume")?.() ?? Effect.void)
      assert.include(other.told.join("\n"), "This export was started with the profile “another”. Switch to it first.")
    }).pipe(Effect.scoped)
  )

  it.effect("does not keep a search by password over a restart, but resumes it while the window is open", () =>
    Effect.gen(function* () {
      let isUp = true
      let asked = 0
      const secret = "amber-lynx-quarry"
      yield* served((path, body) => {
        if (!path.endsWith("/credentials/global/_search")) return undefined
        asked += 1
        if (!isUp && JSON.stringify(body).includes("from")) return undefined
        const id = JSON.stringify(body).includes("from") ? 2 : 1
        const item = {
          id,
          identity_name: `u${id}@example.com`,
          source_id: "s",
          imported_at: "2026-11-01T00:00:00Z",
          hash: secret
        }
        return { status: 200, body: { items: [item], next: id === 1 ? "next" : null } }
      })
      const editor = new EditorDouble()
      yield* started(editor, true)
      yield* searchCredentials(editor, { type: "secret", text: secret })
      isUp = false
      const uri = "file:///orchard/credentials.csv"
      editor.answers.push("All credentials", "CSV", "Mask the secrets", uri)
      yield* whileTimePasses(editor.commands.get("credentials.export")?.() ?? Effect.void)
      assert.isAbove(asked, 0)
      assert.include(editor.told.join("\n"), "1 credential is in credentials.csv.")
      assert.deepStrictEqual(editor.memento.get("here exports.unfinished"), [])
      assert.notInclude(JSON.stringify([...editor.memento]), secret)
      isUp = true
      yield* whileTimePasses(editor.commands.get("exports.resume")?.() ?? Effect.void)
      assert.include(editor.told.join("\n"), "info: 2 credentials were exported to credentials.csv.")
      assert.notInclude(editor.files.get(uri) ?? "", secret)
      const [header, ...rows] = (editor.files.get(uri) ?? "").trimEnd().split("\r\n")
      assert.match(header ?? "", /^id,/u)
      assert.deepStrictEqual(
        rows.map((row) => row.split(",")[0]),
        ["1", "2"]
      )
    }).pipe(Effect.scoped)
  )

  const each = ["identifiers", "events", "policies", "recommendations"]
  const states = [
    { name: "offline", answer: () => undefined, state: "offline", of: each },
    {
      name: "forbidden",
      answer: () => ({ status: 403, body: { error: { code: "FORBIDDEN", message: "Read Tenant" } } }),
      state: "forbidden",
      of: ["identifiers", "policies", "recommendations"]
    },
    {
      name: "a missing operation",
      answer: () => ({ status: 404, body: { error: { code: "NOT_FOUND", message: "no" } } }),
      state: "notOffered",
      of: ["recommendations"]
    },
    {
      name: "an operation that is not implemented",
      answer: () => ({ status: 501, body: "" }),
      state: "notOffered",
      of: ["recommendations"]
    },
    {
      name: "a refused token",
      answer: () => ({ status: 401, body: { error: { code: "UNAUTHORIZED", message: "no" } } }),
      state: "expired",
      of: each
    },
    { name: "a gateway's error", answer: () => ({ status: 502, body: "" }), state: "outOfOrder", of: each },
    { name: "a failure", answer: () => ({ status: 200, body: { unexpected: true } }), state: "failed", of: each },
    {
      name: "nothing",
      answer: () => ({ status: 200, body: { items: [], groups: [], next: null } }),
      state: "empty",
      of: each
    }
  ] as const satisfies ReadonlyArray<{ name: string; answer: Answer; state: string; of: ReadonlyArray<string> }>

  it.effect.each(states)("says of $name what it is", ({ answer, state, of }) =>
    Effect.gen(function* () {
      yield* servedWhole(answer)
      const editor = new EditorDouble()
      yield* started(editor, true)
      for (const view of of) {
        const tree = editor.trees.get(view)
        assert.deepStrictEqual(yield* whileTimePasses(tree?.roots ?? Effect.succeed([])), [], view)
        // A rejected token changes the connection, after which the view asks for its rows again.
        yield* TestClock.adjust(10)
        yield* whileTimePasses(tree?.roots ?? Effect.succeed([]))
        assert.strictEqual(tree?.state, state, view)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("counts down after too many requests, and retries automatically", () =>
    Effect.gen(function* () {
      let isBusy = true
      yield* served(() =>
        isBusy
          ? {
              status: 429,
              body: { error: { code: "RATE_LIMITED", message: "slow down" } },
              headers: { "retry-after": "12" }
            }
          : { status: 200, body: { items: [], next: null } }
      )
      const editor = new EditorDouble()
      yield* started(editor, true)
      const tree = editor.trees.get("recommendations")
      yield* tree?.roots ?? Effect.succeed([])
      assert.strictEqual(tree?.state, "rateLimited")
      yield* TestClock.adjust(0)
      assert.include(tree?.message ?? "", "12 s")
      yield* TestClock.adjust("3 seconds")
      assert.include(tree?.message ?? "", "9 s")
      isBusy = false
      const before = tree?.refreshes ?? 0
      yield* TestClock.adjust("10 seconds")
      assert.isUndefined(tree?.message)
      assert.isAbove(tree?.refreshes ?? 0, before)
      yield* tree?.roots ?? Effect.succeed([])
      assert.strictEqual(tree?.state, "empty")
    }).pipe(Effect.scoped)
  )

  it.effect("stops a view's request after the time in the setting", () =>
    Effect.gen(function* () {
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          const before = globalThis.fetch
          globalThis.fetch = () => new Promise(() => {})
          return before
        }),
        (before) =>
          Effect.sync(() => {
            globalThis.fetch = before
          })
      )
      const editor = new EditorDouble()
      editor.settings.set("requests.timeoutSeconds", 5)
      yield* started(editor, true)
      const tree = editor.trees.get("recommendations")
      const asking = yield* Effect.forkChild(tree?.roots ?? Effect.succeed([]))
      yield* TestClock.adjust("6 seconds")
      yield* Effect.yieldNow
      assert.isDefined(asking)
      assert.strictEqual(tree?.state, "slow")
    }).pipe(Effect.scoped)
  )

  it.effect("shows what was found before the service refused the token in the middle of a check", () =>
    Effect.gen(function* () {
      const [first, second] = ["tidal-Wren-4471-harbour!", "amber-Lynx-9023-quarry?"]
      yield* served((path, body) => {
        const isOfFirst = JSON.stringify(body ?? {}).includes("tidal")
        if (!isOfFirst) return { status: 401, body: { error: { code: "UNAUTHORIZED", message: "no" } } }
        return path.includes("/events/")
          ? { status: 200, body: { items: [event(1)], next: null } }
          : { status: 200, body: { items: [], next: null } }
      })
      const editor = new EditorDouble()
      const lines = `password = "${first}"\nsecret = "${second}"\n`
      const start = { line: 0, character: 0 }
      editor.activeText = {
        uri: "file:///orchard/a.ini",
        path: "a.ini",
        text: lines,
        version: 1,
        languageId: "ini",
        selection: { start, end: start },
        selected: ""
      }
      editor.answers.push("Search")
      yield* started(editor, true)
      yield* whileTimePasses(editor.commands.get("checkFile")?.() ?? Effect.void)
      const rows = yield* whileTimePasses(editor.trees.get("leaks")?.roots ?? Effect.succeed([]))
      assert.include(rowsOf(rows).join(), "a.ini")
      assert.include(rowsOf(rows).join(), "Not searched")
      assert.match(editor.trees.get("leaks")?.message ?? "", /^1 leaked\. .*1 not searched: the search failed\.$/u)
      assert.match(editor.told.join("\n"), /warning: Your sign-in has expired\./u)
      assert.include(editor.told.join("\n"), "executed threatExposure.leaks.focus")
    }).pipe(Effect.scoped)
  )

  it.effect("keeps what a check has found when the user signs out during it", () =>
    Effect.gen(function* () {
      const editor = new EditorDouble()
      let searches = 0
      yield* served(async (path) => {
        searches += 1
        // The first value leaked; the search of the second is under way when the person signs out.
        if (searches > 2) await new Promise(() => {})
        return { status: 200, body: { items: path.includes("/events/") ? [event(1)] : [], next: null } }
      })
      editor.activeText = opened(
        "file:///orchard/a.ini",
        `password = "tidal-Wren-4471-harbour!"\nsecret = "amber-Lynx-9023-quarry?"\n`
      )
      editor.answers.push("Search")
      yield* started(editor, true)
      const check = yield* Effect.forkChild(editor.commands.get("checkFile")?.() ?? Effect.void)
      yield* whileTimePasses(Effect.void)
      yield* editor.commands.get("signOut")?.() ?? Effect.void
      yield* whileTimePasses(Fiber.join(check))
      const rows = yield* whileTimePasses(editor.trees.get("leaks")?.roots ?? Effect.succeed([]))
      assert.include(rowsOf(rows).join(), "a.ini")
      assert.match(editor.trees.get("leaks")?.message ?? "", /^1 leaked\. .*not searched/u)
    }).pipe(Effect.scoped)
  )

  it.effect("shows the identifiers in the settings, and those that it has learned of", () =>
    Effect.gen(function* () {
      yield* served(() => ({ status: 200, body: { items: [], next: null } }))
      const editor = new EditorDouble()
      const met = { id: 7, name: "example.org", type: "domain", origin: "created" }
      const secret = { id: 11, name: "<redacted>", type: "secret", origin: "event" }
      editor.memento.set("everywhere register.sample", { identifiers: [met, secret], policies: [], groups: [] })
      editor.settings.set("identifiers.known", [
        { profile: "sample", id: 7, name: "another name", type: "domain" },
        { profile: "sample", id: 8, name: "example.com", type: "domain" },
        { profile: "sample", id: 9, name: " " }
      ])
      yield* started(editor, true)
      const rows = yield* whileTimePasses(editor.trees.get("identifiers")?.roots ?? Effect.succeed([]))
      const names = yield* Effect.forEach(rows, under)
      const identifiers = rows
        .concat(names.flat())
        .filter(({ row }) => /^(?:example|Secret|Identifier|<)/u.test(row.label))
      assert.deepStrictEqual(identifiers.map(({ row }) => [row.label, row.description]).toSorted(), [
        ["Identifier 9", "listed in the settings"],
        ["Secret 11", "seen in an event"],
        ["example.com", "listed in the settings"],
        ["example.org", "created here"]
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("masks the names in every view once the setting is on", () =>
    Effect.gen(function* () {
      const assigned = {
        identifier_id: 7,
        identifier_name: "orchard.example",
        assigned_at: null,
        clean_past_events: false
      }
      const policy = { uuid: "5d0b1f6a-3c52-4e0e-8a27-6f1d9c4b7e10", name: "Shop", policy_type: "ALL", value: {} }
      const of = { matching_policy: policy, assigned_at: null, clean_past_events: false }
      yield* served((path) => {
        if (path.includes("by_identifier_id")) return { status: 200, body: [of] }
        return { status: 200, body: { items: path.includes("/assignments") ? [assigned] : [], next: null } }
      })
      const editor = new EditorDouble()
      editor.settings.set("identifiers.known", [{ profile: "sample", id: 7, name: "orchard.example", type: "domain" }])
      editor.settings.set("savedSearches", [{ name: "orchard", query: { type: "keyword", keyword: "orchard" } }])
      yield* started(editor, true)
      const views = ["identifiers", "events", "policies"] as const
      const shown = Effect.forEach(views, (name) =>
        Effect.gen(function* () {
          const rows = yield* whileTimePasses(editor.trees.get(name)?.roots ?? Effect.succeed([]))
          const below = yield* Effect.forEach(rows, (row) => whileTimePasses(under(row)))
          return JSON.stringify([...rows, ...below.flat()].map(({ row }) => [row.label, row.description])).includes(
            "orchard"
          )
        })
      )
      assert.deepStrictEqual(yield* shown, [true, true, true])
      const refreshes = () => views.map((name) => editor.trees.get(name)?.refreshes ?? 0)
      const before = refreshes()
      yield* Effect.provide(
        Effect.flatMap(Editor, (service) => service.setSetting("masking", true)),
        editor.layer
      )
      yield* whileTimePasses(Effect.void)
      assert.isTrue(refreshes().every((count, index) => count > (before[index] ?? 0)))
      assert.deepStrictEqual(yield* shown, [false, false, false])
    }).pipe(Effect.scoped)
  )

  it.effect("requests the events of a limited number of identifiers at once, and shows how many have loaded", () =>
    Effect.gen(function* () {
      const messages: Array<string | undefined> = []
      const editor = new EditorDouble()
      const { asked } = yield* servedEach(() => {
        messages.push(editor.trees.get("events")?.message)
        return { status: 200, body: { items: [event(1)], next: null } }
      })
      const known = Array.from({ length: 60 }, (_, id) => ({
        profile: "sample",
        id,
        name: `${id}.example.com`,
        type: "domain"
      }))
      editor.settings.set("identifiers.known", known)
      yield* started(editor, true)
      const [all] = yield* whileTimePasses(editor.trees.get("events")?.roots ?? Effect.succeed([]))
      assert.deepStrictEqual(rowsOf(yield* whileTimePasses(under(all))), ["Leak number 1"])
      assert.strictEqual(all?.row.description, "1 · the first 50 of 60")
      assert.strictEqual(asked.length, 50)
      assert.include(messages, "Identifiers loaded: 10 of 50")
      assert.isUndefined(editor.trees.get("events")?.message)
      // A new identifier causes a single request; those that were loaded before are not requested again.
      editor.answers.push("7000", "one more")
      yield* whileTimePasses(editor.commands.get("identifiers.addById")?.() ?? Effect.void)
      const [more] = yield* whileTimePasses(editor.trees.get("events")?.roots ?? Effect.succeed([]))
      yield* whileTimePasses(under(more))
      assert.isUndefined(editor.trees.get("events")?.message)
    }).pipe(Effect.scoped)
  )

  it.effect.each([403, 404, 405, 501])(
    "asks for the tenant's events again on a refresh after a refusal: %s",
    (status) =>
      Effect.gen(function* () {
        let isRefused = true
        const { asked } = yield* servedWhole((path) =>
          isRefused && path.endsWith("/v4/events/tenant/_search")
            ? { status, body: { error: { code: "REFUSED", message: "no" } } }
            : path.endsWith("_search")
              ? { status: 200, body: { items: [event(isRefused ? 1 : 2)], next: null } }
              : { status: 404, body: { error: { code: "NOT_FOUND", message: "no" } } }
        )
        const editor = new EditorDouble()
        editor.settings.set("identifiers.known", [{ profile: "sample", id: 3, name: "example.com", type: "domain" }])
        yield* started(editor, true)
        const [all] = yield* whileTimePasses(editor.trees.get("events")?.roots ?? Effect.succeed([]))
        assert.deepStrictEqual(rowsOf(yield* whileTimePasses(under(all))), ["Leak number 1"])
        const refresh = whileTimePasses(editor.commands.get("events.refresh")?.() ?? Effect.void)
        yield* refresh
        assert.deepStrictEqual(rowsOf(yield* whileTimePasses(under(all))), ["Leak number 1"])
        isRefused = false
        const before = asked.length
        yield* refresh
        assert.deepStrictEqual(rowsOf(yield* whileTimePasses(under(all))), ["Leak number 2"])
        assert.deepStrictEqual(
          asked.slice(before).filter((path) => /identifiers\/3/u.test(path)),
          []
        )
      }).pipe(Effect.scoped)
  )

  it.effect("asks before it creates an identifier that is known already", () =>
    Effect.gen(function* () {
      let created = 0
      yield* served((path) => {
        if (path.endsWith("/v2/assets/")) created += 1
        return undefined
      })
      const editor = new EditorDouble()
      const known = { id: 7, name: "example.com", type: "domain", origin: "created" }
      editor.memento.set("everywhere register.sample", { identifiers: [known], policies: [], groups: [] })
      yield* started(editor, true)
      editor.answers.push("Domain", "Example.com", "Cancel")
      yield* whileTimePasses(editor.commands.get("identifiers.create")?.() ?? Effect.void)
      assert.include(editor.told.join("\n"), "asked: Create “example.com” a second time?")
      assert.strictEqual(created, 0)
      editor.answers.push("Domain", "Example.com", "Create Again", "")
      yield* whileTimePasses(editor.commands.get("identifiers.create")?.() ?? Effect.void)
      assert.isAbove(created, 0)
      // The API has two names for some places; only one is offered.
      assert.include(editor.offered, "Bucket")
      assert.deepStrictEqual(
        editor.offered.filter((label) => editor.offered.includes(`${label}s`)),
        []
      )
    }).pipe(Effect.scoped)
  )

  it.effect("writes neither the token nor a secret of an event to the log", () =>
    Effect.gen(function* () {
      yield* served(() => ({ status: 500, body: { echo: "a-token-of-the-tests" } }))
      const editor = new EditorDouble()
      yield* started(editor, true)
      yield* whileTimePasses(editor.trees.get("recommendations")?.roots ?? Effect.succeed([]))
      assert.isNotEmpty(editor.log)
      assert.notInclude(editor.log.join("\n"), "a-token-of-the-tests")
    }).pipe(Effect.scoped)
  )
})
