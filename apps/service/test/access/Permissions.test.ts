/** Calls every operation with every set of permissions, over HTTP. */
import { assert, layer } from "@effect/vitest"
import type { Permission } from "@threat-exposure/core/domain/Permission"
import { describeOnSqlite } from "@threat-exposure/service/testing/Engines"
import { TestService } from "@threat-exposure/service/testing/TestService"
import { Effect } from "effect"

const uuid = "00000000-0000-4000-8000-000000000000"

const identifier = '{"data":{"type":"ip","ip":"192.0.2.1"},"categories":[],"emerging_categories":[],"severities":[]}'

/**
 * The table of docs/api.md#permissions, written by hand: if it were derived from the contract, it could not disagree
 * with it.
 */
const operations: ReadonlyArray<readonly [Permission, string, string, string?]> = [
  ["Read Tenant", "POST", "/v4/credentials/global/_search", '{"query":{"type":"email","email":"a@example.com"}}'],
  ["Read Tenant", "GET", "/v2/me/feed/credentials"],
  [
    "Write Tenant",
    "POST",
    "/v4/credentials/actions",
    '{"targets":[{"credential_hash":"a"}],"action":{"type":"ignore"}}'
  ],
  ["Read Tenant", "POST", "/v4/events/global/_search", "{}"],
  ["Read Tenant", "POST", "/v4/events/identifiers/1/_search", "{}"],
  ["Read Tenant", "POST", "/v4/events/tenant/_search", "{}"],
  ["Read Tenant", "POST", "/v4/events/identifier_groups/1/_search", "{}"],
  ["Read Tenant", "GET", "/v4/events/filters/types"],
  ["Read Tenant", "GET", "/v4/events/filters/severities"],
  ["Read Tenant", "GET", "/v4/events/?uid=a%2Fb%2Fc"],
  ["Read Tenant", "GET", "/v4/events/_expand?uid=a%2Fb%2Fc&field=cookies"],
  ["Read Tenant", "GET", "/v4/identifiers/"],
  ["Read Tenant", "GET", "/v4/identifiers/1"],
  ["Read Tenant", "GET", "/v2/assets/groups/"],
  ["Read Tenant", "GET", "/v2/assets/groups/1"],
  ["Read Tenant", "GET", "/v4/identifier-recommendations/"],
  ["Read Tenant", "GET", "/v4/matching-policies"],
  ["Read Tenant", "GET", `/v4/matching-policies/${uuid}`],
  ["Read Tenant", "GET", "/v4/reports"],
  ["Read Tenant", "GET", "/v4/reports/1"],
  ["Read Tenant", "GET", "/v4/reports/1/download?format=csv"],
  ["Read Tenant", "GET", `/v4/threat_flow/reports/requests/${uuid}`],
  ["Read Tenant", "GET", "/v2/tenants/1/users"],
  ["Read Tenant", "GET", `/v4/matching-policies/${uuid}/assignments`],
  ["Read Tenant", "GET", "/v4/matching-policies/by_identifier_id/1"],
  ["Write Tenant", "POST", "/v4/events/actions", '{"targets":[{"uid":"a/b/c"}],"action":{"type":"ignore"}}'],
  ["Write Tenant", "PATCH", "/v4/events/tenant/metadata?uid=a%2Fb%2Fc", '{"tags":["a"]}'],
  ["Write Tenant", "POST", "/v2/assets/", '{"name":"a.example.com","type":"domain"}'],
  ["Write Tenant", "POST", "/v4/identifiers/", identifier],
  ["Write Tenant", "PUT", "/v4/identifiers/9", identifier],
  ["Write Tenant", "DELETE", "/v4/identifiers/9"],
  ["Write Tenant", "POST", "/v2/assets/groups/", '{"name":"a"}'],
  ["Write Tenant", "PUT", "/v2/assets/groups/9", '{"name":"a"}'],
  ["Write Tenant", "DELETE", "/v2/assets/groups/9"],
  [
    "Write Tenant",
    "POST",
    "/v4/identifier-recommendations/actions",
    '{"targets":[{"id":1}],"action":{"type":"accept"}}'
  ],
  ["Write Tenant", "POST", "/v4/matching-policies", '{"name":"a","type":"LUCENE_QUERY","value":{"query":"a"}}'],
  ["Write Tenant", "PUT", `/v4/matching-policies/${uuid}`, '{"name":"a","value":{"query":"a"}}'],
  ["Write Tenant", "DELETE", `/v4/matching-policies/${uuid}/assignments`, '{"identifier_ids":[1]}'],
  ["Write Tenant", "POST", `/v4/matching-policies/${uuid}/assignments`, '{"identifier_ids":[1]}'],
  ["Write Tenant", "DELETE", `/v4/matching-policies/${uuid}`],
  ["Write Tenant", "POST", "/v2/reporting/reports", "{}"],
  ["Write Tenant", "POST", "/v4/threat_flow/intel/requests", '{"question":"a"}'],
  ["Write Tenant Admin", "POST", "/v2/tenants/1/users", '{"users":[{"user_id":7}]}'],
  ["Write Tenant Admin", "DELETE", "/v2/tenants/1/users/9"]
]

const every: ReadonlyArray<Permission> = ["Read Tenant", "Write Tenant", "Write Tenant Admin"]
const sets = Array.from({ length: 2 ** every.length }, (_, bits) => every.filter((_, bit) => (bits >> bit) & 1))

describeOnSqlite("Permissions", ({ store }) => {
  layer(TestService.layer({ store }), { excludeTestServices: true })((it) => {
    it.effect("allows each operation with its permission and with no other", () =>
      Effect.gen(function* () {
        const { key, url } = yield* TestService
        const { paths } = yield* Effect.promise(async () =>
          JSON.parse(await (await fetch(`${url}/openapi.json`)).text())
        )
        const described = Object.values<object>(paths)
          .flatMap((path) => Object.values(path))
          .filter((operation) => "x-permission" in operation)
        assert.strictEqual(described.length, operations.length)
        for (const permissions of sets) {
          const token = yield* key({ permissions })
          for (const [needed, method, path, body] of operations) {
            const { status, text } = yield* Effect.promise(async () => {
              const response = await fetch(`${url}/svc${path}`, {
                method,
                headers: {
                  authorization: `Bearer ${token}`,
                  ...(body === undefined ? undefined : { "content-type": "application/json" })
                },
                ...(body === undefined ? undefined : { body })
              })
              return { status: response.status, text: await response.text() }
            })
            const asked = `${method} ${path} with ${permissions.join(", ") || "no permission"}: ${status} ${text}`
            if (permissions.includes(needed)) assert.include([200, 202, 404], status, asked)
            else {
              assert.strictEqual(status, 403, asked)
              assert.match(text, new RegExp(`lacks the permission ${needed}: `), asked)
            }
          }
        }
      })
    )
  })
})
