/** Numbers and adjectives in French, where they agree with what they describe. */
import { readFileSync } from "node:fs"
import { Schema } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { describe as describeFilter } from "../../src/events/search/EventFilter.ts"
import { describeIdentifierFilter } from "../../src/identifiers/IdentifierFilter.ts"
import { overviewOf } from "../../src/overview/Overview.ts"
import type { OverviewContent } from "../../src/overview/OverviewContent.ts"
import { defaultFilter } from "../../src/overview/OverviewFilter.ts"
import { overviewPage } from "../../src/overview/OverviewPage.ts"
import { count, speak, t } from "../../src/words/Localisation.ts"

const bundle = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)))(
  readFileSync(new URL("../../l10n/bundle.l10n.fr.json", import.meta.url), "utf8")
)
const fill = (message: string, args: ReadonlyArray<string | number>) =>
  message.replaceAll(/\{(\d)\}/gu, (_, index: string) => String(args[Number(index)]))

beforeAll(() =>
  speak(
    (message, args, context) => fill(bundle[context === undefined ? message : `${message}/${context}`] ?? "", args),
    "fr"
  )
)
afterAll(() => speak(fill, "en"))

describe("in French", () => {
  it("a filter describes several events or identifiers", () => {
    assert.strictEqual(describeFilter({ status: ["open"] }), "ouverts")
    assert.strictEqual(describeFilter({ status: ["ignored", "remediated"] }), "ignorés, corrigés")
    assert.strictEqual(describeIdentifierFilter({ types: [], order_by: "name", is_disabled: true }), "désactivés")
    assert.strictEqual(t("ignored"), "ignoré")
  })

  it.each([
    [0, "0 événement"],
    [1, "1 événement"],
    [2, "2 événements"],
    [1000, "1\u202F000 événements"]
  ])("%i agrees with its noun", (number, expected) => {
    assert.strictEqual(count(number, "{0} event", "{0} events"), expected)
  })

  it.each([
    [0, "recherche restante", "0 compte"],
    [1, "recherche restante", "1 compte"],
    [2, "recherches restantes", "2 comptes"],
    [1000, "recherches restantes", "1\u202F000 comptes"]
  ])("the tiles of the overview agree with %i", (number, searches, accounts) => {
    const overview = overviewOf([], {
      filter: defaultFilter,
      isOfTenant: true,
      isPartial: false,
      now: 0,
      since: "1970"
    })
    const shown: OverviewContent = {
      overview: { ...overview, fresh: { ...overview.all, total: number } },
      numbers: { source: "tenant", asOf: undefined, isLoading: false, loaded: 0, problem: undefined },
      now: Date.parse("2026-11-22T12:00:00Z"),
      since: "2026-11-21T12:00:00Z",
      load: { sources: 1, requests: 0, searches: 0 },
      accounts: [{ search: "1", name: "example.com", found: number, hasMore: false }],
      accountsFound: number,
      domains: [],
      check: undefined,
      searchesLeft: number,
      hide: (name) => name
    }
    const { markup } = overviewPage(shown)
    assert.include(markup, `>${searches}<`)
    assert.include(markup, `example.com\u00A0: ${accounts}"`)
    assert.include(markup, number > 1 ? ">nouveaux événements depuis 21 nov." : ">nouvel événement depuis 21 nov.")
  })
})
