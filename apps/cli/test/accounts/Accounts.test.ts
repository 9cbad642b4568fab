import { AccountCounts, AccountTable } from "@threat-exposure/cli/accounts/Accounts"
import { Directory } from "@threat-exposure/cli/accounts/Directory"
import { type Credential, Credential as CredentialSchema } from "@threat-exposure/core/domain/Credential"
import { Schema } from "effect"
import { assert, describe, it } from "vitest"

const decode = Schema.decodeUnknownSync(CredentialSchema)

const credential = (fields: Readonly<Record<string, unknown>>): Credential =>
  decode({ id: 1, identity_name: "ann@example.com", source_id: "one", imported_at: "2026-03-01T00:00:00Z", ...fields })

const summed = (
  credentials: ReadonlyArray<Credential>,
  options: { readonly directory?: Directory; readonly loginDomain?: string } = {}
) => {
  const table = new AccountTable(["example.com"])
  for (const item of credentials) table.add(item, options.loginDomain)
  return [...table.accounts(options.directory)]
}

describe("exposed accounts", () => {
  it("combines the credentials of an address, without regard to case", () => {
    const [account, ...others] = summed([
      credential({ imported_at: "2026-03-01T10:00:00Z", hash: "x", hash_type: "sha1" }),
      credential({ identity_name: "ANN@Example.com", source_id: "two", imported_at: "2026-03-01T11:30:00+02:00" }),
      credential({ imported_at: "2026-03-02T00:00:00.000001Z", hash: "clear", hash_type: null })
    ])
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(account, {
      account: "ann@example.com",
      domain: "example.com",
      login_domains: [],
      class: "employee",
      status: "unknown",
      first_seen: "2026-03-01T09:30:00Z",
      last_seen: "2026-03-02T00:00:00.000001Z",
      sources: ["one", "two"],
      password: "clear",
      stealer_log: "no",
      changed_since: "unknown"
    })
    assert.notInclude(JSON.stringify(account), '"clear"}')
  })

  it.each([
    ["ann@example.com", "employee", "example.com"],
    ["ann@mail.example.com", "employee", "mail.example.com"],
    ["ann@notexample.com", "customer", "notexample.com"],
    ["ann", "customer", ""],
    ["example.com", "customer", ""]
  ] as const)("puts %s into the class %s, with the domain %j", (identity_name, expected, domain) => {
    assert.deepInclude(summed([credential({ identity_name })])[0], { class: expected, domain })
  })

  it.each([
    [{ hash: null }, "none"],
    [{ hash: "x", hash_type: "bcrypt" }, "hashed"],
    [{ hash: "x", hash_type: "unknown" }, "clear"],
    [{ hash: "x", hash_type: null }, "clear"]
  ])("tells of %j that its password is %s", (fields, expected) => {
    assert.strictEqual(summed([credential(fields)])[0]?.password, expected)
  })

  it.each([
    [{ event_uid: "stealer_log/a/b" }, "yes"],
    [{ event_uid: "paste/a/b" }, "no"],
    [{ source: { id: "x", name: "Mothlamp stealer logs" } }, "yes"],
    [{}, "no"]
  ])("tells whether %j comes from a stealer log", (fields, expected) => {
    assert.strictEqual(summed([credential(fields)])[0]?.stealer_log, expected)
  })

  it("compares the directory's date of the last password change with the last exposure", () => {
    const at = (time: string) => {
      const directory = new Directory()
      directory.set("ann@example.com", { status: "active", passwordChangedAt: Date.parse(time) })
      return directory
    }
    const [before] = summed([credential({})], { directory: at("2026-02-28T23:59:59Z") })
    const [after] = summed([credential({})], { directory: at("2026-03-01T00:00:01Z") })
    assert.deepInclude(before, { status: "active", changed_since: "no" })
    assert.deepInclude(after, { status: "active", changed_since: "yes" })
  })

  it("goes by the times that can be read, and lists accounts without one last", () => {
    const accounts = summed([
      credential({ identity_name: "none@example.com", imported_at: "lately" }),
      credential({ imported_at: undefined }),
      credential({ imported_at: "2026-03-01T00:00:00Z" }),
      credential({ imported_at: "soon" })
    ])
    assert.deepStrictEqual(
      accounts.map(({ account, first_seen, last_seen }) => [account, first_seen, last_seen]),
      [
        ["ann@example.com", "2026-03-01T00:00:00Z", "2026-03-01T00:00:00Z"],
        ["none@example.com", "", ""]
      ]
    )
  })

  it("names the login domains of an account, and lists the most recently seen account first", () => {
    const accounts = summed(
      [
        credential({ identity_name: "old@example.org", imported_at: "2025-01-01T00:00:00Z" }),
        credential({ identity_name: "new@example.org", imported_at: "2026-01-01T00:00:00Z" })
      ],
      { loginDomain: "app.example.com" }
    )
    assert.deepStrictEqual(
      accounts.map(({ account, login_domains }) => [account, login_domains]),
      [
        ["new@example.org", ["app.example.com"]],
        ["old@example.org", ["app.example.com"]]
      ]
    )
    const counts = new AccountCounts()
    for (const account of accounts) counts.add(account)
    assert.include(counts.lines[0], "0 employees, 2 customers")
  })
})
