/** Credentials as a file; a secret stands in it only where the person said so. */
import type { Credential } from "@threat-exposure/core/domain/Credential"
import { Redacted } from "effect"
import { csv } from "./Csv.ts"

export const credentialFormats = ["csv", "ndjson"] as const
export type CredentialFormat = (typeof credentialFormats)[number]

export const formatCredentials = (
  credentials: ReadonlyArray<Credential>,
  format: CredentialFormat,
  isClear: boolean
): string => {
  const secret = ({ hash }: Credential) => (hash === null ? "" : isClear ? Redacted.value(hash) : "********")
  if (format === "ndjson") {
    return credentials
      .map(
        (credential) =>
          `${JSON.stringify({ ...credential, hash: credential.hash === null ? null : secret(credential) })}\n`
      )
      .join("")
  }
  return csv([
    [
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
      "urls"
    ],
    ...credentials.map((credential) => [
      String(credential.id),
      credential.identity_name,
      credential.domain ?? "",
      secret(credential),
      credential.hash_type ?? "",
      credential.imported_at,
      credential.source_id,
      credential.source?.name ?? "",
      credential.event_uid ?? "",
      credential.auth_domains?.join("; ") ?? "",
      credential.urls?.join("; ") ?? ""
    ])
  ])
}
