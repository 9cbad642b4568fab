/** Why a node gave no usable answer. */
import { errors } from "undici"

/** The node answers, but has not rejoined its cluster: its data may be outdated. */
export class NotBack extends Error {
  constructor() {
    super("it has not rejoined its cluster")
  }
}

export interface ConnectionFault {
  /** Names the node, and says what to do. */
  readonly reason: string
  /** A retry would have the same result. */
  readonly isPermanent: boolean
}

/** Undefined if the cause is a defect of this program. */
export const connectionFault = (cause: unknown, { host, protocol }: URL): ConnectionFault | undefined => {
  if (!(cause instanceof Error)) return undefined
  const { message } = cause
  const code = "code" in cause ? cause.code : undefined
  const advice = certificateAdvice(code)
  if (advice !== undefined) {
    return { reason: `the certificate of ${host} is refused: ${message}. ${advice}`, isPermanent: true }
  }
  switch (code) {
    case "ECONNREFUSED":
      return { reason: `nothing listens on ${host} (${code})`, isPermanent: false }
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return { reason: `the name of ${host} cannot be resolved (${code})`, isPermanent: false }
    case "EPROTO":
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
    case "ERR_SSL_HTTP_REQUEST":
      return { reason: `${host} does not use TLS (${code}): its URL begins with http://`, isPermanent: true }
  }
  // The parser's error may have no code.
  const isNoHttp = cause instanceof errors.HTTPParserError
  if (isNoHttp || cause instanceof NotBack || cause instanceof errors.UndiciError || code !== undefined) {
    // A TLS server closes a connection without TLS, and sends nothing or an alert.
    const isClosed = isNoHttp || code === "UND_ERR_SOCKET" || code === "ECONNRESET"
    const tls = isClosed && protocol === "http:" ? ". If it uses TLS, its URL begins with https://" : ""
    return { reason: `${host} does not answer (${message})${tls}`, isPermanent: false }
  }
  return undefined
}

/** How to fix a rejected certificate; undefined for any other failure. */
const certificateAdvice = (code: unknown): string | undefined => {
  switch (code) {
    case "CERT_HAS_EXPIRED":
      return "Renew it"
    case "CERT_NOT_YET_VALID":
      return "Check the clock of this machine"
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return "Use the host name that it was issued for"
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
      return "Name its certificate authority with THREAT_EXPOSURE_OPENSEARCH_CA"
    default:
      return undefined
  }
}
