import { assert, describe, it, layer } from "@effect/vitest"
import { TestService } from "@threat-exposure/service/testing/TestService"
import { Effect } from "effect"

const get = (path: string, headers: Record<string, string> = {}, body?: string) =>
  Effect.flatMap(TestService, ({ token, url }) =>
    Effect.promise(async () => {
      const response = await fetch(`${url}${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...headers },
        ...(body === undefined ? undefined : { body })
      })
      return { status: response.status, type: response.headers.get("content-type"), text: await response.text() }
    })
  )

const search = (email: string) => JSON.stringify({ query: { type: "email", email } })

layer(TestService.layer({ metrics: true }), { excludeTestServices: true })("Metrics", (it) => {
  it.effect("counts requests, their time and the quota, and reads the sizes of the process and the database", () =>
    Effect.gen(function* () {
      for (const email of ["a@example.com", "b@example.com", "a@example.com"]) {
        yield* get("/svc/v4/credentials/global/_search", {}, search(email))
      }
      yield* get("/svc/v4/credentials/global/_search", { Authorization: "Bearer x" }, search("a@example.com"))
      for (let path = 0; path < 50; path += 1) yield* get(`/planted-${path}`)
      const { status, text, type } = yield* get("/metrics", { Authorization: "" })
      assert.deepEqual([status, type], [200, "text/plain; version=0.0.4"])
      const value = (series: string) => {
        const line = text.split("\n").find((line) => line.startsWith(`${series} `))
        return line === undefined ? undefined : Number(line.slice(series.length + 1))
      }
      const requests = "threat_exposure_requests_total"
      assert.strictEqual(value(`${requests}{operation="credentials.search",status="200"}`), 3)
      assert.strictEqual(value(`${requests}{operation="credentials.search",status="401"}`), 1)
      assert.strictEqual(value(`${requests}{operation="unknown",status="404"}`), 50)
      const duration = "threat_exposure_request_duration_seconds"
      assert.strictEqual(value(`${duration}_count{operation="credentials.search"}`), 4)
      assert.strictEqual(value(`${duration}_bucket{operation="credentials.search",le="+Inf"}`), 4)
      assert.strictEqual(value("threat_exposure_quota_units_total"), 2)
      assert.isAbove(value("threat_exposure_database_bytes") ?? 0, 10_000)
      assert.isAbove(value("process_resident_memory_bytes") ?? 0, 1_000_000)
      assert.strictEqual(value("threat_exposure_reads_waiting"), 0)
      assert.strictEqual(value("threat_exposure_writes_waiting"), 0)
      // A value that a caller chooses creates no series.
      assert.notInclude(text, "planted")
      const names = text.split("\n").flatMap((line) => /^# TYPE (\S+) /.exec(line)?.[1] ?? [])
      for (const name of names) assert.match(text, new RegExp(`^# HELP ${name} \\w`, "m"))
    })
  )
})

describe("Metrics", () => {
  it.effect("are not offered by default", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* get("/metrics")).status, 404)
    }).pipe(Effect.provide(TestService.layer()))
  )
})
