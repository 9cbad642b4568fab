import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { directoryColumns, readDirectory } from "@threat-exposure/cli/accounts/Directory"
import { Effect, FileSystem } from "effect"

const read = (text: string | Uint8Array, columns: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const file = yield* files.makeTempFileScoped()
    yield* files.writeFile(file, typeof text === "string" ? new TextEncoder().encode(text) : text)
    return yield* readDirectory(file, yield* directoryColumns(columns))
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

describe("the directory of users", () => {
  it.effect("reads status words and dates, in any order of columns", () =>
    Effect.gen(function* () {
      const directory = yield* read(
        '\uFEFFPassword_Changed_At,name,EMAIL,status\n2026-01-02,"Ann, A.",Ann@Example.com,ENABLED\n,Bob,bob@example.com,suspended\nsoon,Cy,cy@example.com,on leave\n'
      )
      assert.deepStrictEqual(
        Array.from(directory.addresses, (address) => [address, directory.get(address)]),
        [
          ["ann@example.com", { status: "active", passwordChangedAt: Date.parse("2026-01-02T00:00:00Z") }],
          ["bob@example.com", { status: "gone", passwordChangedAt: undefined }],
          ["cy@example.com", { status: "unknown", passwordChangedAt: undefined }]
        ]
      )
    })
  )

  it.effect.each([
    ["semicolons", 'email;name;status\nann@example.com;"Ann; A, B, C";active\n'],
    ["semicolons, all cells quoted", '\uFEFF"Name";"Email";"Status"\r\n"Ann, A, B, C";"ann@example.com";"active"\r\n'],
    ["tabs", "name\tstatus\temail\nAnn, A; B\tactive\tann@example.com\n"],
    ["carriage returns at the ends of lines", "name,status,email\rAnn,active,ann@example.com\r"],
    ["UTF-16, as Windows PowerShell writes it", Buffer.from("\uFEFFname;email\r\nAnn;ann@example.com\r\n", "utf16le")],
    ["one column alone", "email\nann@example.com\n"]
  ] as const)("reads %s", ([, text]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual([...(yield* read(text)).addresses], ["ann@example.com"])
    })
  )

  it.effect("accepts other names of columns", () =>
    Effect.gen(function* () {
      const directory = yield* read("Mail,State\nann@example.com,true\n", ["email=Mail", "status=State"])
      assert.strictEqual(directory.get("ann@example.com")?.status, "active")
    })
  )

  it.effect.each([
    ["name,mail\nAnn,ann@example.com\n", [], "no column email"],
    ['email\n"ann@example.com\n', [], "is not CSV"],
    ["email\n", ["mail=Mail"], "not FIELD=COLUMN with a field of email"]
  ] as const)("refuses %j and says why", ([text, columns, word]) =>
    Effect.gen(function* () {
      assert.include((yield* Effect.flip(read(text, columns))).message, word)
    })
  )
})
