import { assert, describe, it } from "@effect/vitest"
import { NotFound, RateLimited } from "@threat-exposure/core/client/ApiError"
import { IdentifierGroups } from "@threat-exposure/core/client/IdentifierGroups"
import { Identifiers } from "@threat-exposure/core/client/Identifiers"
import { MatchingPolicies } from "@threat-exposure/core/client/MatchingPolicies"
import { MatchingPolicy } from "@threat-exposure/core/domain/MatchingPolicy"
import { MonitoredIdentifier } from "@threat-exposure/core/domain/MonitoredIdentifier"
import { keyOf, type Monitored, type PolicyState } from "@threat-exposure/cli/monitoring/Monitored"
import { differenceOf } from "@threat-exposure/cli/monitoring/MonitoringChanges"
import { untilAdmitted } from "@threat-exposure/cli/request/Targets"
import { Effect, Layer, Schema } from "effect"

const nothing = { groups: [], policies: [], identifiers: [] }

const wantedOf = (data: unknown) => ({
  place: "m.yml:1",
  name: undefined,
  variables: [],
  data,
  key: keyOf(data),
  categories: [],
  severities: [],
  group: undefined,
  disabled: false,
  policies: []
})

const monitoredOf = (id: number, data: unknown, policies: ReadonlyArray<PolicyState>): Monitored => ({
  identifier: Schema.decodeUnknownSync(MonitoredIdentifier)({ id, name: "Shop", tenant_id: 1, data }),
  name: "Shop",
  data,
  key: keyOf(data),
  policies
})

const policyOf = (uuid: string): PolicyState => ({
  uuid,
  name: "No press",
  type: "EXCLUDED_KEYWORDS",
  value: { keywords: ["press"] }
})
const [first, second] = [policyOf("1"), policyOf("2")]

const inFile = (policy: PolicyState) => ({ ...policy, place: "m.yml:1" })

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
      const { changes } = yield* differenceOf(
        { groups: [], policies: [], identifiers: [{ ...wantedOf(data), disabled: true }] },
        { ...nothing, repeated: nothing },
        false
      )
      for (const { run } of changes) yield* untilAdmitted(run).pipe(Effect.provide(services))
      assert.deepStrictEqual(calls, ["create", "update 7", "update 7"])
    })
  )
})

describe("a policy of the file", () => {
  it.effect("is updated if the service has another value for it, and left alone if it has the same", () =>
    Effect.gen(function* () {
      const same = { ...policyOf("3"), name: "Same" }
      const changed = { ...inFile(first), value: { keywords: ["press", "media"] } }
      const { changes } = yield* differenceOf(
        { ...nothing, policies: [changed, inFile(same)] },
        { ...nothing, policies: [first, same], repeated: nothing },
        false
      )
      assert.deepStrictEqual(
        changes.map(({ action, kind, name, what }) => [action, kind, name, ...what]),
        [["update", "policy", "No press", "value"]]
      )
      const calls: Array<unknown> = []
      const policies = Layer.mock(MatchingPolicies, {
        update: (uuid, body) =>
          Effect.sync(() => {
            calls.push([uuid, body])
            return Schema.decodeUnknownSync(MatchingPolicy)({ uuid, name: "No press", value: body.value })
          })
      })
      const services = Layer.mergeAll(policies, Layer.mock(Identifiers, {}), Layer.mock(IdentifierGroups, {}))
      yield* Effect.forEach(changes, ({ run }) => run, { discard: true }).pipe(Effect.provide(services))
      assert.deepStrictEqual(calls, [["1", { name: "No press", value: { keywords: ["press", "media"] } }]])
    })
  )
})

describe("what the service has more than once", () => {
  it.effect.each([
    [false, []],
    [true, ["assign identifier Shop", "delete identifier Shop", "delete policy No press", "delete group Retail"]]
  ] as const)("is deleted but for the first with --prune only (%s)", ([isPruning, expected]) =>
    Effect.gen(function* () {
      const data = { type: "domain", fqdn: "shop.example.com" }
      const group = (id: number) => ({ id, name: "Retail" })
      const entry = { ...wantedOf(data), name: "Shop", policies: ["No press"] }
      const { changes } = yield* differenceOf(
        { groups: ["Retail"], policies: [inFile(first)], identifiers: [entry] },
        {
          groups: [group(1)],
          policies: [first],
          // Without --prune, the second policy of the name counts as the one of the file.
          identifiers: [monitoredOf(1, data, [second])],
          repeated: { groups: [group(2)], policies: [second], identifiers: [monitoredOf(2, data, [])] }
        },
        isPruning
      )
      assert.deepStrictEqual(
        changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`),
        [...expected]
      )
    })
  )

  it.effect("is unassigned as a whole", () =>
    Effect.gen(function* () {
      const data = { type: "domain", fqdn: "shop.example.com" }
      const unassigned: Array<string> = []
      const { changes } = yield* differenceOf(
        { groups: [], policies: [], identifiers: [wantedOf(data)] },
        {
          ...nothing,
          policies: [first],
          identifiers: [monitoredOf(1, data, [first, second])],
          repeated: { ...nothing, policies: [second] }
        },
        false
      )
      const policies = Layer.mock(MatchingPolicies, {
        unassign: (uuid) => Effect.sync(() => void unassigned.push(uuid))
      })
      for (const { run } of changes) {
        yield* Effect.provide(
          run,
          Layer.mergeAll(policies, Layer.mock(Identifiers, {}), Layer.mock(IdentifierGroups, {}))
        )
      }
      assert.deepStrictEqual(unassigned, ["1", "2"])
    })
  )
})

describe("policies of many identifiers", () => {
  it.effect("are assigned 100 identifiers at a time, and only what is left after a failure", () =>
    Effect.gen(function* () {
      const datas = Array.from({ length: 150 }, (_, number) => ({ type: "domain", fqdn: `s${number}.example.com` }))
      const other = { ...policyOf("3"), name: "Other" }
      const { changes } = yield* differenceOf(
        {
          groups: [],
          policies: [inFile(first), inFile(other)],
          identifiers: datas.map((data, index) => ({
            ...wantedOf(data),
            name: "Shop",
            policies: index < 2 ? ["No press", "Other"] : ["No press"]
          }))
        },
        {
          ...nothing,
          policies: [first, other],
          identifiers: datas.map((data, index) => monitoredOf(index, data, [])),
          repeated: nothing
        },
        false
      )
      const calls: Array<string> = []
      const policies = Layer.mock(MatchingPolicies, {
        assign: (uuid, { identifier_ids }) =>
          Effect.suspend(() => {
            calls.push(`${uuid}: ${identifier_ids.length}`)
            return calls.length === 2 ? Effect.fail(new NotFound({ status: 404 })) : Effect.void
          })
      })
      const services = Layer.mergeAll(policies, Layer.mock(Identifiers, {}), Layer.mock(IdentifierGroups, {}))
      const run = Effect.forEach(changes, ({ run }) => run, { discard: true }).pipe(Effect.provide(services))
      assert.lengthOf(changes, 150)
      assert.strictEqual((yield* Effect.flip(run))._tag, "NotFound")
      yield* run
      assert.deepStrictEqual(calls, ["1: 100", "1: 50", "1: 50", "3: 2"])
    })
  )
})
