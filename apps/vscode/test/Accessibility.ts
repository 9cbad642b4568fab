/** Checks the requirements of each page for people who use a keyboard or a screen reader. */
import { assert } from "@effect/vitest"

export const assertAccessible = (markup: string) => {
  const ids = [...markup.matchAll(/ id="([^"]*)"/gu)].map(([, id = ""]) => id)
  assert.deepStrictEqual(
    ids.filter((id, index) => ids.indexOf(id) !== index),
    []
  )
  const controls = [...markup.matchAll(/<(button|select|summary|pre)\b([^>]*)>(.*?)<\/\1>/gsu)]
  assert.isNotEmpty(controls)
  for (const [control, element, attributes = "", content = ""] of controls) {
    assert.match(attributes, / id="[^"]/u, control)
    const words = element !== "select" ? content.replaceAll(/<[^>]*>/gu, "").trim() : ""
    assert.isTrue(words !== "" || / aria-label="[^"]/u.test(attributes), `${control} has no name`)
  }
  for (const [table] of markup.matchAll(/<table\b.*?<\/table>/gsu)) {
    assert.match(table, / aria-labelledby="|<caption/u)
    assert.match(table, /<th scope="/u)
  }
  for (const [image] of markup.matchAll(/<[^>]* role="img"[^>]*>/gu)) assert.match(image, / aria-label="[^"]/u)
}
