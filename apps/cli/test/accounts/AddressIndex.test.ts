import { AddressIndex } from "@threat-exposure/cli/accounts/AddressIndex"
import { assert, it } from "vitest"

it("numbers addresses in the order of their first addition, however many there are", () => {
  const index = new AddressIndex()
  // Some addresses are long, some differ only in their last letter, and one is empty.
  const addresses = ["", "ä@example.com", "😀@example.com", "x".repeat(70_000)]
  for (let at = 0; at < 20_000; at += 1) addresses.push(`person.${at}@example.com`, `person.${at}@example.org`)
  assert.isUndefined(index.find("person.7@example.com"))
  for (const [at, address] of addresses.entries()) assert.strictEqual(index.add(address), at)
  for (const [at, address] of addresses.entries()) {
    assert.strictEqual(index.find(address), at)
    assert.strictEqual(index.add(address), at)
    assert.strictEqual(index.addressOf(at), address)
  }
  assert.strictEqual(index.size, addresses.length)
  assert.deepStrictEqual([...index], addresses)
  assert.isUndefined(index.find("person.7@example.co"))
  assert.isUndefined(index.find("erson.7@example.com"))
})

it("compares addresses by their bytes", () => {
  const index = new AddressIndex()
  const [b, a, ab] = ["b", "a", "ab"].map((address) => index.add(address))
  const order = [b, a, ab].toSorted((one, other) => index.compare(one ?? 0, other ?? 0))
  assert.deepStrictEqual(order, [a, ab, b])
})
