/**
 * Worker threads that run procedures, each one at a time, in the order of the calls. No owner has all threads: the jobs of
 * an owner with many wait for each other, and those of the others pass them. A thread that dies is replaced, after a pause
 * that grows while replacements die too. A thread starts when a call finds none idle.
 */
import type { Worker } from "node:worker_threads"
import { StoreUnavailable } from "../../requests/StoreUnavailable.ts"
import type { Procedure } from "./Procedure.ts"

export interface WorkerPoolOptions {
  readonly start: () => Worker
  readonly size: number
  /** How often a job may be started: 1 for writes, which must not run twice. A read can be repeated when its thread died. */
  readonly attempts: number
}

/** The message to a worker. `patience` is how many milliseconds it may wait for the write lock. */
export interface WorkerRequest {
  readonly name: string
  readonly input: unknown
  readonly patience: number
}

/** Why a job failed, as plain data: an error that crosses threads loses its own properties. */
export interface WorkerFailure {
  readonly message: string
  readonly code: unknown
  readonly errcode: unknown
  /** The reason of a `StoreUnavailable`. */
  readonly unavailable: string | undefined
}

/** Default for how long a job may wait for its turn and for the write lock, in milliseconds. */
const defaultWait = 10_000

export class WorkerPool {
  readonly #options: WorkerPoolOptions
  /** In the order of the calls. */
  #queue = new Set<Task>()
  /** The threads, each with its jobs: it runs the first one, the others wait in it. */
  readonly #threads = new Map<Worker, Array<Task>>()
  /** Runs while the pool pauses before it starts a thread in place of one that died. */
  #pause: NodeJS.Timeout | undefined
  readonly #exits = new Set<Promise<void>>()
  /** Threads that died since one last completed a job. */
  #deaths = 0
  #closing = false

  constructor(options: WorkerPoolOptions) {
    this.#options = options
  }

  /**
   * Rejects with {@link StoreUnavailable} where no thread could take the job in time, or the threads that ran it died. `wait`
   * is that time in milliseconds. `owner` is the tenant that the job is for, if any. A thread takes the job if it has fewer than `jobsAThread`: more than one keep it busy while
   * the caller's thread, which would give it the next, is.
   */
  run<Input, Output>(
    { name }: Procedure<Input, Output>,
    input: Input,
    {
      jobsAThread = 1,
      owner,
      wait = defaultWait
    }: { readonly jobsAThread?: number; readonly owner?: number | undefined; readonly wait?: number } = {}
  ): Promise<Output> {
    return new Promise<Output>((resolve, reject) => {
      const task: Task = {
        name,
        input,
        resolve,
        reject,
        jobsAThread,
        owner,
        attemptsLeft: this.#options.attempts,
        deadline: performance.now() + wait
      }
      this.#awaitTurn(task)
      this.#queue.add(task)
      this.#assign()
    })
  }

  /** Jobs that no thread has taken yet. */
  get waiting(): number {
    return this.#queue.size
  }

  /** Completes the jobs already asked for, then stops the threads. */
  async close(): Promise<void> {
    this.#closing = true
    this.#stopIdle()
    while (this.#exits.size > 0) await Promise.all(this.#exits)
    clearTimeout(this.#pause)
    for (const task of this.#queue) fail(task, new StoreUnavailable({ reason: "the program is stopping" }))
    this.#queue.clear()
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
        this.#died(worker, cause)
        resolve()
      })
    })
    this.#exits.add(exited)
    this.#threads.set(worker, [])
    return worker
  }

  #assign(): void {
    for (const task of this.#queue) {
      if (this.#hasItsShare(task.owner)) continue
      const worker = this.#threadFor(task.jobsAThread)
      if (worker === undefined) return
      this.#queue.delete(task)
      clearTimeout(task.expiry)
      this.#threads.get(worker)?.push(task)
      const request: WorkerRequest = { name: task.name, input: task.input, patience: remaining(task) }
      worker.postMessage(request, [])
    }
    if (this.#closing) this.#stopIdle()
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

  #answer(worker: Worker, { failure, output }: { readonly failure?: WorkerFailure; readonly output: unknown }): void {
    const task = this.#threads.get(worker)?.shift()
    this.#deaths = 0
    if (failure === undefined) task?.resolve(output)
    else task?.reject(errorOf(failure))
    this.#assign()
  }

  #died(worker: Worker, reason: string): void {
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
    for (const task of again) this.#awaitTurn(task)
    this.#queue = new Set([...again, ...this.#queue])
    if (running.attemptsLeft === 0) running.reject(new StoreUnavailable({ reason }))
    this.#assign()
  }

  #awaitTurn(task: Task): void {
    task.expiry = setTimeout(() => {
      this.#queue.delete(task)
      task.reject(new StoreUnavailable({ reason: "no thread was free in time" }))
    }, remaining(task))
  }

  #stopIdle(): void {
    if (this.#queue.size > 0) return
    for (const [worker, tasks] of this.#threads) {
      if (tasks.length > 0) continue
      this.#threads.delete(worker)
      worker.postMessage("close", [])
    }
  }
}

const errorOf = ({ unavailable, ...failure }: WorkerFailure): Error =>
  unavailable === undefined
    ? Object.assign(new Error(failure.message), failure)
    : new StoreUnavailable({ reason: unavailable })

interface Task {
  readonly name: string
  readonly input: unknown
  /** By `performance.now()`. */
  readonly deadline: number
  // A method, so that one queue can hold tasks of every output.
  resolve(output: unknown): void
  readonly reject: (cause: Error) => void
  readonly jobsAThread: number
  readonly owner: number | undefined
  attemptsLeft: number
  /** While it waits in the queue. */
  expiry?: NodeJS.Timeout
}

const remaining = ({ deadline }: Task): number => Math.max(0, deadline - performance.now())

/** Milliseconds. */
const maxPause = 5_000

const fail = (task: Task, cause: Error): void => {
  clearTimeout(task.expiry)
  task.reject(cause)
}
