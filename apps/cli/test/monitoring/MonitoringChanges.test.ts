import { assert, describe, it } from "@effect/vitest"
import { RateLimited } from "@threat-exposure/core/client/ApiError"
import { IdentifierGroups } from "@threat-exposure/core/client/IdentifierGroups"
import { Identifiers } from "@threat-exposure/core/client/Identifiers"
import { MatchingPolicies } from "@threat-exposure/core/client/MatchingPolicies"
import { MonitoredIdentifier } from "@threat-exposure/core/domain/MonitoredIdentifier"
import { keyOf } from "@threat-exposure/cli/monitoring/Monitored"
import { differenceOf } from "@threat-exposure/cli/monitoring/MonitoringChanges"
import { untilAdmitted } from "@threat-exposure/cli/request/Targets"
import { Effect, Layer, Schema } from "effect"

describe("the creation of a disabled identifier", () => {
  it.effect("creates one although the rate limit refuses to disable it at first", () =>
    Effect.gen(function* () {
      const data = { type: "domain", fqdn: "example.com" }
      const created = Schema.decodeUnknownSync(MonitoredIdentifier)({ id: 7, name: null, tenant_id: 1, data })
      const calls: Array<string> = []
      const call = (name: string) =>
        Effect.suspend(() => {
          calls.push(name)
          return calls.length === 2
            ? Effect.fail(new RateLimited({ status: 429, code: "X", message: "Slow down" }))
            : Effect.succeed(created)
        })
      const services = Layer.mergeAll(
        Layer.mock(Identifiers, { create: () => call("create"), update: (id) => call(`update ${id}`) }),
        Layer.mock(IdentifierGroups, {}),
        Layer.mock(MatchingPolicies, {})
      )
      const wanted = { name: undefined, data, key: keyOf(data), categories: [], severities: [], group: undefined }
      const { changes } = yield* differenceOf(
        { groups: [], policies: [], identifiers: [{ ...wanted, disabled: true, policies: [] }] },
        { groups: [], policies: [], identifiers: [], repeated: { groups: [], identifiers: [] } },
        false
      )
      for (const { run } of changes) yield* untilAdmitted(run).pipe(Effect.provide(services))
      assert.deepStrictEqual(calls, ["create", "update 7", "update 7"])
    })
  )
})

describe("what the service has more than once", () => {
  it.effect.each([
    [false, []],
    [true, ["delete identifier Shop", "delete group Retail"]]
  ] as const)("is deleted but for the first with --prune only (%s)", ([isPruning, expected]) =>
    Effect.gen(function* () {
      const data = { type: "domain", fqdn: "shop.example.com" }
      const monitored = (id: number) => ({
        identifier: Schema.decodeUnknownSync(MonitoredIdentifier)({ id, name: "Shop", tenant_id: 1, data }),
        data,
        key: keyOf(data),
        policies: []
      })
      const group = (id: number) => ({ id, name: "Retail" })
      const entry = { name: "Shop", data, key: keyOf(data), categories: [], severities: [], group: undefined }
      const { changes } = yield* differenceOf(
        { groups: ["Retail"], policies: [], identifiers: [{ ...entry, disabled: false, policies: [] }] },
        {
          groups: [group(1)],
          policies: [],
          identifiers: [monitored(1)],
          repeated: { groups: [group(2)], identifiers: [monitored(2)] }
        },
        isPruning
      )
      assert.deepStrictEqual(
        changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`),
        [...expected]
      )
    })
  )
})
