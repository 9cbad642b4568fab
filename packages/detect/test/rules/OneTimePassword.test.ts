import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { candidatesIn } from "../../src/Text.ts"

const values = (text: string, path: string) => candidatesIn(text, { path }).map(({ value }) => Redacted.value(value))

/** A synthetic random value. */
const seed = "KV7QZRXW3NHLTJ2F"
const inGroups = "KV7Q ZRXW 3NHL TJ2F"

describe("a seed of one-time passwords", () => {
  const cases: ReadonlyArray<readonly [what: string, path: string, text: string]> = [
    ["as an argument", "a.py", `totp = pyotp.TOTP("${seed}")`],
    ["beside a code", "a.go", `if !totp.Validate(code, "${seed}") { return }`],
    ["of a class", "A.java", `GoogleAuthenticator ga = new GoogleAuthenticator(); ga.authorize("${seed}", code);`],
    ["in a variable", "a.py", `SEED = "${seed}"\ncode = pyotp.TOTP(SEED).now()`],
    ["decoded", "a.swift", `let key = base32DecodeToData("${seed}")`],
    ["in a method of an authenticator", "a.php", `$ga->getCode('${seed}');`],
    ["in a setting", "a.env", `TWO_FACTOR_KEY=${seed}`],
    ["in a setting named for it", "a.yml", `otp: ${seed}`],
    ["in a group of settings", "a.yml", `mfa:\n  enabled: true\n  seed: "${seed}"`],
    ["in a name without a separator", "a.env", `smsotp=${seed}`],
    ["in a vault's export", "a.json", `{"login":{"username":"me","password":null,"totp":"${seed}"}}`],
    ["in a column", "a.csv", `name,login_uri,login_password,login_totp\nx,https://example.com,,${seed}`],
    ["of a command", "a.sh", `oathtool --totp -b ${seed}`],
    ...["totp", "TOTP", "HOTP", "userTotp", "Otp", "otpauth", "2FA", "enable_2fa", "isMFARequired", "TwoFactor"].map(
      (word) => [`in a text with ${word}`, "a.txt", `${word}\n${seed}\n`] as const
    ),
    ["in a sentence", "a.md", `The 2FA seed of the build account is \`${seed}\`.`],
    ["as an app shows it", "a.txt", `Authenticator key: ${inGroups}`],
    ["in lower case", "a.txt", `MFA setup key: ${inGroups.toLowerCase()}`],
    ["in the file of a login module", ".google_authenticator", `${seed}\n" RATE_LIMIT 3 30\n" TOTP_AUTH\n11694085\n`]
  ]
  for (const [what, path, text] of cases) {
    it(what, () => assert.deepStrictEqual(values(text, path), [seed]))
  }
})

describe("is no seed", () => {
  const cases: ReadonlyArray<readonly [what: string, path: string, text: string]> = [
    ["a code", "a.py", `otp = "482913"`],
    ["a setting of words", "a.yml", `otp: required\nmfa: ENFORCEDFOREVERYBODY`],
    ["words in groups of four", "a.txt", `For MFA they just have this code when they need that.`],
    ["a part of a longer value", "a.ts", `fetch("/otp/${seed}")`],
    ...["footprint", "HOTPLUG", "Hotpatch", "getHotPath", "LLVMFatal", "0x2fa", "%2Fa", "commitFailed"].map(
      (word) => [`beside ${word}, which only contains the letters`, "a.txt", `${word}\n${seed}\n`] as const
    ),
    ["a table of hexadecimal numbers", "a.txt", "2FA3 3BEC 3BF2 3BF3 3BF4 6A7D 6A7E"],
    ["base32 of another file", "a.py", `ORDER = "${seed}"`],
    ["the seed of every tutorial", "a.py", `pyotp.TOTP("JBSWY3DPEHPK3PXP")`]
  ]
  for (const [what, path, text] of cases) {
    it(what, () => assert.deepStrictEqual(values(text, path), []))
  }
})
