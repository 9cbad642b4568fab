/** The event that started the run, reduced to what a check needs. */
import { Effect, Match, Schema } from "effect"

const Sha = Schema.String.check(Schema.isPattern(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u))

/** The branch that a change is to be merged into. */
export interface Target {
  readonly branch: string
  /** The branch's repository, such as `owner/name`; undefined if it is the remote of the clone. */
  readonly repository: string | undefined
}

export type WorkflowEvent =
  | {
      readonly _tag: "PullRequest"
      /** Undefined if the payload has no number; then no comment is written. */
      readonly number: number | undefined
      readonly base: string
      /** The branch to merge into, if `base` may be out of date. `atCurrentBase` then replaces `base`. */
      readonly target?: Target | undefined
      readonly head: string
      /** True if the head is in another repository, whose workflows get no secrets. */
      readonly isFork: boolean
    }
  | {
      readonly _tag: "Push"
      /** Undefined if the branch is new. */
      readonly before: string | undefined
      /** Undefined if the branch was deleted. */
      readonly after: string | undefined
      readonly isForced: boolean
      readonly isDefaultBranch: boolean
      readonly defaultBranch: string | undefined
    }
  | { readonly _tag: "MergeGroup"; readonly base: string; readonly head: string }
  | { readonly _tag: "Tag"; readonly head: string }
  /** The commits of the run cannot be determined. */
  | { readonly _tag: "Unknown"; readonly head: string; readonly reason: string }
  /** A schedule, a dispatch, or any event that is not about a change. */
  | { readonly _tag: "Other"; readonly name: string }

/**
 * The revision with the rules of a check, if not the checked one: a change under review must not decide how it is
 * checked, so its base has the rules.
 */
export const rulesFrom = (event: WorkflowEvent): string | undefined =>
  event._tag === "PullRequest" || event._tag === "MergeGroup" ? event.base : undefined

/** The payload lacks data that this kind of event always has. */
export class PayloadUnreadable extends Schema.TaggedError<PayloadUnreadable>()("PayloadUnreadable", {
  event: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The payload of the event ${this.event} cannot be read (${this.reason}): run the action on a runner of GitHub Actions, or give GITHUB_EVENT_NAME and GITHUB_EVENT_PATH as one does`
  }
}

const absent = <S extends Schema.Top>(schema: S) => Schema.optional(Schema.NullOr(schema))

const Repository = Schema.Struct({ full_name: absent(Schema.String), fork: absent(Schema.Boolean) })
type Repository = typeof Repository.Type

const End = Schema.Struct({ sha: Sha, ref: absent(Schema.String), repo: absent(Repository) })

const PullRequestPayload = Schema.Struct({
  number: absent(Schema.Int),
  pull_request: Schema.Struct({ number: absent(Schema.Int), base: End, head: End })
})

const PushPayload = Schema.Struct({
  ref: Schema.String,
  before: Sha,
  after: Sha,
  forced: absent(Schema.Boolean),
  repository: absent(Schema.Struct({ default_branch: absent(Schema.String) }))
})

const MergeGroupPayload = Schema.Struct({
  merge_group: Schema.Struct({ base_sha: Sha, head_sha: Sha })
})

/** `payload` is the parsed JSON of GITHUB_EVENT_PATH. */
export const workflowEventOf = Effect.fn("workflowEventOf")(function* (
  event: string,
  payload: unknown
): Effect.fn.Return<WorkflowEvent, PayloadUnreadable> {
  const read = <T>(schema: Schema.Codec<T, unknown>) =>
    Schema.decodeUnknownEffect(schema)(payload).pipe(
      Effect.mapError(({ message }) => new PayloadUnreadable({ event, reason: message.replaceAll(/\s+/gu, " ") }))
    )
  return yield* Match.value(event).pipe(
    Match.whenOr("pull_request", "pull_request_target", "pull_request_review", "pull_request_review_comment", () =>
      Effect.map(read(PullRequestPayload), ({ number, pull_request }): WorkflowEvent => ({
        _tag: "PullRequest",
        number: pull_request.number ?? number ?? undefined,
        base: pull_request.base.sha,
        head: pull_request.head.sha,
        isFork: isElsewhere(pull_request.head.repo, pull_request.base.repo),
        target:
          pull_request.base.ref == null
            ? undefined
            : { branch: pull_request.base.ref, repository: pull_request.base.repo?.full_name ?? undefined }
      }))
    ),
    Match.when("push", () =>
      Effect.map(read(PushPayload), ({ after, before, forced, ref, repository }): WorkflowEvent =>
        ref.startsWith("refs/tags/") && !isZero(after)
          ? { _tag: "Tag", head: after }
          : {
              _tag: "Push",
              before: isZero(before) ? undefined : before,
              after: isZero(after) ? undefined : after,
              isForced: forced ?? false,
              isDefaultBranch: ref === `refs/heads/${repository?.default_branch ?? ""}`,
              defaultBranch: repository?.default_branch ?? undefined
            }
      )
    ),
    Match.when("merge_group", () =>
      Effect.map(read(MergeGroupPayload), ({ merge_group: { base_sha, head_sha } }): WorkflowEvent => ({
        _tag: "MergeGroup",
        base: base_sha,
        head: head_sha
      }))
    ),
    Match.orElse((name) => Effect.succeed<WorkflowEvent>({ _tag: "Other", name }))
  )
})

/** If a fork was deleted, the payload has null. */
const isElsewhere = (head: Repository | null | undefined, base: Repository | null | undefined) =>
  head === null ||
  (head?.full_name != null && base?.full_name != null ? head.full_name !== base.full_name : head?.fork === true)

const isZero = (sha: string) => /^0+$/u.test(sha)
