/** The body of a refusal in the shape of the version it was asked under. SPEC 7. */

/** What the path says: v2 has a shape of its own, everything else answers as v4 does. */
export const refusalBody = (path: string, code: string, message: string): string =>
  JSON.stringify(isV2(path) ? { message, code } : { error: { code, message } })

export const internalFailure = "The service failed: its log says why"

export const unknownPath = "Nothing is offered at this path with this method: see /openapi.json for what is"

export const bodyTooLarge = (maximum: number): string => `The body is longer than ${maximum} bytes: send less at a time`

const isV2 = (path: string): boolean => /^(?:\/[^/]*)?\/v2(?:\/|$)/.test(path)
