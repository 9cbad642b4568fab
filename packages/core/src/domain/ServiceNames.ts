/**
 * The defaults of the names that each service chooses for itself: see docs/api.md#conventions. Without imports, so that a
 * program can read them without loading schemas.
 */

/** The first segment of every path. */
export const defaultPathPrefix = "svc"

/** The metadata field with the link to an event in the service's web application. */
export const defaultLinkField = "svc_url"
