/** Everything that the service and the client write while they handle secrets, searched for those secrets. */
import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inspect } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Credentials } from "@threat-exposure/core/client/Credentials"
import { Events } from "@threat-exposure/core/client/Events"
import * as client from "@threat-exposure/core/client/services"
import { createClient } from "@threat-exposure/core/promise"
import { leakedSecrets } from "@threat-exposure/sample/LeakedSecrets"
import { Cause, Effect, Exit, Redacted, Stream, Tracer } from "effect"
import { leakedInto } from "../Leaked.ts"

const main = fileURLToPath(new URL("../../apps/service/bin/threat-exposure-service.mjs", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "secrets-"))
const database = join(folder, "service.sqlite")

/** The values that this test sends; the service stores them only encrypted. */
const planted = {
  "a searched password": "Plum-Ladder_4471/quartz+",
  "the password of a pair": 'velvet "Anchor" 9931 é',
  "a watched secret": "sunken.Bracket.5523.lake",
  "a wrong token": "wrong-token-0b7e61c4d2a94f",
  "a leaked password": leakedSecrets.databasePassword.value,
  "a leaked token": leakedSecrets.paymentsToken.value
}

const output = { stdout: "", stderr: "" }
let url = ""
let token = ""

const service = spawn(process.execPath, [main, "serve", "--sample", "--port", "0", "--database", database])

beforeAll(
  () =>
    new Promise<void>((resolve, reject) => {
      service.stderr.on("data", (chunk) => (output.stderr += chunk))
      service.stdout.on("data", (chunk) => {
        output.stdout += chunk
        url = /listening on (\S+)/u.exec(output.stdout)?.[1] ?? ""
        token = /token: (\S+)/u.exec(output.stdout)?.[1] ?? ""
        if (token !== "") resolve()
      })
      service.on("exit", () => reject(new Error(`The service ended: ${output.stderr}`)))
    })
)

afterAll(() => {
  service.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true })
})

const json = (value: unknown) =>
  JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? String(inner) : inner))

/** The usual ways to print a value, which may be an error. */
const renderings = (value: unknown): string =>
  [
    String(value),
    json(value),
    inspect(value, { depth: 12, showHidden: true, getters: true }),
    value instanceof Error ? `${value.stack}${json({ ...value, message: value.message, cause: value.cause })}` : ""
  ].join("\n")

const settled = async (work: Promise<unknown> | AsyncIterable<unknown>): Promise<unknown> => {
  try {
    if (!(Symbol.asyncIterator in work)) return await work
    const items: Array<unknown> = []
    for await (const item of work) items.push(item)
    return items
  } catch (error) {
    return error
  }
}

describe("secrets", () => {
  it("are in nothing that the service and the Promise client write", async () => {
    const written = new Map<string, string | Uint8Array>()
    const api = createClient({ baseUrl: url, token })
    const stranger = createClient({ baseUrl: url, token: planted["a wrong token"] })
    const watched = planted["a watched secret"]
    const searched = { type: "secret", secret: planted["a searched password"] } as const
    const answers = {
      "a search that finds nothing": api.credentials.search({ query: searched }),
      "a search that finds": api.credentials.search({
        query: { type: "secret", secret: planted["a leaked password"] },
        include: ["auth_domains", "urls", "known_password_id"]
      }),
      "an events search": api.events.search({ query: { type: "secret", secret: planted["a leaked token"] } }),
      "a pair": api.events.search({
        query: { type: "credentials", username: "someone", password: planted["the password of a pair"] }
      }),
      "a search refused for its cursor": api.credentials.search({ query: searched, from: "altered" }),
      "a search refused before it is sent": api.credentials.search({ query: searched, size: 0 }),
      "an identifier": api.identifiers.createV2({ name: watched, type: "secret" }),
      "an unauthorized search": stranger.credentials.search({ query: searched })
    }
    for (const [name, work] of Object.entries(answers)) written.set(name, renderings(await settled(work)))

    // Bodies that break every rule around a secret, as no client of ours would send them.
    const secrets = Object.values(planted)
    for (const path of ["v4/credentials/global/_search", "v4/events/global/_search", "v2/assets/"]) {
      for (const secret of secrets) {
        for (const body of [
          { query: { type: "secret", secret: [secret] } },
          { query: { type: "secret", password: secret, secret: 1 }, size: secret },
          { query: { type: "credentials", username: 7, password: secret } },
          { name: "", type: "secret", data: { secret }, search_types: [secret] },
          { query: { type: "email", email: { secret } }, from: { password: secret } }
        ]) {
          const response = await fetch(`${url}/svc/${path}`, {
            method: "POST",
            headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
            body: JSON.stringify(body)
          })
          assert.isBelow(response.status, 500)
          await response.text()
        }
      }
    }

    service.kill("SIGTERM")
    await new Promise((resolve) => service.once("close", resolve))
    for (const name of readdirSync(folder)) written.set(name, readFileSync(join(folder, name)))
    written.set("standard output", output.stdout.replace(`token: ${token}`, ""))
    written.set("standard error", output.stderr)

    assert.match(output.stderr, /operation=credentials\.search status=200/u)
    assert.match(written.get("a search that finds")?.toString() ?? "", /identity_name/u)
    assert.match(written.get("a search refused for its cursor")?.toString() ?? "", /ValidationFailed/u)
    assert.match(written.get("an unauthorized search")?.toString() ?? "", /Unauthorized/u)
    assert.deepStrictEqual(leakedInto(written, { ...planted, "the token": token }), [])
  })

  it("are in no span and no cause of the Effect client", async () => {
    // A service that echoes the request in every shape and encoding.
    const echo: typeof fetch = async (_input, init) => {
      const body = typeof init?.body === "string" ? init.body : new TextDecoder().decode(init?.body as Uint8Array)
      const authorization = new Headers(init?.headers).get("authorization")
      return Response.json(
        {
          detail: [
            {
              loc: ["body", "query"],
              msg: `refused ${body} ${authorization}`,
              type: "value_error",
              input: JSON.parse(body)
            },
            { loc: ["body"], msg: Buffer.from(body).toString(), type: "x", ctx: { error: encodeURIComponent(body) } }
          ]
        },
        { status: 422 }
      )
    }
    const spans: Array<Tracer.Span> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const secret = Redacted.make(planted["a searched password"])
    const password = Redacted.make(planted["the password of a pair"])
    const exits = await Effect.gen(function* () {
      const credentials = yield* Credentials
      const events = yield* Events
      return [
        yield* Effect.exit(Stream.runDrain(credentials.search({ query: { type: "secret", secret } }))),
        yield* Effect.exit(
          Stream.runDrain(events.search({ query: { type: "credentials", username: "someone", password } }))
        )
      ]
    }).pipe(
      Effect.provide(
        client.layer({ baseUrl: "https://exposure.example.com", token: "token-8842-birch-lantern", fetch: echo })
      ),
      Effect.withTracer(tracer),
      Effect.runPromise
    )
    const written = new Map<string, string>()
    for (const [index, exit] of exits.entries()) {
      assert.isTrue(Exit.isFailure(exit))
      written.set(`exit ${index}`, renderings(exit))
      if (Exit.isFailure(exit)) {
        written.set(`cause ${index}`, Cause.pretty(exit.cause) + renderings(Cause.squash(exit.cause)))
      }
    }
    assert.match(written.get("cause 0") ?? "", /ValidationFailed|refused/u)
    assert.isAbove(spans.length, 1)
    for (const [index, span] of spans.entries()) {
      written.set(`span ${index}`, renderings(span) + renderings([...span.attributes]))
    }
    assert.deepStrictEqual(leakedInto(written, { ...planted, "the token": "token-8842-birch-lantern" }), [])
  })
})
