import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { credentialFields, path } from "./CredentialFieldsText.ts"

describe("CredentialFields.ts", () => {
  it("is generated from the schemas as they are: `pnpm run fields` writes it again", () => {
    assert.strictEqual(readFileSync(path, "utf8"), credentialFields())
  })
})
