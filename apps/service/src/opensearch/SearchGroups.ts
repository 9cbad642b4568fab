/**
 * Sends quick searches together. One that arrives while enough others are under way waits, and what waits is sent in one
 * `_msearch` as soon as one of them is answered: the node and this process then pay once for HTTP, threads and JSON. Nothing
 * waits while few searches are under way.
 */
import { StoreUnavailable } from "../requests/StoreUnavailable.ts"
import type { ClusterAnswer, ClusterCall } from "./ClusterCall.ts"
import { searchMembers, type SearchJson, wholeResults } from "./SearchAnswer.ts"

export interface QuickSearch {
  /** An index or alias. */
  readonly index: string
  /** JSON without a line break. */
  readonly body: string
}

export class SearchGroups {
  readonly #call: (call: ClusterCall) => Promise<ClusterAnswer>
  readonly #most: number
  readonly #waiting: Array<Waiting> = []
  #underWay = 0
  #isScheduled = false

  /** `most` is the number of calls that may be under way. */
  constructor(call: (call: ClusterCall) => Promise<ClusterAnswer>, most: number) {
    this.#call = call
    this.#most = most
  }

  /** Rejects as a call does. */
  search(search: QuickSearch): Promise<SearchJson> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= mostWaiting) {
        reject(new StoreUnavailable({ reason: "too many searches wait for OpenSearch" }))
        return
      }
      this.#waiting.push({ ...search, resolve, reject })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0 || this.#underWay >= this.#most) return
    this.#isScheduled = true
    this.#gather(0, mostTurns)
  }

  /** Sends what is waiting as soon as a turn of the event loop adds nothing to it. */
  #gather(seen: number, turns: number): void {
    setImmediate(() => {
      const { length } = this.#waiting
      if (length > seen && length < mostTogether && turns > 0) return this.#gather(length, turns - 1)
      this.#isScheduled = false
      this.#send(this.#waiting.splice(0, mostTogether))
      this.#schedule()
    })
  }

  #send(group: ReadonlyArray<Waiting>): void {
    this.#underWay += 1
    let isCounted = true
    const uncount = () => {
      if (isCounted) this.#underWay -= 1
      isCounted = false
      this.#schedule()
    }
    // A node that does not answer must not hold up the others.
    const patience = setTimeout(uncount, longestHold)
    void this.#ask(group).finally(() => {
      clearTimeout(patience)
      uncount()
    })
  }

  /** Never rejects. */
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
      const { responses }: { readonly responses: ReadonlyArray<GroupedJson> } = JSON.parse(text)
      // One that failed goes on to the next node, or is refused, as if it had been sent alone.
      const failed = group.filter((waiting, at) => {
        const answer = responses[at]
        if (answer?.status !== 200) return true
        waiting.resolve(answer)
        return false
      })
      await Promise.all(failed.map((waiting) => this.#askAlone(waiting)))
    } catch (cause) {
      // No node answers in time. What one of them is refused for must not fail the others.
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
      resolve(JSON.parse(text))
    } catch (cause) {
      reject(cause)
    }
  }
}

interface Waiting extends QuickSearch {
  resolve(answer: SearchJson): void
  reject(cause: unknown): void
}

interface GroupedJson extends SearchJson {
  readonly status: number
}

const membersOfGroup = ["status", ...searchMembers].map((member) => `responses.${member}`).join()

/**
 * A search that is sorted as its index would first ask each shard whether it can have a match. What is looked for here is as
 * likely in each of them.
 */
const everyShard = "pre_filter_shard_size=10000"

const mostTogether = 32
const mostTurns = 8
const mostWaiting = 2_000

/** Milliseconds; a quick search takes a few. */
const longestHold = 50
