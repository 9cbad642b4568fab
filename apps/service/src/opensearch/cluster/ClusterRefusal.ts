/**
 * Permanent refusals of OpenSearch and their causes, such as a missing permission, a closed index or a read-only index.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { StoreRefusal, StoreUnavailable } from "../../requests/StoreUnavailable.ts"
import type { ClusterCall } from "./ClusterCall.ts"

/** The cluster would refuse the call again. The message contains no value of the call. */
export class ClusterRefusal extends StoreRefusal {
  readonly status: number
  /**
   * The error type, such as `index_not_found_exception`, or the message of an error without a type. Undefined if
   * another server answered.
   */
  readonly type: string | undefined
  /** The user's role hides or masks a part of the index. */
  readonly isFiltering: boolean

  constructor(call: ClusterCall, status: number, error: ErrorJson | undefined) {
    super("OpenSearch", reasonOf(call, status, error))
    this.status = status
    this.type = error?.type
    this.isFiltering = error !== undefined && isFiltering(error)
  }
}

/** The error of a call or of a part of it. */
export const ErrorJson = Schema.Struct({
  type: Schema.String,
  reason: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** The index that the error is about. */
  index: Schema.optionalKey(Schema.String)
})
export interface ErrorJson extends Schema.Schema.Type<typeof ErrorJson> {}

/** Whether an update was refused because the user's role hides or masks a part of the index. */
export const isFiltering = ({ reason, type }: ErrorJson): boolean =>
  type === noPermission && /\b(?:DLS|FLS|Field-?masking)\b/iu.test(reason ?? "")

/** The failure if every retry would fail, too; undefined if a later attempt may succeed. */
export const permanentFault = (
  call: ClusterCall,
  status: number,
  error: ErrorJson | undefined
): StoreRefusal | StoreUnavailable | undefined => {
  switch (error?.type) {
    case isBlocked: {
      const [, index, block = isBlocked] =
        /^(?:index \[([\w.-]+)\] )?blocked by: \[\w+\/\d+\/([\w ().,/-]+)\]/u.exec(error.reason ?? "") ?? []
      return new StoreUnavailable({
        reason: `${index === undefined ? "the cluster" : `the index ${index}`} is blocked (${block}): a disk of the cluster may be full, an upgrade of its indices or a rotation of its key is not finished, or somebody has set the block`
      })
    }
    case indexMissing:
      return new StoreUnavailable({
        reason: `${indexIn(error)} is missing: the key was rotated a moment ago, or somebody deleted it`
      })
    case isClosed:
      return new StoreUnavailable({
        reason: `${indexIn(error)} is closed: open it with POST /${error.index ?? "INDEX"}/_open`
      })
  }
  const isRefused = status < 500 && status !== 429
  return isRefused || error?.type === noPermission || call.refusals?.some((refusal) => refusal === error?.type) === true
    ? new ClusterRefusal(call, status, error)
    : undefined
}

/** The error in the text of an answer; undefined if the server is not OpenSearch. */
export const errorIn = (text: string): ErrorJson | undefined =>
  Option.match(decodeError(text), {
    onNone: () => undefined,
    // For an unknown path or method, the error is a message.
    onSome: ({ error }) => (typeof error === "string" ? { type: error } : error)
  })

const decodeError = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ error: Schema.Union([Schema.String, ErrorJson]) }))
)

/** The error type of a block: OpenSearch makes indices read-only while the disk is full. */
const isBlocked = "cluster_block_exception"

/** The error type of a missing index. */
export const indexMissing = "index_not_found_exception"

const isClosed = "index_closed_exception"

/** The error type of the security plugin, whatever the status. */
export const noPermission = "security_exception"

const indexIn = ({ index }: ErrorJson): string =>
  index === undefined || !/^[\w.-]+$/u.test(index) ? "an index" : `the index ${index}`

const reasonOf = ({ method, path }: ClusterCall, status: number, error: ErrorJson | undefined): string => {
  const request = `${method} ${path.replace(/\?.*/su, "")}`
  if (status === 401) {
    return "it refuses the user or the password (401). See THREAT_EXPOSURE_OPENSEARCH_USER and THREAT_EXPOSURE_OPENSEARCH_PASSWORD"
  }
  // The reason may contain the user's name, so only the permissions are repeated.
  const [, permissions] = /no permissions for \[((?:[\w:/*., -]|\[\w+\])+)\]/u.exec(error?.reason ?? "") ?? []
  if (permissions !== undefined) {
    return `its user lacks the permission ${permissions} (${request}). docs/opensearch.md lists what a role needs`
  }
  if (status === 403 || error?.type === noPermission) {
    return `it does not permit ${request} (${status}${error === undefined ? "" : `, ${error.type}`}). docs/opensearch.md lists what the role of its user needs`
  }
  return error === undefined
    ? `${request} was answered with ${status}, and not by OpenSearch: check the URL, and any proxy before the cluster`
    : `it refused ${request} with ${status}: ${error.type}`
}
