/** Redacting 500 secrets, ten of them of 64 kB, in 1 MB of JSON, against one `JSON.parse` of the same text. */
import { makeSecretMatcher } from "@threat-exposure/core/redaction/SecretMatcher"
import { credentialAt } from "./SyntheticCredentials.ts"
import { median, printTable } from "./Table.ts"

const rounds = 40
const size = 1_000_000
const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

let state = 1
const draw = (below: number) => {
  state ^= state << 13
  state ^= state >>> 17
  state ^= state << 5
  return (state >>> 0) % below
}
const secretOf = (length: number) => Array.from({ length }, () => base64.charAt(draw(64))).join("")

const secrets = Array.from({ length: 500 }, (_, i) => secretOf(i < 10 ? 65_536 : 8 + draw(56)))
const items: Array<unknown> = []
for (let length = 0; length < size; length += JSON.stringify(items.at(-1)).length + 1)
  items.push(credentialAt(items.length))
const text = JSON.stringify({ items, next: null })

/** CPU time in milliseconds: other programs of the machine count less than in time on the wall. */
const measure = (work: () => unknown): number => {
  const before = process.cpuUsage()
  work()
  const { system, user } = process.cpuUsage(before)
  return (system + user) / 1000
}

const before = process.memoryUsage().arrayBuffers
const matcher = makeSecretMatcher(secrets)
const megabytes = (process.memoryUsage().arrayBuffers - before) / 2 ** 20
if (matcher.redact(`x ${secrets[3]?.slice(500, 520)} y`, "") !== "x  y") throw new Error("The secret was not found")

const times = { parse: new Array<number>(), scrub: new Array<number>(), build: new Array<number>() }
for (let round = 0; round < rounds; round++) {
  times.parse.push(measure(() => JSON.parse(text)))
  times.scrub.push(measure(() => matcher.redact(text, "")))
  times.build.push(measure(() => makeSecretMatcher(secrets)))
}
const parse = median(times.parse)
const milliseconds = (time: number) => `${time.toFixed(1)} ms of CPU`
const row = (what: string, time: number, target: number) => ({
  what,
  ours: milliseconds(time),
  peer: `JSON.parse: ${milliseconds(parse)}`,
  ratio: `${(time / parse).toFixed(1)} times`,
  target: `${target} times`,
  reached: time / parse <= target
})
printTable("Redacting secrets", [
  row(`500 secrets, ten of 64 kB, in ${(text.length / 1e6).toFixed(1)} MB of JSON`, median(times.scrub), 3),
  row("the same with the index of the secrets built anew", median(times.scrub) + median(times.build), 3)
])
console.log(`\nThe index of the secrets takes ${megabytes.toFixed(1)} MB.`)
