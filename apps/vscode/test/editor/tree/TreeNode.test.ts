import { assert, describe, it } from "@effect/vitest"
import { ShownRows, TreeNode } from "../../../src/editor/tree/TreeNode.ts"

const node = (id: string) => new TreeNode({ id, label: id, state: "leaf" })

describe("ShownRows", () => {
  it("forgets the former rows below a row whose rows are requested again, at every depth", () => {
    const shown = new ShownRows()
    const [folder, other] = [node("folder"), node("other")]
    shown.replace(undefined, [folder, other])
    const [group, beside] = [node("group"), node("beside")]
    shown.replace(folder, [group])
    shown.replace(group, [node("event")])
    shown.replace(other, [beside])
    assert.strictEqual(shown.get("event")?.parent, group)

    const regrouped = node("regrouped")
    shown.replace(folder, [regrouped])
    assert.strictEqual(shown.get("event"), undefined)
    assert.strictEqual(shown.get("group"), undefined)
    assert.strictEqual(shown.get("regrouped"), regrouped)
    assert.strictEqual(regrouped.parent, folder)
    assert.strictEqual(shown.get("beside"), beside)

    shown.replace(undefined, [])
    for (const id of ["folder", "other", "regrouped", "beside"]) assert.strictEqual(shown.get(id), undefined, id)
  })

  it("finds the row after several, or else the one before them", () => {
    const shown = new ShownRows()
    const folder = node("folder")
    shown.replace(undefined, [folder])
    const rows = ["a", "b", "c", "d"].map(node)
    const [a, b, c, d] = rows
    shown.replace(folder, rows)
    const beside = (...ids: ReadonlyArray<number>) => shown.beside(ids.flatMap((id) => rows[id] ?? []))
    assert.deepStrictEqual([beside(0), beside(2, 1), beside(3), beside(3, 2)], [b, d, c, b])
    assert.deepStrictEqual([beside(), beside(0, 1, 2, 3), shown.beside([folder])], [undefined, undefined, undefined])
    assert.strictEqual(a?.parent, folder)
  })

  it("keeps a row that moved from one parent to another, whichever parent is requested first", () => {
    const shown = new ShownRows()
    const [from, to, moved] = [node("from"), node("to"), node("moved")]
    shown.replace(undefined, [from, to])
    shown.replace(from, [node("moved")])
    shown.replace(to, [moved])
    shown.replace(from, [])
    assert.strictEqual(shown.get("moved"), moved)
  })

  it("keeps the row that was returned last for an id, and the first of two with the same id", () => {
    const shown = new ShownRows()
    const [before, after] = [node("row"), node("row")]
    shown.replace(undefined, [before])
    assert.deepStrictEqual(shown.replace(undefined, [after, node("row")]), [after])
    assert.strictEqual(shown.get("row"), after)
  })
})
