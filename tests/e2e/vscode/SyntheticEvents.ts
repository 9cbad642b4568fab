/** Events in the wire's own shape, as many as a test needs. */
export const paste = (options: {
  readonly number: number
  readonly severity: string
  readonly at: Date
  /** A word in its texts. */
  readonly about?: string
}) => {
  const { about = "quaymaster", at, number, severity } = options
  return {
    event_type: "paste",
    metadata: {
      uid: `paste/synthetic/${String(number).padStart(6, "0")}`,
      estimated_created_at: at.toISOString(),
      matched_at: null,
      severity,
      svc_url: `https://exposure.example.com/events/${number}`
    },
    data: {
      url: `https://paste.example.com/${number}`,
      title: `Ledger ${number} of the ${about}`,
      content: `${about} ledger ${number}, someone@example.com`,
      actor: { id: null, name: null },
      expires_at: null,
      syntax: null
    }
  }
}
