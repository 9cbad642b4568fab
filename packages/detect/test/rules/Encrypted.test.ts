/** A value that is useless without another secret is no candidate; one that works by itself is. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { seededRandom } from "../../testing/ValueGenerators.ts"
import { candidatesIn } from "../../src/Text.ts"

const random = seededRandom(11)
const bytes = (length: number) => Array.from({ length }, () => random.between(1, 255))
const base64 = (data: ReadonlyArray<number>) => Buffer.from(data).toString("base64")
const token = (length: number) => Buffer.from(bytes(length)).toString("base64url")
const lines = (text: string) => text.match(/.{1,64}/g)?.join("\n") ?? ""
const block = (label: string, data: ReadonlyArray<number>) =>
  `-----BEGIN ${label}-----\n\n${lines(base64(data))}\n-----END ${label}-----\n`

/** Concatenated, so that this file contains nothing that looks like a key. */
const keyLabel = ["PRIVATE", "KEY"].join(" ")

/** "openssh-key-v1", then the length and the name of the cipher. */
const openssh = (cipher: string) =>
  block(`OPENSSH ${keyLabel}`, [
    ...Buffer.from(`openssh-key-v1\0\0\0\0${String.fromCharCode(cipher.length)}${cipher}`, "latin1"),
    ...bytes(300)
  ])

/** RFC 9580, section 5.5.3: a version 4 RSA key, whose public numbers are followed by the usage octet. */
const pgp = (usage: number) => {
  const key = [4, ...bytes(4), 1, 8, 0, 0x80, ...bytes(255), 0, 17, 1, 0, 1, usage, ...bytes(600)]
  return block(`PGP ${keyLabel} BLOCK`, [0x95, key.length >> 8, key.length & 255, ...key])
}

const joined = (key: string) =>
  `String key = ${key.trim().replace(/^.*$/gm, '"$&\\\\n"').replaceAll("\n", " +\n    ")};\n`

const jwe = [
  `${Buffer.from('{"alg":"dir","enc":"A256GCM"}').toString("base64url")}.`,
  token(12),
  token(40),
  token(16)
].join(".")
const words = "have dog carbon sure evoke legal winner thank year wave sausage worth"

describe("encrypted values", () => {
  it.each([
    ["an OpenSSH key", "id_ed25519", openssh("none"), 1],
    ["an OpenSSH key under a passphrase", "id_ed25519", openssh("aes256-ctr"), 0],
    ["a PGP key", "key.asc", pgp(0), 1],
    ["a PGP key under a passphrase", "key.asc", pgp(254), 0],
    ["the same in base64", "secret.yaml", `data:\n  id: ${btoa(openssh("aes256-ctr"))}\n`, 0],
    ["the same without one, in base64", "secret.yaml", `data:\n  id: ${btoa(openssh("none"))}\n`, 1],
    ["the same in the strings of a program", "Key.java", joined(openssh("aes256-ctr")), 0],
    ["the same without one, in strings", "Key.java", joined(openssh("none")), 1],
    ["a recipient of age", "app.yaml", `age_key: age1${"q7k2m9xv".repeat(8).slice(0, 58)}\n`, 0],
    ["the public half of a key of NATS", "app.yaml", `account_key: A${"Q7KMXV2L".repeat(7).slice(0, 55)}\n`, 0],
    ["a value of Mule", "app.properties", `db.password=![${base64(bytes(24))}]\n`, 0],
    ["the salt of a hash", "key.ppk", `Argon2-Salt: ${Buffer.from(bytes(16)).toString("hex")}\n`, 0],
    ["clear text behind a message", "notes.txt", `${block("PGP MESSAGE", bytes(200))}\npassword = ${token(14)}\n`, 1],
    ["a password that is a JWE", "app.yml", `password: ${jwe}`, 0],
    ["a token that is a JWE", "prod.env", `SESSION_TOKEN=${jwe}`, 1],
    ["a bearer token that is a JWE", "call.sh", `curl -H "Authorization: Bearer ${jwe}" https://api.example.org`, 1],
    ["DPAPI, in base64", "app.env", `PASSWORD=AQAAANCMnd8BFdERjHoAwE/Cl+sBAAAA${token(40)}`, 0],
    ["DPAPI, in hexadecimal", "a.rdp", `password 51:b:01000000D08C9DDF0115D1118C7A00C04FC297EB01000000A1B2C3D4`, 0],
    ["crypt of FileZilla", "sitemanager.xml", `<Pass encoding="crypt" pubkey="${token(32)}">${token(40)}</Pass>`, 0],
    ["OpenSSL with a passphrase", "app.env", `API_TOKEN=${base64([...Buffer.from("Salted__"), ...bytes(40)])}`, 0],
    [
      "an item of Bitwarden",
      "a.json",
      `{ "password": "2.${base64(bytes(16))}|${base64(bytes(32))}|${base64(bytes(32))}" }`,
      0
    ],
    ["a value of Laravel", "app.env", `API_TOKEN=${btoa('{"iv":"')}${token(60)}`, 0],
    ["the tag of an encrypted value", "bag.json", `{ "auth_tag": "${base64(bytes(16))}" }`, 0],
    [
      "a password of WinSCP for another account",
      "WinSCP.ini",
      `Password=A35C${Buffer.from(bytes(50)).toString("hex").toUpperCase()}`,
      0
    ],
    ["mRemoteNG", "confCons.xml", `<C EncryptionEngine="AES"><Node Password="${base64(bytes(48))}" /></C>`, 0],
    [
      "Navicat",
      "a.ncx",
      `<Connections Ver="1.2"><C Password="${Buffer.from(bytes(16)).toString("hex")}"/></Connections>`,
      0
    ],
    ["Remmina", "db.remmina", `[remmina]\nname=db\npassword=${base64(bytes(10))}\n`, 0],
    ["TeamCity", "project.xml", `<param name="password" value="zxx${Buffer.from(bytes(8)).toString("hex")}" />`, 0],
    ["binary data of the registry", "a.reg", '"Password"=hex:db,d8,3c,fd,72,7a,14,58\n', 0],
    ["the hash of NT in wpa_supplicant", "wpa.conf", `password=hash:${Buffer.from(bytes(16)).toString("hex")}\n`, 0],
    ["the hash of NT in FreeRADIUS", "users", `bob NT-Password := "${Buffer.from(bytes(16)).toString("hex")}"\n`, 0],
    ["a digest of Asterisk", "sip.conf", `md5secret=${Buffer.from(bytes(16)).toString("hex")}\n`, 0],
    ["a digest of ZNC", "znc.conf", `Pass = sha256#${Buffer.from(bytes(32)).toString("hex")}#abcdefghij#\n`, 0],
    [
      "a digest of Tomcat",
      "a.xml",
      `<user password="${Buffer.from(bytes(8)).toString("hex")}$1000$${Buffer.from(bytes(32)).toString("hex")}"/>`,
      0
    ],
    [
      "the secret of a client, whose name ends as that of a hash",
      "a.env",
      `CLIENT_SECRET=${Buffer.from(bytes(32)).toString("hex")}\n`,
      1
    ],
    ["words of a wallet that are also those of a sentence", "wallet.js", `const mnemonic = "${words}"`, 1],
    ["a password that begins like a comment", "mail.properties", `mail.password=#${token(14)}`, 1]
  ])("%s", (_, path, text, count) => {
    assert.lengthOf(candidatesIn(text, { path }), count)
  })

  it("the empty line of a PGP key remains, in whatever notation the key is", () => {
    const key = pgp(0).trim()
    for (const [path, text] of [
      ["a.json", JSON.stringify({ key })],
      ["a.yaml", `key: |\n${key.replace(/^(?=.)/gm, "    ")}\n`],
      ["Key.java", joined(key)]
    ] as const) {
      assert.deepStrictEqual(
        candidatesIn(text, { path }).map(({ value }) => Redacted.value(value).trim()),
        [key],
        path
      )
    }
  })
})
