/** Runs the extension with an editor double and a scripted service. */
import { Effect, Fiber, Layer, Option, Redacted, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as App from "../src/App.ts"
import { GivenProfile, Profiles } from "../src/connection/Profiles.ts"
import { engine } from "../src/leaks/check/LeakCheckEngine.ts"
import { LeakEngine } from "../src/leaks/check/LeakEngine.ts"
import type { FolderScans } from "../src/leaks/check/Scans.ts"
import type { TreeNode } from "../src/editor/tree/TreeNode.ts"
import type { EditorDouble } from "./EditorDouble.ts"
// Loaded before the tests, because these count turns of the event loop.
import "../src/credentials/CredentialPart.ts"
import "../src/events/search/EventForms.ts"
import "../src/events/page/EventPart.ts"
import "../src/identifiers/IdentifierPart.ts"
import "../src/leaks/closing/LeakClosing.ts"
import "../src/policies/PolicyPart.ts"
import "../src/records/RecordPart.ts"
import "../src/overview/OverviewPart.ts"
import "../src/connection/SignInForm.ts"
import "../src/exports/ExportPart.ts"
import "../src/requests/RequestPart.ts"

export type Answer = (
  path: string,
  body: unknown,
  headers: Headers,
  search: URLSearchParams,
  method: string
) =>
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  | Promise<{ readonly status: number; readonly body: unknown }>
  | undefined

const noSuchPath = { status: 404, body: { error: { code: "NOT_FOUND", message: "no such path" } } }

/** Whether the request lists identifiers, groups or policies, which many services cannot do. */
const isListing = (path: string, method: string) =>
  method === "GET" && /\/(?:v4\/identifiers|v2\/assets\/groups|v4\/matching-policies)\/?$/u.test(path)

/** A service that does not list identifiers, groups and policies; these requests are not counted. */
export const served = (answer: Answer) =>
  servedWhole(
    (...request) => (isListing(request[0], request[4]) ? noSuchPath : answer(...request)),
    (path, method) => !isListing(path, method)
  )

const isOfTenant = (path: string) => path.endsWith("/v4/events/tenant/_search")

/**
 * Like {@link served}, but the service does not list the tenant's events either, so that each identifier causes a
 * request.
 */
export const servedEach = (answer: Answer) =>
  servedWhole(
    (...request) => (isListing(request[0], request[4]) || isOfTenant(request[0]) ? noSuchPath : answer(...request)),
    (path, method) => !isListing(path, method) && !isOfTenant(path)
  )

/** Replaces the global `fetch`, so that each test has its own service. */
export const servedWhole = (answer: Answer, isCounted: (path: string, method: string) => boolean = () => true) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = globalThis.fetch
      const asked: Array<string> = []
      globalThis.fetch = async (input, init) => {
        const request = new Request(input, init)
        const { pathname, searchParams } = new URL(request.url)
        if (isCounted(pathname, request.method)) asked.push(pathname)
        const text = await request.text()
        const given = await answer(
          pathname,
          text === "" ? undefined : JSON.parse(text),
          request.headers,
          searchParams,
          request.method
        )
        if (given === undefined) throw new TypeError("fetch failed")
        return new Response(JSON.stringify(given.body), {
          status: given.status,
          headers: { "content-type": "application/json", ...("headers" in given ? given.headers : {}) }
        })
      }
      return { asked, before }
    }),
    ({ before }) =>
      Effect.sync(() => {
        globalThis.fetch = before
      })
  )

export const sample = Option.some({
  profile: { name: "sample", baseUrl: "https://exposure.example.com" },
  secret: Redacted.make("a-token-of-the-tests")
})

const appWith = (folderScans: Option.Option<FolderScans>) =>
  App.layer.pipe(Layer.provide(Layer.succeed(LeakEngine, { load: Effect.succeed(engine), folderScans })))

export const app = appWith(Option.none())

export const started = Effect.fnUntraced(function* (editor: EditorDouble, isSignedIn: boolean, scans?: FolderScans) {
  const scope = yield* Scope.make()
  yield* Layer.buildWithScope(
    appWith(Option.fromUndefinedOr(scans)).pipe(
      Layer.provide(Profiles.layer),
      Layer.provide(editor.layer),
      Layer.provide(Layer.succeed(GivenProfile, isSignedIn ? sample : Option.none()))
    ),
    scope
  )
  return scope
})

/** Signs in to several profiles; the first one is current. Their requests differ in the path prefix. */
export const withProfiles = (editor: EditorDouble, ...names: ReadonlyArray<string>) => {
  editor.settings.set(
    "profiles",
    names.map((name) => ({ name, baseUrl: "https://exposure.example.com", pathPrefix: name }))
  )
  for (const name of names) editor.secrets.set(`threatExposure.secret.${name}`, "a-token-of-the-tests")
}

export const event = (id: number) => ({
  metadata: {
    uid: `leak/somewhere/${id}`,
    type: "leak",
    severity: "high",
    estimated_created_at: `2026-11-${String(20 - (id % 20)).padStart(2, "0")}T08:00:00Z`,
    matched_at: null,
    title: `Leak number ${id}`
  },
  tenant_metadata: { severity: null, tags: [], notes: null },
  highlights: { title: [`Leak <mark>number</mark> ${id}`] }
})

/** An event as the service lists it for an identifier of the tenant. */
export const ofTenant = (id: number) => ({ ...event(id), identifiers: [{ id: 1, name: "orchard.example" }] })

const turnOfTheHost = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** Runs an effect while time passes, for which the client's rate limit and pauses wait. */
export const whileTimePasses = Effect.fnUntraced(function* <A>(effect: Effect.Effect<A>) {
  const fiber = yield* Effect.forkChild(effect)
  for (let turn = 0; turn < 8 || fiber.pollUnsafe() === undefined; turn++) {
    yield* turnOfTheHost
    yield* TestClock.adjust("500 millis")
  }
  // Also runs the messages, for which no command waits.
  yield* turnOfTheHost
  return yield* Fiber.join(fiber)
})

/** For background work, whose number of turns depends on the machine. */
export const timePassesUntil = Effect.fnUntraced(function* (isDone: () => boolean) {
  while (!isDone()) yield* whileTimePasses(Effect.void)
})

/** Runs an effect, and cancels its progress. */
export const cancelling = Effect.fnUntraced(function* <A>(editor: EditorDouble, effect: Effect.Effect<A>) {
  const fiber = yield* Effect.forkChild(effect)
  for (let turn = 0; turn < 8; turn++) yield* turnOfTheHost
  yield* editor.cancel
  return yield* whileTimePasses(Fiber.join(fiber))
})

/** Labels of the rows, without the ages of events. */
export const rowsOf = (nodes: ReadonlyArray<TreeNode>) => nodes.map(({ row }) => row.label.replace(/^\d+\w+ · /u, ""))
export const under = (node: TreeNode | undefined) => node?.children ?? Effect.succeed([])
