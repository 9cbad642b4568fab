/** Runs the commands of the operator's pages as they are written there. `serve` is stopped once it is ready. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { Effect } from "effect"
import { ended, folder, line, output, run, runWith, spawned, until } from "./commands/Command.ts"

const node = await openSearchNode()

const page = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), "utf8")

/** The arguments of each line that calls the program, split and unquoted as a shell does. */
const callsIn = (text: string) =>
  [...text.matchAll(/^threat-exposure-service (.+)$/gmu)].map(([, line = ""]) =>
    [...line.matchAll(/'([^']*)'|(\S+)/gu)].map(([, quoted, bare]) => quoted ?? bare ?? "")
  )

/** Starts `serve` on a free port, and stops it once it is ready. */
const serveUntilReady = (there: string, flags: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}) =>
  Effect.promise(async () => {
    const child = spawned(there, ["serve", "--port", "0", ...flags], env)
    const text = output(child)
    await until(() => text.out.startsWith("listening on ") || child.exitCode !== null)
    child.kill("SIGTERM")
    const code = child.exitCode ?? (await ended(child))
    assert.strictEqual(code, 0, `serve ${flags.join(" ")}: ${text.err}`)
  })

const confirm = (args: ReadonlyArray<string>) =>
  asks.test(args.join(" ")) && !args.includes("--yes") ? [...args, "--yes"] : args

const asks = /^(?:credentials|events|tenants|sample) delete|^(?:backup|restore|rotate-key)\b/u

const records = {
  credentials: { id: 1, identity_name: "a@example.com", imported_at: "2026-01-01T00:00:00Z" },
  events: {
    event_type: "paste",
    metadata: { uid: "a/b/1", severity: "low", estimated_created_at: "2026-01-01T00:00:00Z" },
    data: { title: "a", content: "b" }
  },
  recommendations: { id: 1, status: "recommended", data: { type: "domain", fqdn: "example.com" } }
}

describe("docs/service.md", () => {
  it.live("has commands that work in the order of the page", () =>
    Effect.gen(function* () {
      const there = yield* folder
      for (const [kind, record] of Object.entries(records)) {
        writeFileSync(join(there, `${kind}.ndjson`), `${JSON.stringify(record)}\n`)
      }
      // The page revokes key 7.
      for (let id = 1; id < 7; id++) yield* run(there, "keys", "create", "--tenant", "1", "--permission", "read-tenant")

      const calls = callsIn(page("service.md"))
      assert.isAbove(calls.length, 14)
      for (const args of calls) {
        if (args[0] === "serve") {
          yield* serveUntilReady(there, args.slice(1))
          continue
        }
        const kind = args.find((word) => word in records) ?? ""
        const given = args.map((word) => word.replace("FILE…", `${kind}.ndjson`).replace(/^\/backup\//u, `${there}/`))
        const { code, err } = yield* run(there, ...confirm(given))
        assert.strictEqual(code, 0, `${args.join(" ")}: ${err}`)
      }
    }).pipe(Effect.scoped)
  )
})

describe.skipIf("missing" in node)("missing" in node ? node.missing : "docs/opensearch.md", () => {
  const { prefix, snapshotFolder, url } = "missing" in node ? { prefix: "", snapshotFolder: "", url: "" } : node

  it.live("has commands that work", () =>
    Effect.gen(function* () {
      const there = yield* folder
      writeFileSync(join(there, "credentials.ndjson"), line(1))
      const keyFile = join(there, "service.key")
      yield* run(there, "keys", "list", "--database", "service.sqlite", "--key-file", keyFile)
      const calls = callsIn(page("opensearch.md"))
      for (const args of calls) {
        // A database is moved to a cluster without data, and served from there with its own key file.
        const own = args.includes("service.key") ? `${prefix}-moved` : prefix
        const given = args.map((word) =>
          word
            .replace(/^https:\/\/node1:9200\S*/u, url)
            .replace(/^\/backup\//u, `${snapshotFolder}/${prefix}-`)
            .replace(/^\/etc\/threat-exposure\//u, `${there}/`)
            .replace(/^threat-exposure$/u, own)
            .replace(/^restored$/u, `${own}-restored`)
        )
        const named = args.includes("--index-prefix") ? given : [...given, "--index-prefix", own]
        if (args[0] === "serve") {
          yield* serveUntilReady(there, named.slice(1), { THREAT_EXPOSURE_KEY_FILE: keyFile })
          continue
        }
        const { code, err } = yield* runWith({ THREAT_EXPOSURE_KEY_FILE: keyFile }, there, ...confirm(named))
        assert.strictEqual(code, 0, `${args.join(" ")}: ${err}`)
      }
      assert.isAtLeast(calls.length, 5)
    }).pipe(Effect.scoped)
  )
})
