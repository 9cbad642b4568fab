/** A service that repeats secrets, whole and in part, in everything that it can answer: nothing of them is shown. */
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Credentials } from "@threat-exposure/core/client/Credentials"
import { layerNoDeps } from "@threat-exposure/core/client/services"
import { plan, run } from "@threat-exposure/leak-check/LeakCheck"
import type { Report } from "@threat-exposure/leak-check/Report"
import { annotations, command } from "@threat-exposure/leak-check/report/Annotations"
import * as Console from "@threat-exposure/leak-check/report/Console"
import { codeQuality, secretDetection } from "@threat-exposure/leak-check/report/Gitlab"
import { json } from "@threat-exposure/leak-check/report/Json"
import { junit } from "@threat-exposure/leak-check/report/Junit"
import * as Markdown from "@threat-exposure/leak-check/report/Markdown"
import { sarif } from "@threat-exposure/leak-check/report/Sarif"
import { defaults } from "@threat-exposure/leak-check/Settings"
import { DateTime, Effect, Layer, Redacted, Stream } from "effect"
import { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"
import { makeShownIn, partsOf, plantedSecrets, spellingsOf } from "../PlantedSecrets.ts"

type Answer = (echo: string) => Response | Error

const refuse =
  (
    status: number,
    bodyOf: (echo: string) => unknown,
    headersOf: (echo: string) => Record<string, string> = () => ({})
  ): Answer =>
  (echo) =>
    new Response(JSON.stringify(bodyOf(echo)), { status, headers: headersOf(echo) })

/** Headers take neither line breaks nor characters beyond Latin-1. */
const headerOf = (echo: string) => encodeURIComponent(echo.toWellFormed()).slice(0, 4000)

const v4 = (echo: string) => ({ error: { code: echo, message: `no: ${echo}`, data: { echo } } })
const faults = (echo: string) => ({
  detail: [
    { loc: ["body", echo], msg: `bad ${echo}`, type: echo, input: { [echo]: [echo] }, ctx: { echo: { [echo]: echo } } }
  ]
})

const failures: Readonly<Record<string, Answer>> = {
  "400": refuse(400, (echo) => ({ message: `no: ${echo}`, code: echo })),
  "401": refuse(401, v4),
  "403": refuse(403, v4),
  "404": refuse(404, v4),
  "409": refuse(409, v4),
  "422": refuse(422, faults),
  "429": refuse(429, v4, () => ({ "retry-after": "9999" })),
  "500": refuse(500, v4),
  "502": (echo) => new Response(`<html>${echo}</html>`, { status: 502 }),
  "503": refuse(503, v4, (echo) => ({ "x-request-id": headerOf(echo) })),
  "504": refuse(504, (echo) => ({ message: echo })),
  "a redirect": (echo) =>
    new Response(null, { status: 302, headers: { location: `https://other.example.com/${headerOf(echo)}` } }),
  "an answer of another shape": refuse(200, (echo) => ({ items: [{ id: echo, [echo]: echo }], next: null })),
  "a cut answer": (echo) => new Response(`{"items":[{"id":"${echo}`),
  "no answer": (echo) => new TypeError(`cannot send ${echo}`, { cause: new Error(echo) })
}

const serve = (answer: (of: "credentials" | "events") => Response | Error) =>
  layerNoDeps({ baseUrl: "https://api.example.com", token: Redacted.make("a-token"), retries: 0 }).pipe(
    Layer.provide(
      Layer.succeed(
        HttpClient.HttpClient,
        HttpClient.make((request, url) => {
          const content = answer(url.pathname.includes("credentials") ? "credentials" : "events")
          return content instanceof Error
            ? Effect.fail(
                new HttpClientError.HttpClientError({
                  reason: new HttpClientError.TransportError({ request, cause: content })
                })
              )
            : Effect.succeed(HttpClientResponse.fromWeb(request, content))
        })
      )
    )
  )

/** Long values are repeated in fewer spellings, to bound the time of the test. */
const echoesOf = (value: string): ReadonlyArray<string> =>
  value.length > 1000
    ? [
        value.slice(0, 30_000),
        JSON.stringify(value.slice(0, 3000)).slice(1, -1),
        encodeURIComponent(value.slice(-3000)),
        Buffer.from(value.slice(9, 3000)).toString("base64")
      ]
    : [...spellingsOf(value), ...partsOf(value)]

const formats = (report: Report): Readonly<Record<string, string>> => ({
  json: json(report),
  sarif: sarif(report, { workflowPath: ".github/workflows/leaks.yml", toolVersion: "1.2.3" }),
  junit: junit(report),
  secretDetection: secretDetection(report, { toolVersion: "1.2.3" }),
  codeQuality: codeQuality(report),
  summary: Markdown.summary(report, { repositoryUrl: "https://github.com/acme/app", commit: "abc123" }),
  comment: Markdown.comment(report, { marker: "marker" }),
  console: Console.text(report, { colors: true }),
  annotations: annotations(report).map(command).join("\n")
})

const now = DateTime.makeUnsafe("2026-11-20T12:00:00Z")

const check = (value: string, answer: (of: "credentials" | "events") => Response | Error) =>
  plan({
    repository: "acme/app",
    settings: { ...defaults(now), minConfidence: 0 },
    secrets: [{ name: "DEPLOY", value: Redacted.make(value) }]
  }).pipe(
    Effect.flatMap((made) => run(made)),
    Effect.catchTag("SearchesRefused", ({ report }) => Effect.succeed(report)),
    Effect.provide(serve(answer))
  )

const evidence = (echoes: ReadonlyArray<string>) => (of: "credentials" | "events") =>
  Response.json({
    items: echoes.slice(0, 12).map((echo, id) =>
      of === "credentials"
        ? {
            id,
            identity_name: `${echo}@example.com`,
            domain: echo,
            source_id: "s1",
            imported_at: "2026-10-02T03:04:05Z",
            hash: echo,
            hash_type: "unknown",
            auth_domains: [echo],
            source: {
              id: "s1",
              name: echo,
              description_en: echo,
              url: `https://example.org/${encodeURIComponent(echo.toWellFormed())}`
            }
          }
        : {
            event_type: "paste",
            metadata: {
              uid: `paste/${echo}`,
              type: "paste",
              title: echo,
              severity: "high",
              estimated_created_at: "2026-10-02T03:04:05Z",
              svc_url: `https://example.org/${encodeURIComponent(echo.toWellFormed())}`
            },
            tenant_metadata: {},
            identifiers: [],
            highlights: { content: [echo, `<mark>${echo}</mark>`, `…${echo.slice(1)}`] },
            data: {}
          }
    ),
    next: null
  })

describe("a planted secret", () => {
  it("comes in 48 kinds", () => assert.strictEqual(Object.keys(plantedSecrets).length, 48))

  for (const [kind, value] of Object.entries(plantedSecrets)) {
    it.effect(`is in no error and no report: ${kind}`, () =>
      Effect.gen(function* () {
        const shownIn = makeShownIn(value)
        const hide = (what: string, written: string) =>
          assert.isUndefined(shownIn(written), `${what}: ${written.slice(0, 300)}`)
        const search = Effect.flatMap(Credentials, (credentials) =>
          Stream.runDrain(credentials.search({ query: { type: "secret", secret: value } }))
        )
        const echoes = echoesOf(value)
        for (const [name, answer] of Object.entries(failures)) {
          const error = yield* search.pipe(Effect.provide(serve(() => answer(echoes.join(" ")))), Effect.flip)
          const { cause, stack } = error
          hide(
            name,
            [inspect(error, { depth: 20, showHidden: true }), JSON.stringify(error), stack, inspect(cause)].join("\n")
          )
        }
        for (const [name, answer] of Object.entries(failures).filter(([name]) =>
          /^(?:401|422|503|no answer)$/u.test(name)
        )) {
          const report = yield* check(value, () => answer(echoes.join(" ")))
          assert.strictEqual(report.verdict === "clean", report.planned.searches === 0)
          hide(`${name}, report`, JSON.stringify(report))
        }
        const report = yield* check(value, evidence(echoes))
        for (const [format, text] of Object.entries(formats(report))) hide(format, text)
      })
    )
  }
})
