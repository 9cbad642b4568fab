/**
 * Reduces the memory of loaded events. Thousands of them share equal annotations, identifiers and match times, so a
 * listing keeps one copy of each; highlights as JSON text take half of the memory of their objects.
 */
import { type AnyEvent, highlightsOf } from "../AnyEvent.ts"

/** Maximum number of shared values: if most values are distinct, sharing them only wastes memory. */
const maxParts = 1000

export const makeEventCompactor = (): ((event: AnyEvent) => AnyEvent) => {
  const share = {
    time: makeShare<string>(),
    tenant: makeShare<AnyEvent["tenant_metadata"]>(),
    identifiers: makeShare<Identifiers>()
  }
  return (event) => {
    const { metadata, tenant_metadata } = event
    return {
      ...event,
      metadata: { ...metadata, matched_at: metadata.matched_at === null ? null : share.time(metadata.matched_at) },
      tenant_metadata: share.tenant(tenant_metadata),
      ...("identifiers" in event ? { identifiers: share.identifiers(event.identifiers) } : undefined),
      highlights: JSON.stringify(highlightsOf(event))
    }
  }
}

type Identifiers = Extract<AnyEvent, { readonly identifiers: unknown }>["identifiers"]

const makeShare = <A>() => {
  const parts = new Map<string, A>()
  return (part: A): A => {
    const key = JSON.stringify(part)
    const known = parts.get(key)
    if (known !== undefined) return known
    if (parts.size < maxParts) parts.set(key, part)
    return part
  }
}
