/** Imports nothing, so that programs can read these defaults without loading schemas. */

/** The first segment of every path. */
export const defaultPathPrefix = "svc"

/** The metadata field with the link to an event in the service's web application. */
export const defaultLinkField = "svc_url"
