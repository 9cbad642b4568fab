/** Commands and files that change what a tenant monitors, against the real service. */
import { existsSync, readFileSync } from "node:fs"
import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type RunningService, startService } from "@threat-exposure/service/testing/TestService"
import * as fc from "fast-check"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { parse, stringify } from "yaml"
import { makeProgram, type Program } from "./Program.ts"

const secret = "Vk7-monitored-Qz9"

describe("what is monitored", () => {
  let service: RunningService
  let program: Program

  beforeAll(async () => {
    service = await startService({ sample: true })
    program = await makeProgram({
      THREAT_EXPOSURE_BASE_URL: service.url,
      THREAT_EXPOSURE_TOKEN: service.token,
      MONITORED: secret
    })
  })
  afterAll(async () => {
    await Promise.all([service?.stop(), program?.remove()])
  })

  const done = async (...args: ReadonlyArray<string>): Promise<ReadonlyArray<Record<string, any>>> => {
    const { code, stderr, stdout } = await program.run([...args, "--json"])
    assert.strictEqual(code, 0, `${args.join(" ")}: ${stderr}`)
    assert.notInclude(stdout + stderr, secret)
    return stdout === ""
      ? []
      : stdout
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line))
  }

  const refused = async (code: number, ...args: ReadonlyArray<string>) => {
    const ended = await program.run(args)
    assert.strictEqual(ended.code, code, `${args.join(" ")}: ${ended.stdout}${ended.stderr}`)
    assert.notInclude(ended.stdout + ended.stderr, secret)
    return ended
  }

  it("is created, listed, changed, disabled and deleted", async () => {
    const [group] = await done("groups", "create", "Retail")
    await done("groups", "rename", String(group?.["id"]), "Shops")
    const create = (...args: ReadonlyArray<string>) => done("identifiers", "create", ...args)
    const [domain] = await create("--type", "domain", "--value", "cli.example.com", "--group", "Shops")
    assert.deepInclude(domain, { data: { type: "domain", fqdn: "cli.example.com" }, group_id: group?.["id"] })
    const [hidden] = await create("--type", "secret", "--secret-env", "MONITORED", "--name", "of CI")
    const [person] = await create(
      "--type",
      "identity",
      "--value",
      "email=a@cli.example.com",
      "--value",
      "name=Ada King Lovelace"
    )
    assert.deepStrictEqual(person?.["data"].attributes, [
      { type: "email", email: "a@cli.example.com" },
      { type: "name", first_name: "Ada", last_name: "King Lovelace", is_strict: false }
    ])
    await create("--type", "github_repository", "--value", "cli-owner/cli-name")
    for (const [flag, ...command] of [
      ["--types", "identifiers", "list"],
      ["--categories", "identifiers", "update", String(domain?.["id"])]
    ]) {
      const { code, stderr } = await program.run([...command, flag ?? "", "leek"])
      assert.strictEqual(code, 0, stderr)
      assert.match(
        stderr,
        new RegExp(`^${flag}: leek is not known to this version, and sent as given; known are `, "u")
      )
    }
    const ids = [domain, hidden, person].map((identifier) => String(identifier?.["id"]))
    const [changed] = await done("identifiers", "update", ids[1] ?? "", "--severities", "high,critical")
    assert.deepInclude(changed, { name: "of CI", severities: ["high", "critical"] })
    const [ungrouped] = await done("identifiers", "update", ids[0] ?? "", "--ungrouped")
    assert.isNull(ungrouped?.["group_id"])
    assert.deepStrictEqual(
      await done("identifiers", "disable", ...ids),
      ids.map((id) => ({ id: Number(id), done: true, is_disabled: true }))
    )
    const disabled = await done("identifiers", "list", "--disabled")
    assert.includeMembers(
      disabled.map(({ id }) => String(id)),
      ids
    )
    await done("identifiers", "enable", ...ids)
    const part = await refused(3, "identifiers", "disable", ids[0] ?? "", "99999999")
    assert.include(part.stderr, `Done: ${ids[0]}`)
    await refused(2, "identifiers", "get", "99999999")
    assert.include((await refused(2, "identifiers", "delete", ...ids)).stderr, "give --yes")
    await done("identifiers", "delete", ...ids, "--yes")
    await refused(2, "identifiers", "get", ids[0] ?? "")
    await done("groups", "delete", String(group?.["id"]), "--yes")
    for (const args of [
      ["--type", "domain"],
      ["--type", "domain", "--value", "a", "--value", "b"],
      ["--type", "secret", "--value", "x"],
      ["--type", "github_repository", "--value", "name"],
      ["--type", "identity", "--value", "a@example.com"],
      ["--value", "x"],
      ["--type", "domain", "--value", "https://x.example.com/login"],
      ["--type", "domain", "--value", "x example com"],
      ["--type", "ip", "--value", "999.1.1.1"],
      ["--type", "ip", "--value", "x.example.com"],
      ["--type", "bin", "--value", "card"],
      ["--type", "identity", "--value", "email=a"],
      ["--type", "domain", "--value", "x.example.com", "--group", "none"],
      ["--type", "domain", "--value", "x.example.com", "--severities", "worse"]
    ]) {
      await refused(2, "identifiers", "create", ...args)
    }
    const url = ["--type", "domain", "--value", "https://x.example.com"]
    assert.include((await refused(2, "identifiers", "create", ...url)).stderr, "--value: a domain is a host name")
    const [upper] = await create("--type", "domain", "--value", "BÜCHER.example.com.")
    assert.strictEqual(upper?.["data"].fqdn, "xn--bcher-kva.example.com")
    await create("--type", "ip", "--value", "2001:db8::/32")
    for (const command of [
      ["groups", "create"],
      ["groups", "rename", "1"]
    ])
      assert.include((await refused(2, ...command, " ")).stderr, "argument <NAME>")
    const unnamed = await program.run(["identifiers", "create", "--type", "secret", "--secret-env", "OTHER"], {
      env: { OTHER: "Unnamed-secret-77" }
    })
    const listed = await program.run(["identifiers", "list", "--types", "secret"])
    assert.match(listed.stdout, /^\d+ +enabled +secret +\[redacted\] +\[redacted\] /mu)
    assert.notMatch(unnamed.stdout + listed.stdout, /<redacted>/u)
  })

  it("is matched by policies, which are assigned and taken away", async () => {
    const [policy] = await done(
      "policies",
      "create",
      "--name",
      "cli",
      "--type",
      "INCLUDED_KEYWORDS",
      "--keywords",
      "a,b"
    )
    const uuid: string = policy?.["uuid"]
    const [updated] = await done("policies", "update", uuid, "--keywords", "c")
    assert.deepStrictEqual(updated?.["value"], { keywords: ["c"] })
    assert.strictEqual(
      (await program.run(["policies", "assign", uuid, "1"])).stderr,
      "1 identifier given the policy.\n"
    )
    await done("policies", "assign", uuid, "1", "2")
    await done("policies", "unassign", uuid, "2")
    assert.include(
      (await done("policies", "list")).map(({ name }) => name),
      "cli"
    )
    for (const [type, flags, value] of [
      ["EXCLUDED_KEYWORDS", ["--keywords", "a"], { keywords: ["a"] }],
      ["LUCENE_QUERY", ["--query", "a AND b"], { query: "a AND b" }],
      ["ASTP_DOMAIN", ["--match-mode", "auth_domain_only"], { match_mode: "auth_domain_only" }],
      ["ASTP_COOKIES", ["--cookies", "s,t"], { cookie_names: ["s", "t"], match_subdomains: false }]
    ] as const) {
      const [made] = await done("policies", "create", "--name", type, "--type", type, ...flags)
      assert.deepInclude(made, { policy_type: type, value })
    }
    const cookies = ["--name", "cookies", "--type", "ASTP_COOKIES", "--cookies", "s", "--match-subdomains"]
    const [ofCookies] = await done("policies", "create", ...cookies)
    const update = ["policies", "update", String(ofCookies?.["uuid"])]
    const [renamed] = await done(...update, "--cookies", "t")
    assert.deepStrictEqual(renamed?.["value"], { cookie_names: ["t"], match_subdomains: true })
    const [narrowed] = await done(...update, "--match-subdomains=false")
    assert.deepStrictEqual(narrowed?.["value"], { cookie_names: ["t"], match_subdomains: false })
    assert.include(
      (await refused(2, ...update, "--keywords", "a")).stderr,
      "--keywords is for a policy of type INCLUDED_KEYWORDS or EXCLUDED_KEYWORDS, not ASTP_COOKIES"
    )
    await refused(2, "policies", "create", ...cookies, "--query", "a")
    const withoutValue = await refused(2, "policies", "create", "--name", "cli", "--type", "LUCENE_QUERY")
    assert.include(withoutValue.stderr, "A policy of type LUCENE_QUERY needs --query")
    for (const action of ["assign", "unassign"]) {
      const { stderr } = await refused(2, "policies", action, "00000000-0000-4000-8000-000000000000", "1")
      assert.include(stderr, 'No policy "00000000-0000-4000-8000-000000000000" was found')
      assert.notInclude(stderr, "identifier")
    }
    await refused(2, "policies", "delete", uuid)
    await done("policies", "delete", uuid, "--yes")
    for (const [kind, ...command] of [
      ["policy", "policies", "get", uuid],
      ["policy", "policies", "update", uuid, "--name", "a"],
      ["identifier", "identifiers", "get", "999999"],
      ["identifier", "identifiers", "update", "999999", "--name", "a"],
      ["group", "groups", "rename", "999999", "a"],
      ["report", "reports", "download", "999999", "--format", "csv", "--to", "none.csv"]
    ] as const) {
      const id = command[2]
      assert.include((await refused(2, ...command)).stderr, `No ${kind} "${id}" was found`)
    }
  })

  it("is recommended, and recommendations are decided on", async () => {
    const open = await done("recommendations", "list", "--status", "recommended")
    const [one, two] = open.map(({ id }) => String(id))
    await done("recommendations", "accept", one ?? "")
    await done("recommendations", "reject", two ?? "")
    const left = await done("recommendations", "list", "--status", "recommended")
    assert.lengthOf(left, open.length - 2)
  })

  it("is reported", async () => {
    const ordered = await refused(0, "reports", "create", "--title", "From the command line", "--period", "P7D")
    assert.include(ordered.stderr, 'The report "From the command line" is ordered')
    assert.include(
      (await done("reports", "list")).map(({ title }) => title),
      "From the command line"
    )
    await refused(2, "reports", "create", "--title", "x", "--period", "30d")
    for (const [format, start] of [
      ["csv", "uid"],
      ["pdf", "%PDF-"]
    ] as const) {
      const file = join(program.folder, `report.${format}`)
      const downloaded = await refused(0, "reports", "download", "1", "--format", format, "--to", file)
      assert.include(downloaded.stderr, `The report is in ${file}.`)
      assert.include(readFileSync(file, "latin1").slice(0, 200), start)
      await refused(2, "reports", "download", "1", "--format", format, "--to", file)
      const shown = await refused(0, "reports", "download", "1", "--format", format, "--to", "-")
      assert.deepStrictEqual([shown.stdout, shown.stderr], [readFileSync(file, "utf8"), ""])
    }
    await refused(2, "reports", "download", "99999999", "--format", "csv", "--to", join(program.folder, "none.csv"))
  })

  describe("in a file", () => {
    const apply = async (content: unknown, ...flags: ReadonlyArray<string>) => {
      await writeFile(join(program.folder, "m.yml"), stringify(content))
      await done("apply", "m.yml", ...flags)
    }

    it("is exported, and applying the export changes nothing; no secret is in the file", async () => {
      await done("identifiers", "create", "--type", "secret", "--secret-env", "MONITORED")
      const { stderr } = await refused(0, "export", "monitoring", "--to", "all.yml")
      assert.include(stderr, `What is monitored is in ${join(program.folder, "all.yml")}.`)
      assert.include(stderr, "The file holds no secret")
      const text = readFileSync(join(program.folder, "all.yml"), "utf8")
      assert.notInclude(text, secret)
      await refused(2, "export", "monitoring", "--to", "all.yml")
      const [, variable = ""] = [...text.matchAll(/env: (\w+)/gu)].at(-1) ?? []
      assert.include((await refused(2, "plan", "all.yml")).stderr, variable)
    })

    it("of a tenant with identifiers of older types is applied to an empty one", async () => {
      assert.includeMembers(
        (await done("identifiers", "list")).map(({ data }) => data.type),
        ["email", "username", "name"]
      )
      await done("export", "monitoring", "--to", "older.yml")
      const older = parse(readFileSync(join(program.folder, "older.yml"), "utf8"))
      const identifiers = older.identifiers.filter(({ data }: { readonly data: object }) => !("secret" in data))
      await apply({ ...older, identifiers })
      assert.deepStrictEqual(await done("plan", "m.yml"), [])
      await apply({ identifiers: [] }, "--prune", "--yes")
      await apply({ ...older, identifiers })
      assert.lengthOf(await done("identifiers", "list"), identifiers.length)
      assert.deepStrictEqual(await done("plan", "m.yml", "--prune"), [])
    })

    it("of any tenant: applied, nothing is left to do, for its export neither", async () => {
      const names = fc.uniqueArray(fc.constantFrom("One", "two words", "3", "null", "#x"), { maxLength: 3 })
      const tenant = fc.record({ groups: names, policies: names }).chain(({ groups, policies }) =>
        fc.record({
          groups: fc.constant(groups.map((name) => ({ name }))),
          policies: fc.constant(
            policies.map((name) => ({
              name,
              type: name.length % 2 === 0 ? "INCLUDED_KEYWORDS" : "EXCLUDED_KEYWORDS",
              value: { keywords: [`word-${name}`, "other"] }
            }))
          ),
          identifiers: fc.uniqueArray(
            fc.record(
              {
                data: fc.oneof(
                  fc.nat({ max: 4 }).map((n) => ({ type: "domain", fqdn: `d${n}.example.com` })),
                  fc.nat({ max: 2 }).map((n) => ({ type: "keyword", keyword: `keyword ${n}` })),
                  fc.constant({ type: "secret", secret: { env: "MONITORED" } }),
                  fc.constant({
                    type: "identity",
                    attributes: [
                      { type: "username", username: "u" },
                      { type: "email", email: "e@example.com" }
                    ]
                  })
                ),
                name: fc.constantFrom("a", "b", "null"),
                categories: fc.subarray(["leak", "paste"]),
                severities: fc.subarray(["high", "critical"]),
                disabled: fc.boolean(),
                policies: fc.subarray(policies),
                ...(groups.length === 0 ? {} : { group: fc.constantFrom(...groups) })
              },
              { requiredKeys: ["data"] }
            ),
            { selector: ({ data }) => JSON.stringify(data), maxLength: 5 }
          )
        })
      )
      await fc.assert(
        fc.asyncProperty(tenant, async (content) => {
          await apply(content, "--prune", "--yes")
          assert.deepStrictEqual(await done("plan", "m.yml", "--prune"), [])
          const exported = join(program.folder, "exported.yml")
          await rm(exported, { force: true })
          await done("export", "monitoring", "--to", "exported.yml")
          const text = readFileSync(exported, "utf8").replaceAll(/env: MONITORED_SECRET_\d+/gu, "env: MONITORED")
          await writeFile(exported, text)
          assert.deepStrictEqual(await done("plan", "exported.yml", "--prune"), [])
          assert.deepStrictEqual(await done("apply", "exported.yml", "--prune", "--yes"), [])
        }),
        { numRuns: 10 }
      )
    })

    it("is compared with the first of several policies or identifiers that the file cannot tell apart", async () => {
      const upper = { data: { type: "domain", fqdn: "TWICE.example.com" }, policies: ["Twice"] }
      const policy = { name: "Twice", type: "INCLUDED_KEYWORDS", value: { keywords: ["one"] } }
      const create = ["identifiers", "create", "--type", "domain", "--value"]
      const [first] = await done(...create, "twice.example.com")
      const [second] = await done(...create, "twice.example.com")
      await apply({ policies: [policy], identifiers: [upper] })
      await done("policies", "create", "--name", "Twice", "--type", policy.type, "--keywords", "one")
      const { stderr } = await refused(0, "plan", "m.yml")
      assert.include(stderr, 'The service has the policy "Twice" more than once')
      assert.include(stderr, `The service has the data of identifier ${first?.["id"]} more than once`)
      await done("export", "monitoring", "--to", "twice.yml")
      const variables = readFileSync(join(program.folder, "twice.yml"), "utf8").matchAll(/env: (\w+)/gu)
      const env = Object.fromEntries(Array.from(variables, ([, name = ""]) => [name, secret]))
      const planned = await program.run(["plan", "twice.yml"], { env })
      assert.strictEqual(planned.code, 0, planned.stdout + planned.stderr)
      const address = { data: { type: "domain", fqdn: "https://example.com" } }
      await writeFile(join(program.folder, "m.yml"), stringify({ identifiers: [address] }))
      assert.include((await refused(2, "plan", "m.yml")).stderr, "a domain is a host name")
      await writeFile(join(program.folder, "m.yml"), stringify({ identifiers: [upper, upper] }))
      assert.include((await refused(2, "plan", "m.yml")).stderr, "this is there already (m.yml:")
      const pruned = await program.run(["apply", "twice.yml", "--prune", "--yes"], { env })
      assert.strictEqual(
        pruned.stdout,
        '~ assign identifier "twice.example.com": Twice\n- delete identifier "twice.example.com"\n- delete policy "Twice"\n',
        pruned.stderr
      )
      const again = await program.run(["plan", "twice.yml", "--prune"], { env })
      assert.deepStrictEqual([again.code, again.stderr], [0, "The service is as the file says.\n"])
      await done("identifiers", "get", String(first?.["id"]))
      await refused(2, "identifiers", "get", String(second?.["id"]))
    })

    it("changes the secret that has its name if the variable has another value", async () => {
      const renewed = { MONITORED: `${secret}-renewed` }
      const named = { name: "Of the database", data: { type: "secret", secret: { env: "MONITORED" } } }
      const policy = { name: "Renewed", type: "INCLUDED_KEYWORDS", value: { keywords: ["one"] } }
      await apply({ identifiers: [named] }, "--prune", "--yes")
      const [before] = await done("identifiers", "list")
      await writeFile(
        join(program.folder, "m.yml"),
        stringify({ policies: [policy], identifiers: [{ ...named, policies: [policy.name] }] })
      )
      // Other tests may have left policies.
      const identifiersOf = (stdout: string) => stdout.split("\n").filter((line) => line.includes(" identifier "))
      const planned = await program.run(["plan", "m.yml", "--prune"], { env: renewed })
      assert.deepStrictEqual(identifiersOf(planned.stdout), [
        '~ update identifier "Of the database": data',
        '~ assign identifier "Of the database": Renewed'
      ])
      assert.strictEqual((await program.run(["apply", "m.yml", "--prune", "--yes"], { env: renewed })).code, 0)
      assert.strictEqual((await program.run(["plan", "m.yml", "--prune"], { env: renewed })).code, 0)
      assert.deepStrictEqual(
        (await done("identifiers", "list")).map(({ id }) => id),
        [before?.["id"]]
      )
      // Two entries with the same name are indistinguishable.
      const twice = [named, { ...named, data: { type: "secret", secret: { env: "OTHER" } } }]
      await writeFile(join(program.folder, "m.yml"), stringify({ identifiers: twice }))
      const both = await program.run(["plan", "m.yml", "--json"], {
        env: { ...renewed, MONITORED: "a-1", OTHER: "b-2" }
      })
      assert.deepStrictEqual(
        both.stdout
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line).action),
        ["create", "create"]
      )
      // The export keeps the name, so that a new value is found again.
      await done("export", "monitoring", "--to", "renewed.yml")
      assert.include(readFileSync(join(program.folder, "renewed.yml"), "utf8"), "name: Of the database")
    })

    it.each([
      ["groups: [1]", 'm.yml:1: "groups": each group is a name that is not empty, or { name }'],
      [
        "identifiers:\n- data: { type: domain, fqdn: a.com }\n  disabled: maybe",
        'm.yml:3: "disabled": this is text, and must be `true` or `false`'
      ],
      ["identifiers:\n- data: { type: domain }", "m.yml:2: data of type domain has fqdn, and nothing else"],
      [
        "identifiers:\n- data: { type: github_repository, repo_owner: a }",
        "m.yml:2: data of type github_repository has repo_owner and repo_name"
      ],
      [
        "identifiers:\n- name: a\n  data: { type: iban, iban: x }",
        'm.yml:2: the identifier "a" cannot be created: the type of its data must be one of domain, '
      ],
      [
        "identifiers:\n- data: { type: ip, ip: x }",
        'm.yml:2: the identifier "ip x" cannot be created: an ip is an address'
      ],
      [
        "identifiers:\n- data: { type: domain, fqdn: a.com }\n  group: Nowhere",
        'm.yml:2: neither the file nor the service has the group "Nowhere"'
      ],
      ["identifiers:\n- data: { type: secret, secret: Clear }", 'm.yml:2: "secret" is a secret in clear'],
      [
        "policies:\n- name: a\n  type: LUCENE_QUERY\n  value: { query: 5 }",
        'm.yml:2: the policy "a" cannot be created: its value is { query }, a text'
      ],
      [
        "policies:\n- { name: a, type: ELSE, value: {} }",
        'm.yml:2: the policy "a" cannot be created: its type must be one of INCLUDED_KEYWORDS, '
      ]
    ])("refuses %j with its line", async (text, message) => {
      await writeFile(join(program.folder, "m.yml"), text)
      assert.include((await refused(2, "plan", "m.yml")).stderr, message)
    })

    it("as in docs/cli.md is a difference before it is applied, and none afterwards", async () => {
      const guide = readFileSync(new URL("../../../docs/cli.md", import.meta.url), "utf8")
      const [, example = ""] = /^```yaml\n(groups:\n[\s\S]*?)^```$/mu.exec(guide) ?? []
      await writeFile(join(program.folder, "example.yml"), example.replace("DATABASE_PASSWORD", "MONITORED"))
      await refused(6, "plan", "example.yml")
      await done("apply", "example.yml")
      assert.include((await refused(0, "plan", "example.yml")).stderr, "The service is as the file says.")
    })

    it("is planned without a change, deletes only with --prune and --yes, and is refused as a whole", async () => {
      const one = { data: { type: "domain", fqdn: "plan.example.com" } }
      await apply({ identifiers: [one] }, "--prune", "--yes")
      await writeFile(
        join(program.folder, "m.yml"),
        stringify({
          groups: ["G"],
          identifiers: [
            { ...one, group: "G" },
            { data: { type: "domain", fqdn: "other.example.com" } },
            { data: { type: "secret", secret: { env: "MONITORED" } } }
          ]
        })
      )
      const planned = await refused(6, "plan", "m.yml")
      assert.include(planned.stdout, '+ create group "G"')
      assert.include(planned.stdout, '+ create identifier "domain other.example.com"')
      assert.include(planned.stdout, '+ create identifier "secret in MONITORED"')
      assert.include(planned.stdout, "~ update identifier")
      await refused(6, "plan", "m.yml")
      await writeFile(join(program.folder, "m.yml"), stringify({ identifiers: [] }))
      assert.include((await refused(0, "plan", "m.yml")).stderr, "Only the service has the identifier")
      await refused(6, "plan", "m.yml", "--prune")
      await refused(2, "apply", "m.yml", "--prune")
      assert.lengthOf(await done("identifiers", "list"), 1)
      for (const content of [
        { identifiers: [one, one] },
        { identifiers: [{ ...one, group: "none" }] },
        { identifiers: [{ ...one, policies: ["none"] }] },
        { identifiers: [{ ...one, colour: "red" }] },
        { identifiers: [{ data: { ...one.data, colour: "red" } }] },
        { identifiers: [{ data: { type: "credentials", username: "u", password: "in-clear-4471" } }] },
        { identifiers: [{ data: { type: "secret", secret: { env: "NOT_SET" } } }] },
        { identifiers: [{ data: { type: "secret", secret: "in-clear-4471" } }] },
        { identifiers: [{ data: { type: "unknown", x: 1 } }] },
        { policies: [{ name: "p", type: "INCLUDED_KEYWORDS", value: {} }] },
        { groups: [""] },
        {},
        "text"
      ]) {
        await writeFile(join(program.folder, "m.yml"), stringify(content))
        assert.notInclude((await refused(2, "apply", "m.yml")).stderr, "in-clear-4471")
      }
      assert.lengthOf(await done("identifiers", "list"), 1)
      assert.isFalse(existsSync(join(program.folder, "none.yml")))
      await refused(2, "plan", "none.yml")
    })
  })
})
