/** The commands of the operator's pages, as they stand there. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { runCommand } from "@threat-exposure/service/commands/CommandLine"
import { temporaryFolder } from "@threat-exposure/service/testing/TestService"
import { ConfigProvider, Effect, Layer } from "effect"
import { TestConsole } from "effect/testing"

const page = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8")

/** The arguments of the lines that call the program; those of a shell, not those of a variable. */
const callsIn = (text: string) =>
  [...text.matchAll(/^threat-exposure-service (.+)$/gmu)].map(([, line = ""]) =>
    [...line.matchAll(/'([^']*)'|(\S+)/gu)].map(([, quoted, bare]) => quoted ?? bare ?? "")
  )

const records = {
  credentials: { id: 1, identity_name: "a@example.com", imported_at: "2026-01-01T00:00:00Z" },
  events: {
    event_type: "paste",
    metadata: { uid: "a/b/1", severity: "low", estimated_created_at: "2026-01-01T00:00:00Z" },
    data: { title: "a", content: "b" }
  },
  recommendations: { id: 1, status: "recommended", data: { type: "domain", fqdn: "example.com" } }
}

const asks = /^(?:credentials|events|tenants|sample) delete|^(?:backup|restore|rotate-key)\b/u

describe("docs/service.md", () => {
  it.live("has commands that work in the order of the page", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const run = (args: ReadonlyArray<string>) =>
        runCommand(args).pipe(
          Effect.provide(
            Layer.mergeAll(
              NodeServices.layer,
              TestConsole.layer,
              ConfigProvider.layer(ConfigProvider.fromUnknown({ THREAT_EXPOSURE_CALLED_FROM: folder }))
            )
          )
        )
      for (const [kind, record] of Object.entries(records)) {
        writeFileSync(join(folder, `${kind}.ndjson`), `${JSON.stringify(record)}\n`)
      }
      // The page revokes key 7.
      for (let id = 1; id < 7; id++) yield* run(["keys", "create", "--tenant", "1", "--permission", "read-tenant"])

      const calls = callsIn(page("service.md")).filter(([command]) => command !== "serve")
      assert.isAbove(calls.length, 14)
      for (const args of calls) {
        const kind = args.find((word) => word in records) ?? ""
        const given = args.map((word) => word.replace("FILE…", `${kind}.ndjson`).replace(/^\/backup\//u, `${folder}/`))
        const confirmed = asks.test(given.join(" ")) && !given.includes("--yes") ? [...given, "--yes"] : given
        const result = yield* Effect.exit(run(confirmed))
        assert.strictEqual(result._tag, "Success", `${args.join(" ")}: ${JSON.stringify(result)}`)
      }
    }).pipe(Effect.scoped)
  )
})
