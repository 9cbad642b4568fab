import { existsSync, readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { severities } from "@threat-exposure/core/domain/Severity"
import { commandsInSources, literalMessages, wordsOfTheApi } from "../scripts/messages.ts"
import { colors, commands, views } from "../src/Contributions.ts"
import { manifest, withNoBreakSpaces } from "../src/Manifest.ts"
import { walkthrough } from "../src/Walkthrough.ts"

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), "utf8"))
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const inMenu = (name: string): ReadonlyArray<{ readonly command: string; readonly when: string }> => {
  const { contributes } = read("package.json") as {
    contributes: { menus: Record<string, ReadonlyArray<{ command: string; when: string }>> }
  }
  return contributes.menus[name] ?? []
}

/** The relative luminance of WCAG 2.2. */
const luminance = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const contrast = (a: string, b: string): number => {
  const [lighter, darker] = [luminance(a), luminance(b)].toSorted((x, y) => y - x)
  return ((lighter ?? 0) + 0.05) / ((darker ?? 0) + 0.05)
}

describe("package.json", () => {
  const { activationEvents, capabilities, contributes, english, french } = manifest()

  it("contains the contributions of the sources: run `node scripts/contribute.ts` after a change", () => {
    const written = read("package.json") as Record<string, unknown>
    assert.deepStrictEqual(plain({ activationEvents, capabilities, contributes }), {
      activationEvents: written["activationEvents"],
      capabilities: written["capabilities"],
      contributes: written["contributes"]
    })
    assert.deepStrictEqual(read("package.nls.json"), english)
    assert.deepStrictEqual(read("package.nls.fr.json"), french)
  })

  it("has a separate picture for each step of the walkthrough", () => {
    const pictures = Object.values(walkthrough.steps).map(({ picture }) => picture)
    assert.strictEqual(new Set(pictures).size, pictures.length)
    for (const picture of pictures) {
      const svg = readFileSync(new URL(`../media/${picture}`, import.meta.url), "utf8")
      // Icons use only colours of the theme, so that they are visible in each theme.
      assert.notMatch(svg, /(?:fill|stroke)="(?!var\(--vscode-|none)/u)
    }
  })

  it("has no words in its pictures that would need a translation", () => {
    const bundle = read("l10n/bundle.l10n.fr.json") as Record<string, string>
    const words = [...Object.entries(bundle), ...Object.entries(english).map(([key, text]) => [text, french[key]])]
      .filter(([text, translation]) => text !== translation)
      .map(([text = ""]) => text.replaceAll(/[.*+?^$()|[\]\\]/gu, String.raw`\$&`).replaceAll(/\{\d\}/gu, "[^ ]+"))
    const patterns = words.map((text) => new RegExp(`^${text}…?$`, "iu"))
    const media = new URL("../media/", import.meta.url)
    const pictures = readdirSync(media).filter((file) => file.endsWith(".svg"))
    const drawn = pictures.map((file) => readFileSync(new URL(file, media), "utf8")).join("")
    const texts = [...drawn.matchAll(/<text[^>]*>([^<]*)</gu)].map(([, text = ""]) => text)
    assert.isAbove(texts.length, 5)
    assert.deepStrictEqual(
      texts.filter((text) => patterns.some((pattern) => pattern.test(text))),
      []
    )
  })

  it("agrees with the README: every view and every screenshot", () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")
    const named = new Set([...readme.matchAll(/^- \*\*(.+?)\*\*/gmu)].map(([, name]) => name))
    assert.deepStrictEqual(
      Object.values(views).flatMap(({ name }) => (named.has(name.en) ? [] : name.en)),
      []
    )
    const pictures = [...readme.matchAll(/!\[[^\]]+\]\(([^)]+)\)/gu)].map(([, path = ""]) => path)
    assert.isAtLeast(pictures.length, 3)
    for (const path of pictures) assert.isTrue(existsSync(new URL(`../${path}`, import.meta.url)), path)
  })

  it("gives each severity its own colour, with enough contrast in every kind of theme", () => {
    const backgrounds = {
      // Backgrounds of the current themes, and of a selected row.
      dark: ["#121314", "#1f1f1f", "#37373d"],
      light: ["#ffffff", "#e8e8e8"],
      highContrast: ["#000000"],
      highContrastLight: ["#ffffff"]
    }
    for (const [theme, colorsBehind] of Object.entries(backgrounds)) {
      const chosen = Object.values(colors).map((color) => color[theme as "dark"])
      assert.strictEqual(new Set(chosen).size, severities.length)
      for (const color of chosen) {
        // WCAG 2.2, 1.4.11 requires 3:1 for graphics; high contrast themes use the 7:1 of text.
        const least = theme.startsWith("highContrast") ? 7 : 3
        for (const behind of colorsBehind) assert.isAtLeast(contrast(color, behind), least, `${color} on ${behind}`)
      }
    }
  })

  it("contributes every custom colour that a page or a picture uses", () => {
    const media = new URL("../media/", import.meta.url)
    const styles = readdirSync(media)
      .filter((file) => /\.(?:css|svg)$/u.test(file))
      .map((file) => readFileSync(new URL(file, media), "utf8"))
      .join("\n")
    const named = [...styles.matchAll(/--vscode-threatExposure-([\w-]+)/gu)].map(([, name]) => name)
    assert.deepStrictEqual([...new Set(named)].toSorted(), Object.keys(colors).toSorted())
    // The editor replaces only the first dot of an id, which is the one after the prefix.
    for (const name of Object.keys(colors)) assert.notInclude(name, ".")
  })

  it("names no command like the editor's own commands of each view", () => {
    const ofTheEditor = new Set(
      Object.keys(views).flatMap((view) =>
        ["focus", "open", "removeView", "resetViewLocation", "toggleVisibility"].map((name) => `${view}.${name}`)
      )
    )
    assert.deepStrictEqual(
      Object.keys(commands).filter((name) => ofTheEditor.has(name)),
      []
    )
  })

  it("does not let an untrusted workspace weaken a check, show masked names, or exceed the service's rate", () => {
    const { capabilities, contributes } = read("package.json") as {
      capabilities: { untrustedWorkspaces: { restrictedConfigurations: ReadonlyArray<string> } }
      contributes: { configuration: { properties: object } }
    }
    const { restrictedConfigurations: restricted } = capabilities.untrustedWorkspaces
    const names = Object.keys(contributes.configuration.properties)
    const ofChecks = names.filter((name) => name.includes(".leakCheck."))
    const ofRequests = names.filter((name) => name.includes(".requests."))
    // This setting only affects local marks.
    const local = ["threatExposure.leakCheck.asYouType"]
    assert.isAtLeast(ofChecks.length, 5)
    assert.includeMembers([...restricted, ...local], ofChecks)
    assert.includeMembers([...restricted], ["threatExposure.profiles", "threatExposure.masking", ...ofRequests])
    assert.isNotEmpty(ofRequests)
  })

  it("offers a leak check beside the changes, and on every file and folder of the explorer", () => {
    const offered = (menu: string) => new Map(inMenu(menu).map(({ command, when }) => [command, when]))
    assert.match(offered("scm/title").get("threatExposure.checkChanges") ?? "", /scmProvider == git/u)
    const explorer = offered("explorer/context")
    assert.match(explorer.get("threatExposure.checkFile") ?? "", /!explorerResourceIsFolder/u)
    assert.match(explorer.get("threatExposure.checkFolder") ?? "", / explorerResourceIsFolder/u)
  })

  it("offers no command that needs a selection without one", () => {
    const offered = new Map(inMenu("commandPalette").map(({ command, when }) => [command, when]))
    const onlyOnRows = inMenu("view/item/context").map(({ command }) => command)
    // The log is not specific to a view.
    const anywhere = new Set([...inMenu("view/title").map(({ command }) => command), "threatExposure.showLog"])
    assert.isNotEmpty(onlyOnRows)
    assert.deepStrictEqual(
      onlyOnRows.filter((command) => !anywhere.has(command) && offered.get(command) === undefined),
      []
    )
    assert.match(offered.get("threatExposure.checkSelection") ?? "", /editorHasSelection/u)
    assert.match(offered.get("threatExposure.checkFile") ?? "", /editorIsOpen/u)
  })

  it("writes abbreviations in capitals, in both languages", () => {
    const bundle = Object.values(read("l10n/bundle.l10n.fr.json") as Record<string, string>)
    const shown = [...Object.values(english), ...Object.values(french), ...literalMessages(), ...bundle]
    assert.deepStrictEqual(
      shown.filter((text) => /\b(?:[iI]d|[uU]id|[uU]uid|[uU]rl|[jJ]wt)s?\b/u.test(text)),
      []
    )
  })

  it("has one term for each concept, in each language", () => {
    const bundle = read("l10n/bundle.l10n.fr.json") as Record<string, string>
    const others = {
      english: /\buser name\b|\bauth domains?\b|\bservice domains?\b|\bransomleak\b|\brelevancy\b/iu,
      // A leaked credential is an "identifiant compromis": "identifiant" alone means a monitored identifier.
      french:
        /adresses? électronique|identifiants? divulgué|réglage|étapes de rotation|\b(?:Chercher|chercher) (?:des|ces)\b/u
    }
    assert.deepStrictEqual(
      [...Object.values(english), ...literalMessages()].filter((text) => others.english.test(text)),
      []
    )
    assert.deepStrictEqual(
      [...Object.values(french), ...Object.values(bundle)].filter((text) => others.french.test(text)),
      []
    )
  })

  it("describes every part of a setting in each language", () => {
    const { contributes: written } = read("package.json") as { contributes: { configuration: object } }
    const descriptions = [...JSON.stringify(written.configuration).matchAll(/"description":"([^"]*)"/gu)]
    assert.isAbove(descriptions.length, 5)
    for (const [, description = ""] of descriptions) assert.match(description, /^%.+%$/u)
  })

  it("has one command that shows the log", () => {
    const shows = Object.entries(english).filter(
      ([key, text]) => key.startsWith("command.") && /\blogs?\b/iu.test(text)
    )
    assert.deepStrictEqual(shows, [["command.showLog", "Show Log"]])
  })

  it("contributes every command that a text, a row or a button refers to", () => {
    const known = new Set([...Object.keys(commands), ...Object.keys(views).map((view) => `${view}.focus`)])
    const inTexts = [...Object.values(english), ...Object.values(french)].flatMap((text) =>
      [...text.matchAll(/\(command:threatExposure\.([\w.]+)\)/gu)].map(([, name = ""]) => name)
    )
    assert.isAtLeast(inTexts.length, 40)
    assert.isAtLeast(commandsInSources().length, 40)
    assert.deepStrictEqual(
      [...inTexts, ...commandsInSources()].filter((name) => !known.has(name)),
      []
    )
  })

  it("uses @types/vscode no newer than the engine that it requires", () => {
    const { engines } = read("package.json") as { engines: { vscode: string } }
    const types = read("node_modules/@types/vscode/package.json") as { version: string }
    assert.strictEqual(`^${types.version.split(".").slice(0, 2).join(".")}.0`, engines.vscode)
  })
})

describe("the French translation", () => {
  const french = read("l10n/bundle.l10n.fr.json") as Record<string, string>

  it("contains every message of the sources and every term of the API", () => {
    const missing = [...literalMessages(), ...wordsOfTheApi()].filter((message) => french[message] === undefined)
    assert.deepStrictEqual(missing, [])
  })

  it("has no-break spaces before punctuation: run `node scripts/contribute.ts` after a change", () => {
    for (const translation of Object.values(french)) assert.strictEqual(translation, withNoBreakSpaces(translation))
    assert.strictEqual(withNoBreakSpaces("« Ou » : quoi ?"), "«\u00A0Ou\u00A0»\u00A0: quoi\u202F?")
  })

  it("keeps every placeholder", () => {
    const places = (text: string) => [...text.matchAll(/\{\d+\}/gu)].map(([place]) => place).toSorted()
    for (const [message, translation] of Object.entries(french)) {
      assert.deepStrictEqual(places(translation), places(message), message)
    }
  })
})
