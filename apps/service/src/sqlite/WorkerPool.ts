/**
 * Worker threads that run procedures, each one at a time, in the order of the calls. A thread that dies
 * is replaced, after a pause that grows while replacements die too. A thread starts when a call finds none idle.
 */
import type { Worker } from "node:worker_threads"
import { StoreUnavailable } from "../requests/StoreUnavailable.ts"
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
const maximumWait = 10_000

export class WorkerPool {
  readonly #options: WorkerPoolOptions
  readonly #queue: Array<Task> = []
  readonly #idle: Array<Worker> = []
  readonly #running = new Map<Worker, Task>()
  /** Runs while the pool pauses before it starts a thread in place of one that died. */
  #pause: NodeJS.Timeout | undefined
  readonly #exits = new Set<Promise<void>>()
  /** Threads that died since one last completed a job. */
  #deaths = 0
  #closing = false

  constructor(options: WorkerPoolOptions) {
    this.#options = options
  }

  /** Rejects with {@link StoreUnavailable} where no thread could take the job in time, or the threads that took it died. */
  run<Input, Output>({ name }: Procedure<Input, Output>, input: Input, wait: number = maximumWait): Promise<Output> {
    return new Promise<Output>((resolve, reject) => {
      const task: Task = {
        name,
        input,
        resolve,
        reject,
        attemptsLeft: this.#options.attempts,
        deadline: performance.now() + wait
      }
      this.#awaitTurn(task)
      this.#queue.push(task)
      this.#assign()
    })
  }

  /** Jobs that no thread has taken yet. */
  get waiting(): number {
    return this.#queue.length
  }

  /** Completes the jobs already asked for, then stops the threads. */
  async close(): Promise<void> {
    this.#closing = true
    this.#stopIdle()
    while (this.#exits.size > 0) await Promise.all(this.#exits)
    clearTimeout(this.#pause)
    for (const task of this.#queue.splice(0)) fail(task, new StoreUnavailable({ reason: "the program is stopping" }))
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
    return worker
  }

  #assign(): void {
    while (this.#queue.length > 0) {
      const worker = this.#idle.pop() ?? (this.#mayStart() ? this.#start() : undefined)
      const task = worker === undefined ? undefined : this.#queue.shift()
      if (task === undefined || worker === undefined) return
      clearTimeout(task.expiry)
      task.attemptsLeft -= 1
      this.#running.set(worker, task)
      const request: WorkerRequest = { name: task.name, input: task.input, patience: remaining(task) }
      worker.postMessage(request, [])
    }
    if (this.#closing) this.#stopIdle()
  }

  #mayStart(): boolean {
    return this.#exits.size < this.#options.size && this.#pause === undefined
  }

  #answer(worker: Worker, { failure, output }: { readonly failure?: WorkerFailure; readonly output: unknown }): void {
    const task = this.#running.get(worker)
    this.#running.delete(worker)
    this.#deaths = 0
    if (failure === undefined) task?.resolve(output)
    else task?.reject(errorOf(failure))
    this.#idle.push(worker)
    this.#assign()
  }

  #died(worker: Worker, reason: string): void {
    const at = this.#idle.indexOf(worker)
    if (at !== -1) this.#idle.splice(at, 1)
    const task = this.#running.get(worker)
    this.#running.delete(worker)
    const stopped = this.#closing && task === undefined
    if (task !== undefined) this.#retry(task, reason)
    if (stopped) return
    const pause = this.#deaths === 0 ? 0 : Math.min(longestPause, 50 * 2 ** this.#deaths)
    this.#deaths += 1
    this.#pause ??= setTimeout(() => {
      this.#pause = undefined
      this.#assign()
    }, pause)
  }

  #retry(task: Task, reason: string): void {
    if (task.attemptsLeft === 0) return task.reject(new StoreUnavailable({ reason }))
    this.#awaitTurn(task)
    this.#queue.unshift(task)
    this.#assign()
  }

  #awaitTurn(task: Task): void {
    task.expiry = setTimeout(() => {
      this.#queue.splice(this.#queue.indexOf(task), 1)
      task.reject(new StoreUnavailable({ reason: "no thread was free in time" }))
    }, remaining(task))
  }

  #stopIdle(): void {
    if (this.#queue.length === 0) for (const worker of this.#idle.splice(0)) worker.postMessage("close", [])
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
  attemptsLeft: number
  /** While it waits in the queue. */
  expiry?: NodeJS.Timeout
}

const remaining = ({ deadline }: Task): number => Math.max(0, deadline - performance.now())

const longestPause = 5_000

const fail = (task: Task, cause: Error): void => {
  clearTimeout(task.expiry)
  task.reject(cause)
}
