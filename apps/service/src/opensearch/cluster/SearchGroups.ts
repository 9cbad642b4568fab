/**
 * Combines searches that arrive at the same time into one `_msearch`, so that the node and this process pay once for
 * HTTP, threads and JSON. No search waits for the answer to another one.
 */
import * as Schema from "effect/Schema"
import { StoreUnavailable } from "../../requests/StoreUnavailable.ts"
import type { ClusterAnswer, ClusterCall } from "./ClusterCall.ts"
import { answerDecoder } from "./ClusterJson.ts"
import { decodeSearch, SearchJson, wholeResults } from "./SearchAnswer.ts"

export interface QuickSearch {
  /** An index or alias. */
  readonly index: string
  /** JSON without a line break. */
  readonly body: string
}

export class SearchGroups {
  readonly #call: (call: ClusterCall) => Promise<ClusterAnswer>
  #waiting: Array<Waiting> = []

  constructor(call: (call: ClusterCall) => Promise<ClusterAnswer>) {
    this.#call = call
  }

  /** Rejects like a single call. */
  search(search: QuickSearch): Promise<SearchJson> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...search, resolve, reject })
      if (this.#waiting.length === 1) this.#gather(1, maxTurns)
    })
  }

  /** Sends the waiting searches as soon as one turn of the event loop adds no more. */
  #gather(seen: number, turns: number): void {
    setImmediate(() => {
      const { length } = this.#waiting
      if (length > seen && length < maxTogether && turns > 0) return this.#gather(length, turns - 1)
      const group = this.#waiting
      this.#waiting = []
      for (let start = 0; start < length; start += maxTogether) void this.#ask(group.slice(start, start + maxTogether))
    })
  }

  /** Never rejects: failures go to the callers of `search`. */
  async #ask(group: ReadonlyArray<Waiting>): Promise<void> {
    const [first, ...others] = group
    if (first === undefined) return
    if (others.length === 0) return this.#askAlone(first)
    try {
      const { text } = await this.#call({
        method: "POST",
        path: `/_msearch?${everyShard}&filter_path=${membersOfGroup}`,
        body: group
          .map(({ body, index }) => `{"index":"${index}","allow_partial_search_results":false}\n${body}\n`)
          .join("")
      })
      const { responses } = decodeGroup(text)
      // A failed search is repeated alone, on the next node, so that a refusal affects only its own caller.
      const failed = group.filter((waiting, at) => {
        const answer = responses[at]
        if (answer === undefined || !isAnswered(answer)) return true
        waiting.resolve(answer)
        return false
      })
      await Promise.all(failed.map((waiting) => this.#askAlone(waiting)))
    } catch (cause) {
      // A `StoreUnavailable` fails all searches, because no node answers in time. A refusal may concern only one of
      // them, so each is sent alone.
      if (cause instanceof StoreUnavailable) for (const { reject } of group) reject(cause)
      else await Promise.all(group.map((waiting) => this.#askAlone(waiting)))
    }
  }

  async #askAlone({ body, index, reject, resolve }: Waiting): Promise<void> {
    try {
      const { text } = await this.#call({
        method: "POST",
        path: `/${index}/_search?${everyShard}&${wholeResults}`,
        body
      })
      resolve(decodeSearch(text))
    } catch (cause) {
      reject(cause)
    }
  }
}

interface Waiting extends QuickSearch {
  resolve(answer: SearchJson): void
  reject(cause: unknown): void
}

/** A failed search has only a status and an error. */
const decodeGroup = answerDecoder(
  "a group of searches",
  Schema.Struct({
    responses: Schema.Array(
      Schema.Union([
        Schema.Struct({ status: Schema.Literal(200), ...SearchJson.fields }),
        Schema.Struct({ status: Schema.Int })
      ])
    )
  })
)

const isAnswered = <A extends object>(answer: A): answer is Extract<A, SearchJson> => "hits" in answer

/**
 * The members to exclude from an answer. With a list of members to include, a node would omit an empty list of hits.
 */
const membersOfGroup = ["took", "responses.took", "responses.hits.hits._index", "responses.hits.hits._score"]
  .map((member) => `-${member}`)
  .join()

/**
 * Skips the pre-filter phase: a search in the sort order of its index would first ask each shard whether it can have a
 * match, and here every shard is equally likely to have one.
 */
const everyShard = "pre_filter_shard_size=10000"

const maxTogether = 32
const maxTurns = 8
