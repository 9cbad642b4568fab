/** The credentials that the measurements of packages/core read: people who do not exist, the same ones in every run. */

export const pageSize = 10_000

/** Everybody is found by it. */
export const query = { type: "domain", fqdn: "example.com" } as const

/** As the wire has it; every id has ten digits. */
export const credentialAt = (index: number) => {
  const user = (index * 7_919) % 1_000_003
  const domain = `mail${(index * 31) % 20_011}.example.com`
  const source = index % 40
  return {
    id: 1_000_000_000 + index,
    identity_name: `person.${user}@${domain}`,
    domain,
    source_id: `breach-${source}`,
    imported_at: new Date(1_600_000_000_000 + index * 60_000).toISOString().replace("Z", "123Z"),
    hash: `correct-horse-${(index * 131) % 400_009}`,
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

/** The text of a page; `next` is as wide for every page. */
export const pageText = (number: number, isLast = false): string =>
  JSON.stringify({
    items: Array.from({ length: pageSize }, (_, at) => credentialAt(number * pageSize + at)),
    next: isLast ? null : cursorAfter(number)
  })

export const cursorAfter = (number: number): string => `page-${String(number + 1).padStart(10, "0")}`

export const numberOf = (cursor: string | null | undefined): number => (cursor == null ? 0 : Number(cursor.slice(5)))
