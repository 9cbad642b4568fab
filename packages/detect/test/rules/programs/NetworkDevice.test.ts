import { assert, it } from "@effect/vitest"
import { Redacted } from "effect"
import { secretOfJunos } from "../../../src/rules/programs/NetworkDevice.ts"
import { candidatesIn } from "../../../src/Text.ts"

/** A synthetic random value. */
const drawn = "q7Zr2Vx9LtWk4Np8Yd3B"

const values = (text: string) => candidatesIn(text, { path: "edge1.cfg" }).map(({ value }) => Redacted.value(value))

it("passwords in clear in the configuration of a device are found", () => {
  for (const line of [
    `snmp-server community ${drawn} RO`,
    `enable password ${drawn}`,
    `username ops privilege 15 password 0 ${drawn}`,
    `crypto isakmp key ${drawn} address 0.0.0.0`,
    ` ppp chap password 0 ${drawn}`,
    `line vty 0 4\n transport input ssh\n password ${drawn}`,
    `radius server A\n address ipv4 10.0.0.1 auth-port 1812\n key ${drawn}`,
    ` neighbor 10.0.0.2 password ${drawn}`,
    ` ip ospf message-digest-key 1 md5 ${drawn}`,
    `snmp-server user ops staff v3 auth sha ${drawn}`,
    `set system radius-server 10.0.0.1 port 1812 secret ${drawn}`,
    `set snmp community ${drawn} authorization read-only`,
    `set security ike policy a pre-shared-key ascii-text "${drawn}"`
  ]) {
    assert.deepStrictEqual(values(`hostname edge1\n${line}\n`), [drawn], line)
  }
})

it("angle brackets can be part of a password, or mark a placeholder", () => {
  assert.deepStrictEqual(values("tacacs-server key mVT7[eQLe<m_)Dbg\n"), ["mVT7[eQLe<m_)Dbg"])
  assert.deepStrictEqual(values("tacacs-server key <key-of-server7>\n"), [])
})

it("a hash, a public community and a sentence are not", () => {
  for (const line of [
    "snmp-server community public RO",
    "no enable password ",
    "To set one, type: enable password followed by it"
  ]) {
    assert.deepStrictEqual(values(`${line}\n`), [], line)
  }
})

it("a password that Junos has obfuscated is read", () => {
  // The example in the documentation of Crypt::Juniper.
  assert.strictEqual(secretOfJunos("$9$LbHX-wg4Z"), "lc")
})
