import { hash } from "node:crypto"
import type { Credential } from "@threat-exposure/core/domain/Credential"
import type { StoredEvent } from "../events/EventInserts.ts"
import { Draw, lower, digits } from "./Draw.ts"
import { breaches, firstNames, lastNames, mailDomains, passwordWords, services } from "./Invented.ts"
import { type LeakedSecret, leakedSecrets } from "./LeakedSecrets.ts"
import type { Calendar } from "./Calendar.ts"

type WireCredential = typeof Credential.Encoded

/** The leaked secrets first, then several hundred passwords of invented people. */
export const sampleCredentials = (
  calendar: Calendar,
  events: ReadonlyArray<StoredEvent>
): ReadonlyArray<WireCredential> => {
  const draw = new Draw(7)
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
      source: sourceOf(breach, calendar)
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
        imported_at: calendar.before(1.5 + index * 2.25, draw),
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
    const first = draw.one(firstNames)
    const last = draw.one(lastNames)
    const password = `${draw.one(passwordWords)}${draw.one(["", "-", "_", "!"])}${draw.one(passwordWords)}${draw.text(digits, 2)}`
    const hashed = draw.chance(0.25)
    const seenAt = draw.some(services, draw.between(0, 3))
    add(
      {
        identity_name: `${plain(first)}${draw.one([".", "_", ""])}${plain(last)}@${draw.one(mailDomains)}`,
        imported_at: calendar.before(draw.chance(0.15) ? draw.fraction() * 28 : 30 + draw.fraction() * 700, draw),
        hash: hashed ? hash("sha1", `${draw.text(lower, 8)}${password}`, "hex") : password,
        hash_type: hashed ? "sha1" : draw.one([null, "unknown"]),
        known_password_id: hashed ? null : 50_000 + draw.between(1, 9_999),
        auth_domains: seenAt.map((url) => new URL(url).hostname),
        urls: [...seenAt]
      },
      draw.one(breaches)
    )
  }
  return credentials
}

export const plain = (name: string): string =>
  name.normalize("NFKD").replaceAll(/\p{M}/gu, "").replaceAll("ø", "o").replaceAll("Ø", "O").toLowerCase()

type Breach = (typeof breaches)[number]

const stealerLogs = breaches[5]

const sourceOf = ({ id, name, tags, url }: Breach, calendar: Calendar) => {
  const age = 40 + (hash("sha1", id).codePointAt(0) ?? 0) * 4
  return {
    id,
    name,
    description_en: `Accounts said to be from ${name}. Invented, as everything in the sample data set.`,
    description_fr: `Comptes attribués à ${name}. Inventé, comme tout l'échantillon.`,
    breached_at: `${calendar.dayBefore(age + 60)}T00:00:00Z`,
    leaked_at: `${calendar.dayBefore(age)}T00:00:00Z`,
    is_alert_enabled: true,
    pii_tags: [...tags],
    url
  }
}
