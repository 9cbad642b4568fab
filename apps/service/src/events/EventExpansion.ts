import * as Predicate from "effect/Predicate"
import type { ExpandableField, StealerLogCookie, StealerLogCredential } from "@threat-exposure/core/domain/Event"

type Entry = typeof StealerLogCookie.Encoded | typeof StealerLogCredential.Encoded

/** Contains secrets in clear. Fields and entries of an unexpected type come from the leak, and are left out. */
export const expandList = (data: unknown, field: ExpandableField): ReadonlyArray<Entry> => {
  const list = Predicate.isObject(data) ? data[field] : undefined
  return Array.isArray(list) ? list.filter(Predicate.isObject).map(entryOf[field]) : []
}

interface Stored {
  readonly [name: string]: unknown
}

const entryOf: { readonly [Field in ExpandableField]: (stored: Stored) => Entry } = {
  credentials: ({ application, password, url, username }) => ({
    url: textOrNull(url),
    username: textOrNull(username),
    password: textOrNull(password),
    application: textOrNull(application)
  }),
  cookies: ({ expires_utc, host_key, name, path, value }) => ({
    host_key: textOrNull(host_key) ?? "",
    path: textOrNull(path),
    expires_utc: Predicate.isNumber(expires_utc) ? expires_utc : textOrNull(expires_utc),
    name: textOrNull(name),
    value: textOrNull(value)
  })
}

const textOrNull = (value: unknown): string | null => (Predicate.isString(value) ? value : null)
