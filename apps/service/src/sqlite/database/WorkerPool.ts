/**
 * A pool of worker threads that run procedures. Owners take turns, and no owner can use all threads: further jobs of an
 * owner wait in the order of the calls, and jobs of others pass them. A thread that dies is replaced, after a pause
 * that grows while replacements die too. A thread starts when a call finds none idle.
 */
import type { Worker } from "node:worker_threads"
import { StoreUnavailable } from "../../requests/StoreUnavailable.ts"
import type { Procedure } from "./Procedure.ts"
import { monotonicNow } from "../../MonotonicTime.ts"
import { errorOf, type WorkerFailure } from "../../threads/WorkerFailure.ts"

export interface WorkerPoolOptions {
  readonly start: () => Worker
  readonly size: number
  /** Attempts per job: 1 for writes, which must not run twice. A read can be repeated after its thread died. */
  readonly attempts: number
  /** Receives the names of rows that this program did not write. */
  readonly onForeign?: (names: ReadonlyArray<string>) => void
}

/** The message to a worker. `busyTimeout` is the maximum wait for the write lock in milliseconds. */
export interface WorkerRequest {
  readonly name: string
  readonly input: unknown
  readonly busyTimeout: number
}

interface WorkerAnswer {
  readonly failure?: WorkerFailure
  readonly foreign?: ReadonlyArray<string>
  readonly output: unknown
}

/** Milliseconds that a job may wait for its turn and for the write lock. */
const defaultWait = 10_000

export class WorkerPool {
  readonly #options: WorkerPoolOptions
  /** The waiting jobs by owner. The owner with the next turn comes first. */
  readonly #queues = new Map<number | undefined, Set<Task>>()
  /** The jobs of each thread, which runs the first one. */
  readonly #threads = new Map<Worker, Array<Task>>()
  #pause: NodeJS.Timeout | undefined
  readonly #exits = new Set<Promise<void>>()
  /** The number of threads that died since a job was last completed. */
  #deaths = 0
  #closing = false

  constructor(options: WorkerPoolOptions) {
    this.#options = options
  }

  /**
   * Rejects with {@link StoreUnavailable} if no thread could take the job in time, or if the threads that ran it died.
   * `wait` is that time in milliseconds. `owner` is the tenant of the job, if any. `signal` withdraws the job unless a
   * thread has already taken it. A thread takes the job if it has fewer than `jobsAThread`: with more than one, it
   * stays busy while the caller's thread, which assigns the jobs, is busy itself.
   */
  run<Input, Output>(
    { name }: Procedure<Input, Output>,
    input: Input,
    { jobsAThread = 1, owner, signal, wait = defaultWait }: JobOptions = {}
  ): Promise<Output> {
    return new Promise<Output>((resolve, reject) => {
      const task: Task = {
        name,
        input,
        resolve,
        reject,
        jobsAThread,
        owner,
        signal,
        attemptsLeft: this.#options.attempts,
        deadline: monotonicNow() + wait
      }
      this.#enqueue(task)
      this.#assign()
    })
  }

  get waiting(): number {
    return [...this.#queues.values()].reduce((sum, tasks) => sum + tasks.size, 0)
  }

  /** Completes all jobs that were already requested, then stops the threads. */
  async close(): Promise<void> {
    this.#closing = true
    this.#stopIdle()
    while (this.#exits.size > 0) await Promise.all(this.#exits)
    clearTimeout(this.#pause)
    for (const tasks of this.#queues.values()) {
      for (const task of tasks) {
        this.#dequeue(task)
        task.reject(new StoreUnavailable({ reason: "the program is stopping" }))
      }
    }
  }

  #start(): Worker {
    const worker = this.#options.start()
    let cause = "a thread stopped"
    worker.on("message", (answer) => this.#answer(worker, answer))
    worker.on(
      "error",
      (error) => (cause = `a thread failed: ${error instanceof Error ? error.message : String(error)}`)
    )
    const exited = new Promise<void>((resolve) => {
      worker.once("exit", () => {
        this.#exits.delete(exited)
        this.#replace(worker, cause)
        resolve()
      })
    })
    this.#exits.add(exited)
    this.#threads.set(worker, [])
    return worker
  }

  #assign(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const { task, worker } = next
      this.#dequeue(task)
      this.#threads.get(worker)?.push(task)
      const request: WorkerRequest = { name: task.name, input: task.input, busyTimeout: timeLeft(task) }
      worker.postMessage(request, [])
    }
    if (this.#closing) this.#stopIdle()
  }

  /** The next job that may run, and a free thread for it. */
  #next(): { readonly task: Task; readonly worker: Worker } | undefined {
    for (const [owner, [task]] of this.#queues) {
      if (task === undefined || this.#hasItsShare(owner)) continue
      const worker = this.#threadFor(task.jobsAThread)
      if (worker !== undefined) return { task, worker }
    }
    return undefined
  }

  #enqueueFirst(task: Task): void {
    const later = this.#queues.get(task.owner) ?? new Set()
    this.#queues.delete(task.owner)
    this.#enqueue(task)
    const first = this.#queues.get(task.owner) ?? new Set()
    if (first.size + later.size > 0) this.#queues.set(task.owner, new Set([...first, ...later]))
  }

  #enqueue(task: Task): void {
    if (task.signal?.aborted === true) return
    task.expiry = setTimeout(() => {
      this.#dequeue(task)
      task.reject(new StoreUnavailable({ reason: "no thread was free in time" }))
    }, timeLeft(task))
    task.withdraw = () => this.#dequeue(task)
    task.signal?.addEventListener("abort", task.withdraw)
    const tasks = this.#queues.get(task.owner) ?? new Set()
    this.#queues.set(task.owner, tasks.add(task))
  }

  /** Moves the owner behind the others. */
  #dequeue(task: Task): void {
    const { expiry, owner, signal, withdraw } = task
    clearTimeout(expiry)
    if (withdraw !== undefined) signal?.removeEventListener("abort", withdraw)
    const tasks = this.#queues.get(owner)
    tasks?.delete(task)
    this.#queues.delete(owner)
    if (tasks !== undefined && tasks.size > 0) this.#queues.set(owner, tasks)
  }

  /** Whether one more job would give this owner the last thread. */
  #hasItsShare(owner: number | undefined): boolean {
    if (owner === undefined) return false
    const isOfOwner = (task: Task) => task.owner === owner
    const running = [...this.#threads.values()].filter((tasks) => tasks.some(isOfOwner)).length
    return running >= Math.max(1, this.#options.size - 1)
  }

  #threadFor(jobsAThread: number): Worker | undefined {
    const [[worker, { length: jobs }] = [undefined, []]] = [...this.#threads].toSorted(
      ([, a], [, b]) => a.length - b.length
    )
    if (jobs === 0 && worker !== undefined) return worker
    if (this.#mayStart()) return this.#start()
    return jobs < jobsAThread ? worker : undefined
  }

  #mayStart(): boolean {
    return this.#exits.size < this.#options.size && this.#pause === undefined
  }

  #answer(worker: Worker, { failure, foreign, output }: WorkerAnswer): void {
    if (foreign !== undefined) this.#options.onForeign?.(foreign)
    const task = this.#threads.get(worker)?.shift()
    this.#deaths = 0
    if (failure === undefined) task?.resolve(output)
    else task?.reject(errorOf(failure))
    this.#assign()
  }

  #replace(worker: Worker, reason: string): void {
    const [running, ...waiting] = this.#threads.get(worker) ?? []
    this.#threads.delete(worker)
    if (this.#closing && running === undefined) return
    const pause = this.#deaths === 0 ? 0 : Math.min(maxPause, 50 * 2 ** this.#deaths)
    this.#deaths += 1
    this.#pause ??= setTimeout(() => {
      this.#pause = undefined
      this.#assign()
    }, pause)
    if (running === undefined) return
    running.attemptsLeft -= 1
    const again = running.attemptsLeft > 0 ? [running, ...waiting] : waiting
    for (const task of again.toReversed()) this.#enqueueFirst(task)
    if (running.attemptsLeft === 0) running.reject(new StoreUnavailable({ reason }))
    this.#assign()
  }

  #stopIdle(): void {
    if (this.#queues.size > 0) return
    for (const [worker, tasks] of this.#threads) {
      if (tasks.length > 0) continue
      this.#threads.delete(worker)
      worker.postMessage("close", [])
    }
  }
}

export interface JobOptions {
  readonly jobsAThread?: number
  readonly owner?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly wait?: number | undefined
}

interface Task {
  readonly name: string
  readonly input: unknown
  /** By `monotonicNow`. */
  readonly deadline: number
  // Declared as a method, whose parameters are bivariant, so that one queue can hold tasks with any output.
  resolve(output: unknown): void
  readonly reject: (cause: Error) => void
  readonly jobsAThread: number
  readonly owner: number | undefined
  readonly signal: AbortSignal | undefined
  attemptsLeft: number
  expiry?: NodeJS.Timeout
  withdraw?: () => void
}

const timeLeft = ({ deadline }: Task): number => Math.max(0, deadline - monotonicNow())

/** Milliseconds. */
const maxPause = 5_000
