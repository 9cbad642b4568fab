import { assert, it } from "@effect/vitest"
import { Redacted } from "effect"
import { candidatesIn } from "../../src/Text.ts"

const values = (text: string, path: string) => candidatesIn(text, { path }).map(({ value }) => Redacted.value(value))

/** A synthetic random value. */
const drawn = "q7Zr2Vx9LtWk4Np8Yd3Bq7Zr2Vx9LtWk4Np8Yd3B_-"

it("a private key is found in every notation", () => {
  for (const [path, text] of [
    ["a.json", `{"kty": "EC", "key_ops": ["sign"], "d": "${drawn}"}`],
    ["a.js", `const k = { kty: 'OKP', crv: 'Ed25519', d: '${drawn}' }`],
    ["a.js", `const k = {\n  d: "${drawn}",\n  kty: "EC"\n}`],
    ["a.php", `$k = ['kty' => 'oct', 'k' => '${drawn}'];`],
    ["a.php", `$k = array("kty" => "oct", "k" => "${drawn}");`],
    ["a.php", `$k = unserialize('a:2:{s:3:"kty";s:3:"oct";s:1:"k";s:42:"${drawn}";}');`],
    ["a.json", String.raw`{"jwk": "{\"kty\":\"oct\",\"k\":\"${drawn}\"}"}`]
  ] as const) {
    assert.deepStrictEqual(values(text, path), [drawn], text)
  }
})

it("a public key is not a secret", () => {
  assert.deepStrictEqual(values(`{"kty": "EC", "x": "${drawn}"}, {"d": "${drawn}"}`, "a.json"), [])
  assert.deepStrictEqual(values(`const k = { kty: 'RSA', n: '${drawn}', kid: '${drawn}' }`, "a.js"), [])
})
