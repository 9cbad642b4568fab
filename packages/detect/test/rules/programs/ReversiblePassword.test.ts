import { createCipheriv } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { candidatesIn } from "../../../src/Text.ts"

const values = (text: string, path: string) => candidatesIn(text, { path }).map(({ value }) => Redacted.value(value))

/** The public key in MS-GPPREF, section 2.2.1.1.4. */
const groupPolicyKey = Buffer.from("4e9906e8fcb66cc9faf49310620ffee8f496e806cc057990209b09a433b66c1b", "hex")
const encryptForGroupPolicy = (password: string): string => {
  const cipher = createCipheriv("aes-256-cbc", groupPolicyKey, Buffer.alloc(16))
  return Buffer.concat([cipher.update(password, "utf16le"), cipher.final()])
    .toString("base64")
    .replace(/=+$/, "")
}

/** The key in `fs/config/obscure` of rclone. */
const rcloneKey = Buffer.from("9c935b48730a554d6bfd7c63c886a92bd390198eb8128afbf4de162b8b95f638", "hex")
const obscure = (password: string): string => {
  const counter = Buffer.from("q7zk2mxv9ltw4rbn")
  const cipher = createCipheriv("aes-256-ctr", rcloneKey, counter)
  return Buffer.concat([counter, cipher.update(password, "utf8"), cipher.final()]).toString("base64url")
}

describe("a password that is encrypted with a public key", () => {
  it.each(["Vq7mXt92LkPw", "Vq7m-Xt92+LkPw.8z", "Größe-42-Xt92"])("cpassword of Group Policy: %s", (password) => {
    const text = `<Properties action="U" cpassword="${encryptForGroupPolicy(password)}" userName="Administrator"/>`
    assert.deepStrictEqual(values(text, "Policies/Groups.xml"), [password])
  })

  it("has the place of what is written", () => {
    const written = encryptForGroupPolicy("Vq7mXt92LkPw")
    const [found] = candidatesIn(`<Properties cpassword="${written}"/>`, { path: "Drives.xml" })
    assert.deepInclude(found?.location, { column: 24, endColumn: 24 + written.length })
  })

  it.each(["", "q8Zk2mXv5TtLw7RbN1yHcw", "q8Zk2mXv5TtLw7RbN1yHcwQ"])(
    "no cpassword that nobody can read: %s",
    (written) => {
      assert.deepStrictEqual(values(`<Properties cpassword="${written}"/>`, "Groups.xml"), [])
    }
  )

  it.each([
    ["rclone.conf", (written: string) => `[nas]\ntype = sftp\npass = ${written}`],
    ["rclone.conf", (written: string) => `[box]\ntype = crypt\npassword2 = ${written}`],
    ["nas.env", (written: string) => `RCLONE_CONFIG_NAS_PASS=${written}`]
  ])("pass of rclone in %s", (path, write) => {
    assert.deepStrictEqual(values(write(obscure("Vq7mXt92LkPw")), path), ["Vq7mXt92LkPw"])
  })

  it("of rclone, as its own tests have it", () => {
    const text = "[nas]\npass = YWFhYWFhYWFhYWFhYWFhYXMaGgIlEQ\n"
    const found = candidatesIn(text, { path: "rclone.conf" }, { minConfidence: 0.001 })
    assert.deepStrictEqual(
      found.map(({ value }) => Redacted.value(value)),
      ["potato"]
    )
  })
})
