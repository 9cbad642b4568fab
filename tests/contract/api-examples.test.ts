/** Every example of `docs/api.md`, run in order against a service with sample data: the answer has the fields shown. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { describeOnEngines } from "@threat-exposure/service/testing/Engines"
import { type RunningService, startService } from "@threat-exposure/service/testing/TestService"

const root = fileURLToPath(new URL("../..", import.meta.url))
const page = readFileSync(`${root}docs/api.md`, "utf8")

/** Each block of commands, with the answer that is shown after it, if any. */
const examples = [...page.matchAll(/^```sh\n(.*?)^```\n(?:\n```json\n(.*?)^```\n)?/gmsu)].map(
  ([, commands = "", answer]) => ({ commands: commands.replaceAll("\\\n", " ").trim().split("\n"), answer })
)

/** The words of a command, as a shell splits them. */
const wordsOf = (command: string): ReadonlyArray<string> =>
  [...command.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/gu)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/gu, (_, single, double) => single ?? double)
  )

const fetchAsCurl = (words: ReadonlyArray<string>): Promise<Response> => {
  const headers = new Headers()
  let url = ""
  let method: string | undefined
  let body: string | undefined
  for (let at = 0; at < words.length; at += 1) {
    const value = words[at + 1] ?? ""
    switch (words[at]) {
      case "-H":
        headers.append(value.slice(0, value.indexOf(":")), value.slice(value.indexOf(":") + 1).trim())
        break
      case "-X":
      case "--request":
        method = value
        break
      case "-d":
        body = value
        break
      case "--data-urlencode": {
        const [name = ""] = value.split("=", 1)
        url += `?${name}=${encodeURIComponent(value.slice(name.length + 1))}`
        break
      }
      case "-o":
        break
      case "-G":
        continue
      default:
        assert.match(words[at] ?? "", /^http/u, "only the options above are understood")
        url = words[at] ?? ""
        continue
    }
    at += 1
  }
  return fetch(url, { method: method ?? (body === undefined ? "GET" : "POST"), headers, body: body ?? null })
}

/**
 * A value without what differs from one service to the next: times, uuids, cursors and tokens. Lists are cut to those
 * that the page shows. Which fields of an event matched, and whether it has a title, depends on the event that is found.
 */
const stableParts = (value: unknown, shown: unknown): unknown => {
  if (Array.isArray(value)) {
    const items = Array.isArray(shown) ? shown : []
    return value.slice(0, items.length).map((item, index) => stableParts(item, items[index]))
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => name !== "title")
        .map(([name, inner]) => [
          name,
          ["highlights", "next", "refresh_token_exp", "token"].includes(name)
            ? typeof inner
            : stableParts(inner, Object(shown)[name])
        ])
    )
  }
  return String(value).replace(/^\d{4}-\d\d-\d\dT.*|^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u, "varies")
}

describeOnEngines("an example of docs/api.md", ({ store }) => {
  let service: RunningService
  const variables = new Map<string, string>()
  const expand = (command: string) => command.replaceAll(/\$(\w+)/gu, (_, name) => variables.get(name) ?? "")

  beforeAll(async () => {
    service = await startService({ store, sample: true })
    variables.set("URL", service.url).set("TOKEN", service.token)
  })
  afterAll(() => service.stop())

  /** `NAME=$(curl ARGUMENTS | jq -r .FIELD)` */
  const assignField = async (name: string, command: string, field: string) => {
    const response = await fetchAsCurl(wordsOf(expand(command)).slice(1))
    const body: Record<string, unknown> = JSON.parse(await response.text())
    variables.set(name, String(body[field]))
  }

  for (const { answer, commands } of examples) {
    it(`runs: ${commands.at(-1)?.slice(0, 100)}`, async () => {
      for (const command of commands) {
        const [, name = "", inner, field = ""] = /^(\w+)=\$\((curl .*) \| jq -r \.(\w+)\)$/u.exec(command) ?? []
        if (inner !== undefined) {
          await assignField(name, inner, field)
          continue
        }
        const [curl, ...words] = wordsOf(expand(command))
        assert.strictEqual(curl, "curl")
        const response = await fetchAsCurl(words)
        const text = await response.text()
        const isFault = answer !== undefined && /^\{\s*"(?:detail|message)"/u.test(answer)
        assert.strictEqual(response.status >= 400, isFault, text)
        if (words.includes("-o")) assert.notStrictEqual(text, "")
        else if (answer === undefined) assert.strictEqual(text, "")
        else if (isFault) assert.deepStrictEqual(JSON.parse(text), JSON.parse(answer))
        else {
          const shown: unknown = JSON.parse(answer)
          assert.deepStrictEqual(stableParts(JSON.parse(text), shown), stableParts(shown, shown))
        }
      }
    })
  }

  it("is there for every operation", () => {
    assert.isAtLeast(examples.length, 17)
  })
})
