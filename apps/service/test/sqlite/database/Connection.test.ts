import { assert, describe, it } from "@effect/vitest"
import { Connection } from "@threat-exposure/service/sqlite/database/Connection"

describe("Connection", () => {
  it("keeps a bounded number of prepared statements", () => {
    using connection = new Connection(":memory:")
    const first = connection.prepare("SELECT 0")
    assert.strictEqual(connection.prepare("SELECT 0"), first)
    for (let number = 1; number <= 1_000; number += 1) connection.prepare(`SELECT ${number}`)
    assert.notStrictEqual(connection.prepare("SELECT 0"), first)
  })

  it("refuses numbered parameters, which Node 22 cannot bind", () => {
    using connection = new Connection(":memory:")
    assert.throws(() => connection.prepare("SELECT ?1 + ?1"), /numbered parameter/u)
  })

  it("defers the durability of a transaction only on request", () => {
    using connection = new Connection(":memory:")
    const full = 2
    const normal = 1
    const synchronous = () => connection.prepare("PRAGMA synchronous").get()?.["synchronous"]
    assert.strictEqual(connection.transaction(synchronous), full)
    assert.strictEqual(connection.transaction(synchronous, 0, "deferred"), normal)
    assert.throws(() =>
      connection.transaction(
        () => {
          throw new Error("rolled back")
        },
        0,
        "deferred"
      )
    )
    assert.strictEqual(synchronous(), full)
  })
})
