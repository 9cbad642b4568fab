import { assert, describe, it } from "@effect/vitest"
import { looksRandom } from "@threat-exposure/detect/rules/prose/RandomRuns"
import { hiddenIn, secretsIn, withoutSecrets } from "@threat-exposure/detect/SecretsInText"
import { plantedSecrets, reveals } from "@threat-exposure/detect/testing/PlantedSecrets"

/** Concatenated, so that this file contains no value that looks like a provider's token. */
const key = ["AK", "IA", "Q3EXAMPLE7XN2PLOT"].join("")
const token = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("")

const hidden = (text: string) =>
  hiddenIn(text)
    .map(({ end, start, value }) => {
      assert.strictEqual(text.slice(start, end), value)
      return value
    })
    .toSorted()

describe("SecretsInText", () => {
  const texts: ReadonlyArray<readonly [text: string, ...hidden: ReadonlyArray<string>]> = [
    ["nothing to see here, 12 of 34"],
    ["DB_PASSWORD=tiger", "tiger"],
    ["password: tiger.", "tiger."],
    ['"client_secret": "tiger lily"', "tiger lily"],
    ["api-key => 'tiger'", "tiger"],
    ["jane@example.com:tiger", "tiger"],
    ["jane@example.com|tiger", "tiger"],
    ["jane@example.com;bob@example.com"],
    ["jane@example.com: tiger"],
    ["postgres://app:tiger@db.example.com/x", "tiger"],
    ["https://example.com/a?token=tiger&page=2", "tiger"],
    [`see https://hooks.example.com/${token}/x`, token],
    [`${key} and ${token}`, key, token],
    ["define('DB_PASSWORD', 'tiger')", "tiger"],
    ['<add name="SmtpPassword" value="tiger" />', "tiger"],
    ['<input value="tiger" name="p" type="password">', "tiger"],
    ['<string name="user_password">tiger</string>', "tiger"],
    ["user_pass = MD5('tiger')", "MD5(", "tiger"],
    ["deploy --password tiger --force", "tiger"],
    ["bind 0.0.0.0\nrequirepass tiger", "tiger"],
    ["tool -u jane -p tiger host", "tiger"],
    ["unzip -P tiger2024 a.zip, server -p 8080", "tiger2024"],
    ["try the password “tiger” there", "tiger"],
    ["log in with jane and tiger as the password", "tiger"],
    ["I changed the root password to tiger. The old password was lion, the new one is bear", "tiger", "lion", "bear"],
    ["what is the pass? it's tiger2024", "tiger2024"],
    ["jane@example.com\ntiger\n", "tiger"],
    ["5f4dcc3b5aa765d61d8327deb882cf99:tiger", "5f4dcc3b5aa765d61d8327deb882cf99", "tiger"],
    ["android://AbC==@com.example.app/:jane:tiger", "tiger"],
    ["INSERT INTO t VALUES (7,'jane','jane@example.com','tiger');", "tiger"],
    ["jane@example.com | Summer.Sun | Sweden", "Summer.Sun"],
    ["jane:tiger\njohn:lion", "tiger", "lion"],
    ["jane@example.com, www.example.org"],
    ["user: jane@example.com:tiger", "tiger"],
    ["host: db\npassword: tiger\nport: 5432", "tiger"],
    ["the password tiger still works", "tiger"],
    ["the password still works\nadmin password (required)\nroot password reset"],
    ["'CORP\\jane:tiger' Administrator", "tiger"],
    ["router is on 10.0.0.1, admin/tiger; see 10.0.0.1/admin/users", "tiger"],
    ['connect("localhost", "root", "tiger", "shop")', "tiger"],
    ["bo * tiger *\na * b + c", "tiger"],
    ["<auth-user-pass>\njane\ntiger\n</auth-user-pass>", "tiger"],
    ["db.example:5432:main:jane:tiger", "jane", "tiger"],
    ["main.c:120:8:error:unexpected"],
    ["334 UGFzc3dvcmQ6\ntiger\n235 OK", "tiger"],
    ["redis> AUTH tiger", "tiger"],
    ["a1 LOGIN jane tiger\na1 OK LOGIN done", "tiger"],
    ["WIFI:T:WPA;S:office;P:tiger;;", "tiger"],
    ["hasło to tiger", "tiger"],
    ["keyboard layout\nsecretary general\npassport control\ntokens revoked"],
    ["monkey: tiger"],
    ["the keynote: tiger"],
    ["app password: xkqz bvtw pjmr hlfd", "xkqz bvtw pjmr hlfd"],
    ["SMTP_PASSWORD=wqzk tvbx mrjp dfhl", "wqzk tvbx mrjp dfhl"],
    ["the passphrase is orbit walrus bramble tunnel.", "orbit walrus bramble tunnel"],
    ["recovery codes: 1234-5678 9012-3456 7890-1234", "1234-5678 9012-3456 7890-1234"],
    ["backup codes: 12345 67890, 24680", "12345 67890, 24680"],
    ["app::db_password: tiger", "tiger"],
    ["long-run-without-a-space-password=tiger", "tiger"],
    ["password=null"],
    ["git@git.example.com:acme/shop.git"],
    ["USER: jane_doe\nPASS: tiger9", "tiger9"],
    ["user:tiger_9", "tiger_9"],
    ["git clone git@git.example.com:acme/tools/shop.git now"],
    ["jane $apr1$Xk2v9Lqa$7wYb3dRz0PfNc5tHs8JmE1", "$apr1$Xk2v9Lqa$7wYb3dRz0PfNc5tHs8JmE1"],
    ["0b5e2d1c-5a3f-4c7e-9d61-7f0e5a2c9b48"],
    ["CVE-2024-12345 on Windows-Server-2019, v1.2.3-beta.4"],
    ["forum-thread-2024-january-part2"]
  ]
  it("hides what is certainly a secret, and no words", () => {
    for (const [text, ...expected] of texts) assert.deepStrictEqual(hidden(text), expected.toSorted(), text)
  })

  it("finds what could be a secret by its exact value, without hiding it", () => {
    const found = secretsIn("my Sommer2024! lol")
    assert.deepStrictEqual(
      found.map(({ hidden, value }) => [value, hidden]),
      [
        ["Sommer2024!", false],
        ["Sommer2024", false]
      ]
    )
  })

  const contexts = [
    "key =V",
    "seen :V there",
    "seen V= there",
    "seen x=V== there",
    "jane:V:admin",
    "user=jane&pass=V",
    "p=V&q=1",
    "«V»",
    "« V »",
    "“V”",
    "„V“",
    "‘V’",
    "「V」",
    "（V）",
    "密码：V。",
    "jane—V",
    "V…",
    "\u200bV\u200b",
    "**V**",
    "*V*",
    "__V__",
    "~~V~~",
    "&quot;V&quot;",
    "&lt;password&gt;V&lt;/password&gt;"
  ]
  it.each(contexts)("finds a value by itself in %j", (context) => {
    for (const value of ["Sommer2024!", "kX9vQ2mPz7LwT4ab", "пароль123", "s§mmer€24", "P@ss#w0rd"]) {
      const found = secretsIn(context.replace("V", value))
      assert.isTrue(
        found.some((secret) => secret.value === value),
        value
      )
    }
  })

  it("also finds a value with the signs beside it, which may be part of it", () => {
    for (const value of ["=kX9vQ2mPz7LwT4ab", "kX9vQ2mPz7LwT4ab==", "Sommer2024!:admin", "*Sommer2024*"]) {
      assert.isTrue(
        secretsIn(`jane:${value}`).some((secret) => secret.value === value),
        value
      )
    }
  })

  it("returns the account next to a password", () => {
    assert.deepInclude(secretsIn("jane@example.com:ti:ger")[0], { account: "jane@example.com", value: "ti:ger" })
    assert.deepInclude(secretsIn("ftp://jane:tiger@example.com")[0], { account: "jane", value: "tiger" })
  })

  it("reads a text of a megabyte", () => {
    const text = Array.from({ length: 150_000 }, (_, at) => `w${at}`).join(" ")
    assert.lengthOf(secretsIn(text), 140_000)
  })

  it("distinguishes random from written text", () => {
    for (const text of [key, token, "a1b2c3d4e5f6a7b8c9d0"]) assert.isTrue(looksRandom(text), text)
    for (const text of [
      "internationalization",
      "getUserNameFromDatabase",
      "2024-01-01T00:00:00Z",
      "example-corp-backup-2025"
    ]) {
      assert.isFalse(looksRandom(text), text)
    }
  })

  it("hides the secret of every planted context", () => {
    const told = plantedSecrets().flatMap(({ context, data: { content }, secret }) =>
      typeof content === "string" && reveals(withoutSecrets(content, "*").toLowerCase(), secret) ? [context] : []
    )
    assert.deepStrictEqual(told, [])
  })
})
