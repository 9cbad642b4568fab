import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import {
  Credential,
  CredentialPage,
  credentialPageWith,
  CredentialSearch,
  passwordFormOf
} from "@threat-exposure/core/domain/Credential"
import { Secret } from "../../src/promise/Secret.ts"
import { onWire } from "@threat-exposure/core/testing/Arbitraries"
import { credential, credentialPage } from "@threat-exposure/core/testing/Samples"

const decode = Schema.decodeUnknownSync(Credential)
const decodePage = Schema.decodeUnknownSync(CredentialPage)

/** The schema of a page in the Promise client. */
const secretSchema = Schema.String.pipe(
  Schema.decodeTo(
    Schema.instanceOf(Secret),
    SchemaTransformation.transform({ decode: (text) => new Secret(text), encode: (secret) => secret.reveal() })
  )
)
const SecretPage = credentialPageWith(secretSchema, (text) => new Secret(text))
const decodeSecretPage = Schema.decodeUnknownSync(SecretPage)
const schemas: ReadonlyArray<Schema.Codec<unknown, unknown>> = [CredentialPage, SecretPage]

const without = (...fields: ReadonlyArray<string>) =>
  Object.fromEntries(Object.entries(credential()).filter(([field]) => !fields.includes(field)))

describe("reading", () => {
  it("keeps every field of docs/api.md#credential", () => {
    const { hash, ...given } = credential()
    const { hash: read, ...fields } = decode(credential())
    assert.deepStrictEqual(fields, given)
    assert.strictEqual(read === null ? null : Redacted.value(read), hash)
  })

  it("ignores unknown fields", () => {
    const source = { ...credential().source, added: 1 }
    assert.deepStrictEqual(decode({ ...credential(), added: {}, source }), decode(credential()))
  })

  it("ignores them in a page too, even if other fields are absent", () => {
    const added = { added: 1, also: null }
    const few = without("auth_domains", "urls")
    const fewer = without("auth_domains", "urls", "domain", "event_uid")
    const source = { ...credential().source, ...added }
    const { url: _url, ...sourceWithout } = source
    const items = [
      { ...few, ...added },
      { ...few, added: 1 },
      { ...fewer, ...added },
      { ...few, source },
      { ...few, source: sourceWithout },
      { ...credential(), ...added, urls: null }
    ]
    const known = Object.keys(credential())
    for (const read of decodePage({ items, next: null }).items) {
      assert.isEmpty(Object.keys(read).filter((field) => !known.includes(field)))
      assert.sameMembers(Object.keys(read.source ?? {}), Object.keys(credential().source ?? {}))
      for (const promised of Object.keys(few)) assert.property(read, promised)
    }
  })

  it("does not change its input", () => {
    const given = { items: [credential(), without("domain")], next: null }
    const before = JSON.stringify(given)
    decodePage(given)
    decodeSecretPage(given)
    assert.strictEqual(JSON.stringify(given), before)
  })

  it("reads optional fields that are absent as null", () => {
    const read = decode(without("credential_hash", "event_uid", "known_password_id", "hash_type", "domain", "hash"))
    assert.deepStrictEqual(
      [read.credential_hash, read.event_uid, read.known_password_id, read.hash_type, read.domain, read.hash],
      [null, null, null, null, null, null]
    )
  })

  it("takes an absent source_id from the source, or the empty string without one", () => {
    assert.strictEqual(decode(without("source_id")).source_id, "example-breach")
    assert.strictEqual(decode(without("source_id", "source")).source_id, "")
    assert.strictEqual(decode({ ...credential(), source_id: null, source: null }).source_id, "")
  })

  it("reads a source without pii_tags and url, and a null source", () => {
    const { pii_tags: _tags, url: _url, ...source } = { ...credential().source, id: "s" }
    const read = decode({ ...credential(), source })
    assert.deepStrictEqual([read.source?.pii_tags, read.source?.url], [null, null])
    assert.isNull(decode({ ...credential(), source: null }).source)
  })

  it("has auth_domains and urls only if they were sent", () => {
    assert.notProperty(decode(without("auth_domains")), "auth_domains")
    assert.notProperty(decode({ ...credential(), urls: null }), "urls")
    assert.deepStrictEqual(decode(without("auth_domains")).urls, credential().urls)
  })

  it("keeps microseconds", () => {
    assert.strictEqual(decode(credential()).imported_at, "2026-01-02T03:04:05.678901Z")
  })

  it("reads a page whose next is absent as the last", () => {
    assert.isNull(decodePage({ items: [] }).next)
    assert.strictEqual(decodePage({ items: [], next: "cursor" }).next, "cursor")
  })

  it("refuses an object that is not a page, because it would end the listing", () => {
    assert.throws(() => decodePage({}), /Missing key/u)
    assert.throws(() => decodePage({ message: "accepted" }), /Missing key/u)
  })

  it("reports which item of a page is wrong", () => {
    const page = credentialPage(3)
    const items = (page.items ?? []).with(1, { ...credential(), id: 0.5 })
    assert.throws(() => decodePage({ ...page, items }), /\["items"\]\[1\]\["id"\]/u)
  })
})

describe("a page decodes as its credentials do", () => {
  const mutation = Arbitrary.schema(
    Schema.Struct({
      field: Schema.Literals([...Object.keys(credential()), "source.id", "source.pii_tags", "source.is_alert_enabled"]),
      value: Schema.NullOr(Schema.Literals([0, 0.5, "", "x", true]))
    })
  )

  // Compares as data, because the order of keys is not promised.
  const attempt = (read: () => unknown): unknown => {
    try {
      return JSON.parse(JSON.stringify(read()))
    } catch {
      return "refused"
    }
  }

  it.prop("whatever their content and their faults", [onWire(Credential), mutation], ([given, { field, value }]) => {
    const broken = field.startsWith("source.")
      ? { ...given, source: { ...credential().source, [field.slice(7)]: value } }
      : { ...given, [field]: value }
    for (const item of [given, broken]) {
      const read = attempt(() => decode(item))
      for (const page of [decodePage, decodeSecretPage]) {
        assert.deepStrictEqual(
          attempt(() => page({ items: [item] }).items[0]),
          read
        )
      }
    }
  })
})

describe("a hash never shows", () => {
  const secret = ["correct", "horse"].join("-")
  const page = { items: [credential({ hash: secret })] }
  const [read] = decodePage(page).items
  const [given] = decodeSecretPage(page).items
  const search = Schema.decodeUnknownSync(CredentialSearch)({ query: { type: "secret", secret } })

  for (const [name, value] of Object.entries({
    credential: read,
    hash: read?.hash,
    given,
    secret: given?.hash,
    search
  })) {
    it(`of ${name}: printed, serialised, inspected or cloned`, () => {
      const shown = [
        String(value),
        `${value}`,
        JSON.stringify(value),
        inspect(value, { depth: 9, showHidden: true }),
        inspect(value, { depth: 9, customInspect: false }),
        inspect(structuredClone(value), { depth: 9, showHidden: true }),
        JSON.stringify(Object.entries({ ...value }))
      ]
      for (const text of shown) assert.notInclude(text, secret)
    })
  }

  it("in the message of an error beside it", () => {
    const wrong = credential({ hash: secret })
    for (const item of [
      { ...wrong, id: "x" },
      { ...wrong, hash: { secret } },
      { ...wrong, hash: [secret] }
    ]) {
      for (const page of schemas) {
        const exit = Schema.decodeUnknownExit(page)({ items: [item] })
        assert.isTrue(Exit.isFailure(exit))
        assert.notInclude(inspect(exit, { depth: 12, showHidden: true }), secret)
        assert.notInclude(String(exit), secret)
      }
    }
  })

  it("but is printed as redacted", () => {
    for (const shown of [read, given]) assert.include(inspect(shown), "hash: <redacted>")
    assert.include(inspect(decodePage({ items: [credential({ hash: null })] })), "hash: null")
  })

  it("and is redacted when it is first read, because ten thousand `Redacted` cost more than decoding them", () => {
    const [first] = decodePage({ items: [credential({ hash: secret })] }).items
    assert.strictEqual(first?.hash, first?.hash)
    assert.strictEqual({ ...first }.hash, first?.hash)
  })

  it("and can be left out or deleted by a program that passes on the rest", () => {
    for (const found of [...decodePage(page).items, ...decodeSecretPage(page).items]) {
      const { hash: _, ...rest } = found
      assert.isTrue(Reflect.deleteProperty(found, "hash"))
      assert.deepStrictEqual({ ...found }, rest)
      assert.notProperty(found, "hash")
    }
  })

  it("and is revealed on request", () => {
    assert.strictEqual(read?.hash === null || read === undefined ? null : Redacted.value(read.hash), secret)
    assert.strictEqual(given?.hash?.reveal(), secret)
    assert.deepStrictEqual(
      Schema.encodeSync(SecretPage)(decodeSecretPage(page)),
      Schema.encodeSync(CredentialPage)(decodePage(page))
    )
  })
})

describe("the form of a password", () => {
  it("is clear unless the service names the kind of hash", () => {
    const formOf = (fields: Parameters<typeof credential>[0]) => passwordFormOf(decode(credential(fields)))
    assert.strictEqual(formOf({ hash: "a", hash_type: null }), "clear")
    assert.strictEqual(formOf({ hash: "a", hash_type: "unknown" }), "clear")
    assert.strictEqual(formOf({ hash: "a", hash_type: "sha1" }), "hashed")
    assert.strictEqual(formOf({ hash: null, hash_type: "sha1" }), "none")
  })
})
