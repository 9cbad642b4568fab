export declare const emailOf: (index: number) => string
export declare const userOf: (index: number) => string
export declare const domainOf: (index: number) => string
/** Five people in two million share a password. */
export declare const passwordOf: (index: number) => string
/** A credential in its JSON form; every id has ten digits. */
export declare const credentialAt: (index: number) => {
  id: number
  identity_name: string
  domain: string
  source_id: string
  imported_at: string
  hash: string
  hash_type: string
  source: {
    id: string
    name: string
    description_en: string
    description_fr: null
    breached_at: null
    leaked_at: null
    is_alert_enabled: boolean
    pii_tags: string[]
    url: null
  }
  known_password_id: null
  credential_hash: string
  event_uid: string
}
/** The domain of 200,000 accounts in two million, for pages of 10,000. */
export declare const largeDomain = "example.net"
/** The rows are in no order of time; a tenth of them belong to `largeDomain`. */
export declare const writeCredentials: (file: string, count: number, first?: number) => Promise<void>
//# sourceMappingURL=SyntheticCredentials.d.ts.map
