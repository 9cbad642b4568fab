import { assert, describe, it } from "@effect/vitest"
import { assignedName, isStandIn } from "@threat-exposure/detect/text/AssignedName"
import { candidatesIn } from "@threat-exposure/detect/Text"

const value = ["quiet", "Otter", "7316", "lantern!"].join("-")

describe("assignedName", () => {
  it("is the name that the value is assigned to, in source code, settings, markup and shells", () => {
    for (const [before, name] of [
      ["DATABASE_PASSWORD=", "DATABASE_PASSWORD"],
      ["export DATABASE_PASSWORD='", "DATABASE_PASSWORD"],
      ["  password: ", "password"],
      ['  "apiKey": "', "apiKey"],
      ['const apiKey: string = "', "apiKey"],
      ['const apiKey = "', "apiKey"],
      ["apiKey := `", "apiKey"],
      ["'secret' => '", "secret"],
      ["spring.datasource.password=", "spring.datasource.password"],
      ['config["token"] = "', "token"],
      ['password = b"', "password"],
      ["<password>", "password"],
      ['<add password="', "password"],
      ["Authorization: Bearer ", "Authorization"],
      ['{\\"token\\": \\"', "token"],
      ["", undefined],
      ["see ", undefined],
      ["https://user:", undefined],
      ["smtp://mailer@example.net:", undefined],
      [`${"x".repeat(300)}=`, undefined]
    ] as const) {
      assert.strictEqual(assignedName(before), name, before)
    }
  })

  it("recognises names of placeholders", () => {
    for (const name of ["DUMMY_SECRET", "fakeToken", "example-key"]) assert.isTrue(isStandIn(name), name)
    for (const name of ["CLIENT_SECRET", "examplesKey", ""]) assert.isFalse(isStandIn(name), name)
  })

  it("is in every candidate with one, whichever rule found it", () => {
    const token = ["gh", "p_", "x7Kq2mVb9TzR4wLc8NfJ5hYd3sPg6uEa1QiX"].join("")
    const found = candidatesIn(`DATABASE_PASSWORD=${value}\nGITHUB_TOKEN=${token}\ncurl -u x:${value} example.com\n`, {
      path: "deploy.env"
    })
    assert.includeDeepMembers(
      found.map(({ name }) => name),
      ["DATABASE_PASSWORD", "GITHUB_TOKEN"]
    )
  })
})
