/**
 * Defaults for the names that services choose themselves: see docs/api.md#conventions. Without imports, so that
 * programs can read them without loading schemas.
 */

/** The first segment of every path. */
export const defaultPathPrefix = "svc"

/** The metadata field with the link to an event in the service's web application. */
export const defaultLinkField = "svc_url"
