/** People who do not exist, the same ones in every run: what the measurements read, store and look up. */
import { createWriteStream } from "node:fs"
import { once } from "node:events"

export const emailOf = (index: number): string => `${userOf(index)}@${domainOf(index)}`
export const userOf = (index: number): string => `person.${(index * 7_919) % 1_000_003}`
export const domainOf = (index: number): string => `mail${(index * 31) % 20_011}.example.com`
/** Five people in two million share a password. */
export const passwordOf = (index: number): string => `correct-horse-${(index * 131) % 400_009}`

/** A credential in its JSON form; every id has ten digits. */
export const credentialAt = (index: number) => {
  const source = index % 40
  return {
    id: 1_000_000_000 + index,
    identity_name: emailOf(index),
    domain: domainOf(index),
    source_id: `breach-${source}`,
    imported_at: new Date(1_600_000_000_000 + index * 60_000).toISOString().replace("Z", "123Z"),
    hash: passwordOf(index),
    hash_type: "unknown",
    source: {
      id: `breach-${source}`,
      name: `Breach ${source}`,
      description_en: "A synthetic breach, described in some words",
      description_fr: null,
      breached_at: null,
      leaked_at: null,
      is_alert_enabled: true,
      pii_tags: ["email"],
      url: null
    },
    known_password_id: null,
    credential_hash: "0123456789abcdef0123456789abcdef",
    event_uid: `leak/breach-${source}/${index}`
  }
}

/** The domain of 200,000 accounts in two million, for pages of 10,000. */
export const largeDomain = "example.net"

/** Up to `count` indexes that are spread over all credentials, without those of `largeDomain`. */
export const spreadIndexes = (count: number, credentials: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, at) => (at * 9_973) % credentials).filter((index) => !isOfLargeDomain(index))

export const searchByEmail = (index: number) => ({ query: { type: "email", email: emailOf(index) } })

const isOfLargeDomain = (index: number): boolean => index % 10 === 9

/** The rows are in no order of time; a tenth of them belong to `largeDomain`. */
export const writeCredentials = async (file: string, count: number, first = 0): Promise<void> => {
  const output = createWriteStream(file, { highWaterMark: 1_048_576 })
  for (let from = 0; from < count; from += 1_000) {
    const lines = Array.from({ length: Math.min(1_000, count - from) }, (_, at) => lineOf(first + from + at))
    if (!output.write(lines.join(""))) await once(output, "drain")
  }
  output.end()
  await once(output, "finish")
}

const lineOf = (index: number): string => {
  const domain = isOfLargeDomain(index) ? largeDomain : domainOf(index)
  const importedAt = new Date(1_600_000_000_000 + ((index * 104_729) % 150_000_000) * 1_000).toISOString()
  return `${JSON.stringify({
    ...credentialAt(index),
    identity_name: `${userOf(index)}@${domain}`,
    domain,
    imported_at: importedAt.replace("Z", "123Z"),
    auth_domains: [`app${index % 997}.example.org`]
  })}\n`
}
