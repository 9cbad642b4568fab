import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { commands, views } from "../../src/Contributions.ts"
import type { AnyEvent } from "../../src/events/AnyEvent.ts"
import { overviewOf } from "../../src/overview/Overview.ts"
import { defaultFilter } from "../../src/overview/OverviewFilter.ts"
import { OverviewMessage, pageCommands } from "../../src/overview/OverviewMessage.ts"
import type { OverviewContent } from "../../src/overview/OverviewContent.ts"
import { overviewPage, signedOutPage } from "../../src/overview/OverviewPage.ts"
import { assertAccessible } from "../Accessibility.ts"

const now = Date.parse("2026-11-22T12:00:00Z")
const hostile = `<img src=x onerror="alert(1)">`

const event = (number: number, text = "plain"): AnyEvent => ({
  metadata: {
    uid: `leak/${text}${number % 9}/${number}`,
    type: `${text} type`,
    severity: number % 2 === 0 ? "critical" : "low",
    estimated_created_at: new Date(now - (number % 40) * 43_200_000).toISOString(),
    matched_at: null
  },
  tenant_metadata: { severity: null, tags: [], notes: null },
  highlights: {},
  identifiers: [{ id: 1, name: `${text} identifier` }]
})

const shown = (events: ReadonlyArray<AnyEvent>, more: Partial<OverviewContent> = {}): OverviewContent => ({
  overview: overviewOf(events, {
    filter: defaultFilter,
    isOfTenant: true,
    isPartial: false,
    now,
    since: "2026-11-21T12:00:00Z"
  }),
  numbers: { source: "loaded", asOf: undefined, isLoading: false, loaded: 0, problem: undefined },
  now,
  since: "2026-11-21T12:00:00Z",
  load: { sources: 3, requests: 18, searches: 6 },
  accounts: [{ search: "1", name: "example.com", found: 12, hasMore: true }],
  accountsFound: 12,
  domains: ["example.org"],
  check: { leaked: 2, verdict: "2 leaked. 9 searches.", isWhole: false },
  searchesLeft: 0,
  hide: (name) => name,
  ...more
})

const many = (text?: string) => Array.from({ length: 200 }, (_, number) => event(number, text))
const text = (markup: string) => markup.replaceAll(/<[^>]*>/gu, " ").replaceAll(/\s+/gu, " ")
const unescaped = (value: string) =>
  value.replaceAll(/&#(\d+);/gu, (_, code: string) => String.fromCodePoint(Number(code)))

describe("the page of the overview", () => {
  it("gives each control a name and a unique id, by which it keeps the focus when the page is drawn again", () => {
    assertAccessible(overviewPage(shown(many())).markup)
  })

  it("says how many of many bars it shows", () => {
    const of = (sources: number) =>
      overviewPage(shown(Array.from({ length: sources }, (_, number) => event(number % 2, `${number}-`)))).markup
    assert.include(text(of(106)), "100 more")
    assert.notInclude(text(of(106)), "Only the first")
    assert.include(text(of(107)), "101 more")
    assert.include(text(of(107)), "Only the first 100 are shown.")
  })

  it("separates the segments of a bar by a gap", () => {
    const { markup } = overviewPage(shown(many()))
    const bars = [...markup.matchAll(/<svg viewBox="0 0 100 10".*?<\/svg>/gsu)]
    assert.isNotEmpty(bars)
    for (const [bar] of bars) {
      const parts = [...bar.matchAll(/x="([\d.]+)"\s+y="0"\s+width="([\d.]+)"/gu)].map(([, x, width]) => ({
        start: Number(x),
        end: Number(x) + Number(width)
      }))
      assert.isNotEmpty(parts)
      for (const [index, { start }] of parts.entries()) {
        if (index > 0) assert.isAtLeast(start - (parts[index - 1]?.end ?? start), 0.9)
      }
    }
  })

  it("states each number in words, and the cost of loading more", () => {
    const said = text(overviewPage(shown(many())).markup)
    for (const words of [
      "12+ exposed accounts",
      "2 leaks in the last check",
      "0 searches left",
      "200 open events in 30 days",
      "critical 100",
      "Counted from the 200 events loaded so far.",
      "At most 18 requests, 6 of which use your search quota.",
      "Look Up Accounts of example.org"
    ]) {
      assert.include(said, words)
    }
  })

  it("marks each number that can be higher, and says above them how old they are and how far the update is", () => {
    const { overview } = shown(many())
    const numbers = {
      source: "tenant",
      asOf: now - 86_400_000,
      isLoading: true,
      loaded: 30,
      problem: "Too many requests."
    } as const
    const { markup } = overviewPage(shown([], { overview: { ...overview, isPartial: true }, numbers }))
    assert.match(unescaped(markup), /role="img"\s+aria-label="[^"]* 200\+ events\./u)
    assert.match(unescaped(markup), /aria-label="plain identifier, [^"]*: 200\+ events"/u)
    assert.include(unescaped(markup), 'aria-label="example.com: 12+ accounts"')
    const said = text(markup).trim()
    assert.match(
      said,
      /^As of Nov 21, 2026, .*?\. Too many requests\. Updating: 30 events loaded so far\. 10\+ new events since/u
    )
    for (const words of ["200+ open events in 30 days", "critical 100+"]) assert.include(said, words)
    assert.notInclude(said, "Load More Events")
    assert.notInclude(text(overviewPage(shown(many())).markup).replaceAll("12+", ""), "+")
  })

  it("shows no numbers before the first events are there, and why there are none", () => {
    const { overview } = shown([])
    const saidOf = (isLoading: boolean, problem: string | undefined, isPartial = true) => {
      const numbers = { source: "tenant", asOf: undefined, isLoading, loaded: 0, problem } as const
      return text(overviewPage(shown([], { overview: { ...overview, isPartial }, numbers })).markup).trim()
    }
    assert.match(saidOf(true, undefined), /^Loading… – new events since/u)
    assert.match(
      saidOf(false, "The service cannot be reached."),
      /^The service cannot be reached\. – new events since/u
    )
    for (const said of [saidOf(true, undefined), saidOf(false, "The service cannot be reached.")])
      assert.notMatch(said, /0\+|No event/u)
    assert.match(saidOf(false, undefined, false), / 0 open events in 30 days/u)
  })

  it("sends only messages that the extension understands, and names existing commands", () => {
    const pages = [
      overviewPage(shown(many())),
      overviewPage(shown([], { accounts: [], check: undefined, searchesLeft: undefined })),
      overviewPage(shown([], { load: { sources: 0, requests: 0, searches: 0 } })),
      signedOutPage(true),
      signedOutPage(false)
    ]
    const sent = pages.flatMap(({ markup }) =>
      [...markup.matchAll(/data-message="([^"]*)"/gu)].map(([, value = ""]): unknown => JSON.parse(unescaped(value)))
    )
    assert.isAbove(sent.length, 100)
    for (const message of sent) assert.isTrue(Schema.is(OverviewMessage)(message), JSON.stringify(message))
    const known = new Set([...Object.keys(commands), ...Object.keys(views).map((name) => `${name}.focus`)])
    assert.deepStrictEqual(
      pageCommands.filter((name) => !known.has(name)),
      []
    )
  })

  it("shows untrusted content as text, and has nothing that the security policy would refuse", () => {
    const { markup } = overviewPage(shown(many(hostile), { domains: [hostile] }))
    assert.include(unescaped(text(markup)), "onerror")
    const tags = [...markup.replaceAll(/"[^"]*"/gu, "").matchAll(/<([a-z]\S*)([^>]*)>/gu)]
    assert.isAbove(tags.length, 100)
    for (const [, name = "", attributes = ""] of tags) {
      assert.notInclude(["img", "script", "style"], name)
      for (const [, attribute = ""] of attributes.matchAll(/([\w-]+)=/gu))
        assert.notMatch(attribute, /^(?:on|style|src|href)/u)
    }
  })

  it("has a table behind the chart with every number that the chart shows", () => {
    const { markup } = overviewPage(shown(many()))
    const table = /<details id="time-table">.*?<\/details>/su.exec(markup)?.[0] ?? ""
    const { byTime } = shown(many()).overview
    const totals = byTime.filter(({ total }) => total > 0).toReversed()
    assert.deepStrictEqual(
      [...table.matchAll(/: (\d+) events?"/gu)].map(([, value]) => Number(value)),
      totals.flatMap(({ parts, total }) => [[total], parts.map(({ count }) => count)].flat())
    )
    assert.match(
      markup,
      /<svg\s+role="img"\s+aria-label="Events per day: Oct 24 – Nov 22\. 200 events\. critical 100, low 100"/u
    )
  })

  it("begins each choice and each column with a capital, and has symbols for the columns of a narrow page", () => {
    const { markup } = overviewPage(shown(many()))
    for (const [, choice = ""] of markup.matchAll(/<option [^>]*>([^<]*)</gu)) assert.match(choice, /^[A-Z\d]/u)
    const head = /<table class="numbers">.*?<\/thead>/su.exec(markup)?.[0] ?? ""
    assert.strictEqual(text(head).trim(), "Events per day Day Total Critical Low")
    assert.lengthOf([...head.matchAll(/<span class="dot" aria-hidden="true">/gu)], 2)
  })

  it("has no duplicate id", () => {
    const ids = [...overviewPage(shown(many())).markup.matchAll(/\sid="([^"]*)"/gu)].map(([, id]) => id)
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  it("hides names while a screen is shared", () => {
    const { markup } = overviewPage(shown(many(), { hide: () => "••••" }))
    assert.notInclude(text(markup), "plain identifier")
    assert.include(text(markup), "••••")
  })

  it("offers to create something to count if there is nothing yet", () => {
    const nothing = text(overviewPage(shown([], { load: { sources: 0, requests: 0, searches: 0 } })).markup)
    assert.include(nothing, "Create Identifier")
    assert.notInclude(nothing, "By type")
    // All events of the tenant are loaded: there are none.
    const numbers = { source: "tenant", asOf: undefined, isLoading: false, loaded: 0, problem: undefined } as const
    const none = text(overviewPage(shown([], { load: { sources: 0, requests: 0, searches: 0 }, numbers })).markup)
    assert.include(none, "Create Identifier")
    assert.notInclude(none, "No events are loaded yet.")
    const unloaded = text(overviewPage(shown([])).markup)
    assert.include(unloaded, "No events are loaded yet.")
    assert.include(unloaded, "Load Events")
  })
})
