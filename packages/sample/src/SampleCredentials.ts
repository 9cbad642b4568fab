import { hash } from "node:crypto"
import type { Credential } from "@threat-exposure/core/domain/Credential"
import { SeededRandom, lower, digits } from "./SeededRandom.ts"
import { breaches, firstNames, lastNames, mailDomains, passwordWords, plain, services } from "./SampleNames.ts"
import { type LeakedSecret, leakedSecrets } from "./LeakedSecrets.ts"
import type { SampleDates } from "./SampleDates.ts"
import type { SampleEvent } from "./SampleEvents.ts"

export type WireCredential = typeof Credential.Encoded & {
  readonly id: number
  readonly identity_name: string
  readonly imported_at: string
}

/** The leaked secrets, followed by several hundred passwords of fictitious people. */
export const sampleCredentials = (
  dates: SampleDates,
  events: ReadonlyArray<SampleEvent>
): ReadonlyArray<WireCredential> => {
  const random = new SeededRandom(7)
  const leakedIn = new Map(
    events.flatMap(({ data, event_type, metadata }) =>
      event_type === "leaked_credential" && data !== null && typeof data === "object" && "identity_name" in data
        ? [[data.identity_name, metadata.uid] as const]
        : []
    )
  )
  const credentials: Array<WireCredential> = []
  const add = (
    credential: Omit<WireCredential, "id" | "source_id" | "domain" | "credential_hash" | "event_uid">,
    breach: Breach
  ) => {
    const { identity_name, hash: password } = credential
    credentials.push({
      id: 700_001 + credentials.length,
      source_id: breach.id,
      domain: identity_name.split("@")[1] ?? null,
      credential_hash: hash("sha256", `${identity_name}\0${password ?? ""}`, "hex"),
      event_uid: leakedIn.get(identity_name) ?? null,
      ...credential,
      source: sourceOf(breach, dates)
    })
  }

  const wanted: ReadonlyArray<readonly [LeakedSecret, string]> = [
    [leakedSecrets.accessKeyId, "deploy-bot@example.com"],
    [leakedSecrets.secretAccessKey, "deploy-bot@example.com"],
    [leakedSecrets.sourceHostToken, "ci@example.com"],
    [leakedSecrets.databasePassword, "shop-db@example.com"],
    [leakedSecrets.paymentsToken, "checkout@example.com"]
  ]
  for (const [index, [{ value }, identity_name]] of wanted.entries()) {
    add(
      {
        identity_name,
        imported_at: dates.before(1.5 + index * 2.25, random),
        hash: value,
        hash_type: null,
        known_password_id: 40_001 + index,
        auth_domains: ["shop.example.com"],
        urls: ["https://shop.example.com/admin"]
      },
      stealerLogs
    )
  }

  for (let count = 0; count < 420; count += 1) {
    const first = random.pick(firstNames)
    const last = random.pick(lastNames)
    const password = `${random.pick(passwordWords)}${random.pick(["", "-", "_", "!"])}${random.pick(passwordWords)}${random.text(digits, 2)}`
    const hashed = random.chance(0.25)
    const seenAt = random.pickSome(services, random.integer(0, 3))
    add(
      {
        identity_name: `${plain(first)}${random.pick([".", "_", ""])}${plain(last)}@${random.pick(mailDomains)}`,
        imported_at: dates.before(random.chance(0.15) ? random.fraction() * 28 : 30 + random.fraction() * 700, random),
        hash: hashed ? hash("sha1", `${random.text(lower, 8)}${password}`, "hex") : password,
        hash_type: hashed ? "sha1" : random.pick([null, "unknown"]),
        known_password_id: hashed ? null : 50_000 + random.integer(1, 9_999),
        auth_domains: seenAt.map((url) => new URL(url).hostname),
        urls: [...seenAt]
      },
      random.pick(breaches)
    )
  }
  return credentials
}

type Breach = (typeof breaches)[number]

const stealerLogs = breaches[5]

const sourceOf = ({ id, name, tags, url }: Breach, dates: SampleDates) => {
  const age = 40 + (hash("sha1", id).codePointAt(0) ?? 0) * 4
  return {
    id,
    name,
    description_en: `Accounts said to be from ${name}. Invented, as everything in the sample data set.`,
    description_fr: `Comptes attribués à ${name}. Inventé, comme tout l'échantillon.`,
    breached_at: `${dates.dayBefore(age + 60)}T00:00:00Z`,
    leaked_at: `${dates.dayBefore(age)}T00:00:00Z`,
    is_alert_enabled: true,
    pii_tags: [...tags],
    url
  }
}
