import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { workflowEventOf } from "@threat-exposure/leak-check/range/WorkflowEvent"

const [base, head, zero] = ["a".repeat(40), "b".repeat(40), "0".repeat(40)]

const pullRequest = (headRepository: string | null) => ({
  action: "synchronize",
  pull_request: {
    number: 7,
    base: { sha: base, ref: "main", repo: { full_name: "example/checkout" } },
    head: {
      sha: head,
      ref: "feature",
      repo: headRepository === null ? null : { full_name: headRepository, fork: true }
    }
  }
})

const push = (over: object) => ({
  ref: "refs/heads/feature",
  before: base,
  after: head,
  forced: false,
  repository: { full_name: "example/checkout", default_branch: "main" },
  ...over
})

describe("workflowEventOf", () => {
  it.effect("recognises a fork by its repository, even one that was deleted since", () =>
    Effect.gen(function* () {
      for (const [repository, isFork] of [
        ["example/checkout", false],
        ["somebody/checkout", true],
        [null, true]
      ] as const) {
        for (const name of [
          "pull_request",
          "pull_request_target",
          "pull_request_review",
          "pull_request_review_comment"
        ]) {
          const event = yield* workflowEventOf(name, pullRequest(repository))
          assert.deepStrictEqual(event, {
            _tag: "PullRequest",
            number: 7,
            base,
            head,
            isFork,
            target: { branch: "main", repository: "example/checkout" }
          })
        }
      }
    })
  )

  it.effect("goes by the mark of a fork where the payload does not name the repository", () =>
    Effect.gen(function* () {
      for (const fork of [true, false]) {
        const { pull_request } = pullRequest("")
        const unnamed = { ...pull_request, head: { ...pull_request.head, repo: { fork } } }
        const event = yield* workflowEventOf("pull_request", { pull_request: unnamed })
        assert.deepInclude(event, { _tag: "PullRequest", isFork: fork })
      }
    })
  )

  it.effect("reads a push, a first push, a deletion, and one to the default branch", () =>
    Effect.gen(function* () {
      const same = { _tag: "Push", isForced: false, isDefaultBranch: false, defaultBranch: "main" } as const
      assert.deepStrictEqual(yield* workflowEventOf("push", push({})), { ...same, before: base, after: head })
      assert.deepStrictEqual(yield* workflowEventOf("push", push({ before: zero })), {
        ...same,
        before: undefined,
        after: head
      })
      assert.deepStrictEqual(yield* workflowEventOf("push", push({ after: zero })), {
        ...same,
        before: base,
        after: undefined
      })
      assert.deepStrictEqual(yield* workflowEventOf("push", push({ ref: "refs/heads/main", forced: true })), {
        ...same,
        before: base,
        after: head,
        isForced: true,
        isDefaultBranch: true
      })
    })
  )

  it.effect("treats any other event as one without a change", () =>
    Effect.gen(function* () {
      for (const name of ["schedule", "workflow_dispatch", "release"]) {
        assert.deepStrictEqual(yield* workflowEventOf(name, {}), { _tag: "Other", name })
      }
    })
  )

  it.effect("refuses a payload without the required fields, or with invalid commits", () =>
    Effect.gen(function* () {
      for (const [event, payload] of [
        ["pull_request", {}],
        ["push", push({ before: "--upload-pack=x" })],
        ["merge_group", { merge_group: { base_sha: "main", head_sha: head } }],
        ["push", null]
      ] as const) {
        const error = yield* Effect.flip(workflowEventOf(event, payload))
        assert.strictEqual(error._tag, "PayloadUnreadable")
        assert.include(error.message, event)
      }
    })
  )
})
