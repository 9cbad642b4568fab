/** File formats of credentials. Files contain passwords only if the person chose so. */
import type { Credential } from "@threat-exposure/core/domain/Credential"
import { Redacted } from "effect"
import { csv } from "./Csv.ts"
import type { Format } from "./Format.ts"

export const credentialFormats = ["csv", "ndjson"] as const
export type CredentialFormat = (typeof credentialFormats)[number]

export const formatOfCredentials = (format: CredentialFormat, isClear: boolean): Format<Credential> => {
  const secret = ({ hash }: Credential) => (hash === null ? null : isClear ? Redacted.value(hash) : "********")
  switch (format) {
    case "ndjson":
      return {
        head: "",
        items: (credentials) =>
          credentials.map((credential) => `${JSON.stringify({ ...credential, hash: secret(credential) })}\n`).join(""),
        tail: () => "",
        takeUp: noKeys
      }
    case "csv":
      return {
        head: csv([columns]),
        items: (credentials) => csv(credentials.map((credential) => cells(credential, secret(credential) ?? ""))),
        tail: () => "",
        takeUp: noKeys
      }
  }
}

/** Not needed: all credentials come from one listing without duplicates. */
const noKeys = () => []

const columns = [
  "id",
  "identity_name",
  "domain",
  "hash",
  "hash_type",
  "imported_at",
  "source_id",
  "source",
  "event_uid",
  "auth_domains",
  "urls",
  "known_password_id"
]

const cells = (credential: Credential, secret: string): ReadonlyArray<string> => [
  String(credential.id),
  credential.identity_name,
  credential.domain ?? "",
  secret,
  credential.hash_type ?? "",
  credential.imported_at,
  credential.source_id,
  credential.source?.name ?? "",
  credential.event_uid ?? "",
  credential.auth_domains?.join("; ") ?? "",
  credential.urls?.join("; ") ?? "",
  credential.known_password_id === null ? "" : String(credential.known_password_id)
]
