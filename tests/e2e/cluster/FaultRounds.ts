/**
 * Loads, listings and creates of identifiers while a part of the system fails, round after round: what was lost, what came
 * twice, what is half done.
 *
 * In each round each node in turn is killed, frozen or restarted, then a service process and a load are killed. A round has
 * its own domain and its own words, so that the work does not grow with the number of rounds.
 */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type FaultCounts, type FaultKind, FaultyCluster, hangLimit } from "./FaultyCluster.ts"

export interface FaultOptions {
  readonly rounds: number
  /** Credentials that a round loads; and a tenth as many events. */
  readonly rows: number
  /** Seconds that a node or a process stays away. */
  readonly killedFor: number
  readonly frozenFor: number
  readonly onFault?: (round: number, kind: FaultKind, counts: FaultCounts) => void
}

/** The reason where this machine cannot run OpenSearch. */
export const runFaults = async (options: FaultOptions): Promise<FaultCounts | { readonly missing: string }> => {
  const cluster = await FaultyCluster.start()
  if ("missing" in cluster) return cluster
  try {
    const rounds: Array<Round> = []
    for (let number = 0; number < options.rounds; number += 1) {
      const round = new Round(cluster, number, options)
      await round.run()
      rounds.push(round)
    }
    // Data that was there at the end of its round is there at the end of all.
    if (rounds.length > 1) for (const round of rounds) await round.verifyListings()
    return cluster.counts
  } finally {
    await cluster.stop()
  }
}

const faultsOfNodes = ["kill", "freeze", "restart"] as const
const topics = 20
const createsOfFault = 6

interface Page<Item> {
  readonly items: ReadonlyArray<Item>
  readonly next: string | null
}

interface Credential {
  readonly id: number
  readonly imported_at: string
}

interface Event {
  readonly metadata: { readonly uid: string }
  readonly identifiers: ReadonlyArray<{ readonly id: number }>
}

class Round {
  readonly #cluster: FaultyCluster
  readonly #number: number
  readonly #options: FaultOptions
  /** The credentials that a load reported as loaded. */
  readonly #credentials = new Set<number>()
  readonly #events = new Map<string, Set<string>>()
  /** The topic of each identifier whose creation was acknowledged. */
  readonly #identifiers = new Map<number, string>()
  #loaded = 0

  constructor(cluster: FaultyCluster, number: number, options: FaultOptions) {
    this.#cluster = cluster
    this.#number = number
    this.#options = options
    for (let topic = 0; topic < topics; topic += 1) this.#events.set(this.#topic(topic), new Set())
  }

  async run(): Promise<void> {
    const { frozenFor, killedFor } = this.#options
    for (let target = 0; target < faultsOfNodes.length; target += 1) {
      const kind = faultsOfNodes[(this.#number + target) % faultsOfNodes.length] ?? "kill"
      await this.#during(kind, target, kind === "freeze" ? frozenFor : killedFor)
    }
    await this.#during("kill service", this.#number % faultsOfNodes.length, killedFor)
    await this.verifyListings()
    await this.#verifyMatches()
  }

  async verifyListings(): Promise<void> {
    for (const order of ["asc", "desc"] as const) {
      const listed = await this.#listCredentials(order)
      this.#faults.lost += [...this.#credentials].filter((id) => !listed.has(id)).length
    }
    for (const [topic, uids] of this.#events) {
      const listed = await this.#listEvents(topic, "desc")
      this.#faults.lost += [...uids].filter((uid) => !listed.has(uid)).length
    }
  }

  /** Everything at once, until the fault is over and the loads are done. */
  async #during(kind: FaultKind, target: number, seconds: number): Promise<void> {
    const over = new AbortController()
    const untilOver = async (work: () => Promise<unknown>) => {
      while (!over.signal.aborted) {
        await work()
        // Leaves processor time to the loads.
        await sleep(100)
      }
    }
    const created = async () => {
      for (let create = 0; create < createsOfFault; create += 1) await this.#create(this.#anyTopic())
    }
    const finished = Promise.all([
      this.#cluster.suffer(kind, target, seconds),
      this.#load(kind === "kill service"),
      created()
    ]).finally(() => over.abort())
    await Promise.all([
      finished,
      ...(["asc", "desc"] as const).map((order) =>
        untilOver(async () => {
          await this.#listCredentials(order)
          await this.#listEvents(this.#anyTopic(), order)
        })
      )
    ])
    await this.#cluster.settled()
    this.#options.onFault?.(this.#number, kind, this.#cluster.counts)
  }

  async #load(isKilled: boolean): Promise<void> {
    const share = Math.ceil(this.#options.rows / (faultsOfNodes.length + 1))
    const from = this.#loaded
    this.#loaded += share
    const credentials = Array.from({ length: share }, (_, at) => this.#credential(from + at))
    const events = Array.from({ length: Math.ceil(share / 10) }, (_, at) => this.#event(from + at))
    // The two loads are strict alternately.
    const strict = (from / share) % 2 === 0 ? "events" : "credentials"
    const how = (kind: typeof strict) => ({ isKilled, isStrict: kind === strict })
    const loadCredentials = async () => {
      await this.#loadFile("credentials", credentials, how("credentials"))
      for (const { id } of credentials) this.#credentials.add(id)
    }
    const loadEvents = async () => {
      await this.#loadFile("events", events, how("events"))
      for (const { data, metadata } of events) this.#events.get(data.title)?.add(metadata.uid)
    }
    await Promise.all([loadCredentials(), loadEvents()])
  }

  async #loadFile(
    kind: "credentials" | "events",
    records: ReadonlyArray<unknown>,
    { isKilled, isStrict }: { readonly isKilled: boolean; readonly isStrict: boolean }
  ): Promise<void> {
    const file = join(this.#cluster.folder, `${kind}.ndjson`)
    await writeFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""))
    const command = ["load", kind, file, ...(isStrict ? ["--strict"] : [])]
    if (isKilled) await this.#cluster.killedCommand(1_500, ...command)
    const giveUpAt = performance.now() + hangLimit
    while (performance.now() < giveUpAt) {
      this.#work.loads += 1
      const { code, err } = await this.#cluster.command(...command)
      if (code === 0) return
      this.#work.interruptedLoads += 1
      const message = err.split("\n").filter((line) => line !== "" && !isProgress.test(line))
      this.#cluster.counts.complaints.push(`load ${kind}: ${message.join("\n")}`)
      if (code === null || message.length > 6 || /^\s+at /mu.test(err)) this.#faults.unclearLoads += 1
    }
    throw new Error(`A load did not succeed in time:\n${this.#cluster.counts.complaints.join("\n")}`)
  }

  async #create(topic: string): Promise<void> {
    const answer = await this.#cluster.attempt("/v2/assets/", { name: topic, type: "keyword" })
    if (answer === undefined) return
    const { asset }: { readonly asset: { readonly id: number } } = JSON.parse(answer.text)
    this.#work.creates += 1
    this.#identifiers.set(asset.id, topic)
  }

  /** Checks that it has, once each and in order, all that was acknowledged before it began. */
  async #listCredentials(order: "asc" | "desc"): Promise<ReadonlySet<number>> {
    const before = new Set(this.#credentials)
    const items = await this.#list<Credential>("/v4/credentials/global/_search", {
      query: { type: "domain", fqdn: this.#domain },
      order,
      size: Math.max(50, Math.ceil(this.#options.rows / 10))
    })
    const listed = this.#checked(
      items.map(({ id }) => id),
      before,
      (id) => Math.floor(id / idsOfRound) === this.#number + 1
    )
    for (const [at, { id, imported_at }] of items.entries()) {
      const previous = items[at - 1]
      if (previous === undefined) continue
      const isLater = imported_at === previous.imported_at ? id > previous.id : imported_at > previous.imported_at
      if (isLater !== (order === "asc")) this.#faults.outOfOrder += 1
    }
    return listed
  }

  async #listEvents(topic: string, order: "asc" | "desc"): Promise<ReadonlySet<string>> {
    const before = new Set(this.#events.get(topic))
    const items = await this.#list<Event>("/v4/events/global/_search", {
      query: { type: "keyword", keyword: topic },
      order,
      size: 10
    })
    const uids = items.map(({ metadata }) => metadata.uid)
    return this.#checked(uids, before, (uid) => uid.startsWith(`faults/${this.#number}/`))
  }

  #checked<Id>(ids: ReadonlyArray<Id>, before: ReadonlySet<Id>, isOfRound: (id: Id) => boolean): ReadonlySet<Id> {
    const listed = new Set(ids)
    this.#work.listings += 1
    this.#faults.twice += ids.length - listed.size
    this.#faults.missing += [...before].filter((id) => !listed.has(id)).length
    this.#faults.unknown += ids.filter((id) => !isOfRound(id)).length
    return listed
  }

  async #list<Item>(path: string, search: object): Promise<ReadonlyArray<Item>> {
    const items: Array<Item> = []
    let from: string | null = null
    do {
      const page: Page<Item> = await this.#cluster.ask(path, { ...search, from })
      for (const item of page.items) items.push(item)
      from = page.next
    } while (from !== null)
    return items
  }

  async #verifyMatches(): Promise<void> {
    for (const [identifier, topic] of this.#identifiers) {
      const expected = this.#events.get(topic) ?? new Set<string>()
      const items = await this.#list<Event>(`/v4/events/identifiers/${identifier}/_search`, { size: 10 })
      const found = new Set(items.map(({ metadata }) => metadata.uid))
      this.#faults.twice += items.length - found.size
      this.#faults.matchesMissing += [...expected].filter((uid) => !found.has(uid)).length
      this.#faults.matchesTooMany += [...found].filter((uid) => !expected.has(uid)).length
      // Each event names all identifiers that it matches. An unacknowledged identifier matches all events of its topic, or none.
      const matched = Map.groupBy(
        items.flatMap(({ identifiers }) => identifiers.map(({ id }) => id)),
        (id) => id
      )
      for (const events of matched.values()) if (events.length !== items.length) this.#faults.halfCreated += 1
    }
  }

  get #work() {
    return this.#cluster.counts.work
  }

  get #faults() {
    return this.#cluster.counts.faults
  }

  get #domain(): string {
    return `round${this.#number}.example`
  }

  #topic(index: number): string {
    return `topic${this.#number}n${index}`
  }

  #anyTopic(): string {
    return this.#topic(Math.floor(Math.random() * topics))
  }

  #credential(index: number) {
    return {
      id: (this.#number + 1) * idsOfRound + index,
      identity_name: `person${index}@${this.#domain}`,
      domain: this.#domain,
      // Times are unordered, and some occur several times.
      imported_at: new Date(1_700_000_000_000 + ((index * 7_919) % 1_009) * 60_000).toISOString(),
      hash: `correct-horse-${index}`
    }
  }

  #event(index: number) {
    return {
      event_type: "paste",
      metadata: {
        uid: `faults/${this.#number}/${index}`,
        severity: "low",
        estimated_created_at: new Date(1_700_000_000_000 + ((index * 7_919) % 1_009) * 60_000).toISOString()
      },
      data: { title: this.#topic(index % topics), content: "words that nobody looks for" }
    }
  }
}

/** A progress line, such as `35 % 7,000 events loaded, 2,100 a second`. */
const isProgress = /^(?:\d+ % )?[\d,]+ \w+ (?:checked|written|loaded), /u

/** The most credentials of a round. */
const idsOfRound = 10_000_000
