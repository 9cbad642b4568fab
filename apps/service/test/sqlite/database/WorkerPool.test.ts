import { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import { WorkerPool } from "@threat-exposure/service/sqlite/database/WorkerPool"
import type { Procedure } from "@threat-exposure/service/sqlite/database/Procedure"

/** A thread that runs each job until its gate opens. */
const thread = `
  const { parentPort } = require("node:worker_threads")
  parentPort.on("message", (request) => {
    if (request === "close") return parentPort.close()
    const { gate, label } = request.input
    Atomics.store(gate, 1, 1)
    Atomics.notify(gate, 1)
    Atomics.wait(gate, 0, 0)
    if (label === "dies") process.exit(1)
    parentPort.postMessage({ output: label })
  })
`

interface Job {
  readonly gate: Int32Array
  readonly label: string
}

const procedure: Procedure<Job, string> = { name: "wait", run: (_, { label }) => label, moved: () => [] }

const poolOf = (size: number) => new WorkerPool({ size, attempts: 2, start: () => new Worker(thread, { eval: true }) })

const job = (label: string): Job => ({ gate: new Int32Array(new SharedArrayBuffer(8)), label })

const open = ({ gate }: Job) => {
  Atomics.store(gate, 0, 1)
  Atomics.notify(gate, 0)
}

const hasStarted = async ({ gate }: Job) => {
  const waiting = Atomics.waitAsync(gate, 1, 0)
  if (waiting.async) await waiting.value
}

describe("WorkerPool", () => {
  it("leaves a thread to others, however many jobs one owner has", async () => {
    const pool = poolOf(2)
    const many = Array.from({ length: 40 }, (_, number) => job(`many ${number}`))
    const answers = many.map((each) => pool.run(procedure, each, { owner: 1 }))
    const other = job("other")
    const answer = pool.run(procedure, other, { owner: 2 })
    await hasStarted(other)
    open(other)
    assert.strictEqual(await answer, "other")
    assert.strictEqual(pool.waiting, 39)
    many.forEach(open)
    assert.deepStrictEqual(
      await Promise.all(answers),
      many.map(({ label }) => label)
    )
    await pool.close()
  })

  it("gives owners their turns, each in the order of its calls", async () => {
    const pool = poolOf(1)
    const order: Array<string> = []
    const first = job("first")
    const jobs = ["a1", "a2", "a3", "b1", "b2", "c1"].map(job)
    const answers = [
      pool.run(procedure, first, { owner: 9 }),
      ...jobs.map((each) => pool.run(procedure, each, { owner: each.label.charCodeAt(0) }))
    ].map(async (answer) => order.push(await answer))
    await hasStarted(first)
    for (const each of [first, ...jobs]) open(each)
    await Promise.all(answers)
    assert.deepStrictEqual(order, ["first", "a1", "b1", "c1", "a2", "b2", "a3"])
    await pool.close()
  })

  it("withdraws a job that no thread has taken", async () => {
    const pool = poolOf(1)
    const running = job("running")
    const first = pool.run(procedure, running)
    await hasStarted(running)
    const withdrawal = new AbortController()
    const withdrawn = job("withdrawn")
    void pool.run(procedure, withdrawn, { signal: withdrawal.signal })
    const later = job("later")
    const last = pool.run(procedure, later)
    withdrawal.abort()
    assert.strictEqual(pool.waiting, 1)
    for (const each of [running, later]) open(each)
    assert.deepStrictEqual(await Promise.all([first, last]), ["running", "later"])
    assert.strictEqual(Atomics.load(withdrawn.gate, 1), 0)
    await pool.close()
  })

  it("removes the job that waited too long from the queue, and no other one", async () => {
    const pool = poolOf(1)
    const running = job("running")
    const first = pool.run(procedure, running)
    await hasStarted(running)
    const late = pool.run(procedure, job("late"), { wait: 0 })
    const next = job("next")
    const second = pool.run(procedure, next)
    assert.match(await late.then(String, String), /no thread was free in time/u)
    assert.strictEqual(pool.waiting, 1)
    open(running)
    open(next)
    assert.deepStrictEqual(await Promise.all([first, second]), ["running", "next"])
    await pool.close()
  })

  it("repeats the job of a thread that died before the jobs that came later", async () => {
    const pool = poolOf(1)
    const dying = job("dies")
    const failed = pool.run(procedure, dying)
    const later = job("later")
    const answer = pool.run(procedure, later)
    open(dying)
    open(later)
    assert.match(await failed.then(String, String), /a thread stopped/u)
    assert.strictEqual(await answer, "later")
    await pool.close()
  })
})
