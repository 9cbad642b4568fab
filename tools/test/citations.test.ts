/** Comments and documents cite only what a reader of the repository can open or run. */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
  cwd: root,
  encoding: "utf8"
})
  .split("\0")
  .filter((file) => /\.(?:ts|mts|mjs|js|json|md|ya?ml|sh|conf|service|toml)$|\/[A-Z][A-Za-z]*$/u.test(file))
  .filter((file) => !/^pnpm-lock\.yaml$|^apps\/action\/dist\/|CHANGELOG\.md$/u.test(file))
  .filter((file) => existsSync(join(root, file)))

const lines = files.flatMap((file) =>
  readFileSync(join(root, file), "utf8")
    .split("\n")
    .map((text, at) => ({ file, text, where: `${file}:${at + 1}` }))
)

/** The anchors of a page, as GitHub derives them from its headings. */
const anchorsOf = (file: string): ReadonlySet<string> => {
  const found = new Map<string, number>()
  const anchors = new Set<string>()
  const prose = readFileSync(join(root, file), "utf8").replaceAll(/^```[\s\S]*?^```/gmu, "")
  for (const [, heading = ""] of prose.matchAll(/^#{1,6} +(.*)$/gmu)) {
    const anchor = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-")
    const before = found.get(anchor) ?? 0
    found.set(anchor, before + 1)
    anchors.add(before === 0 ? anchor : `${anchor}-${before}`)
  }
  return anchors
}

describe("README.md", () => {
  it("has at most five lines of measurements, each with a command that exists", () => {
    const [, section = ""] = readFileSync(join(root, "README.md"), "utf8").split("\n## Measured\n")
    const measurements = (section.split("\n## ")[0] ?? "").match(/^- .*$/gmu) ?? []
    assert.isAbove(measurements.length, 2)
    assert.isAtMost(measurements.length, 5)
    for (const measurement of measurements) {
      const names = /`npm run bench -- ([a-z -]+)`/u.exec(measurement)?.[1]?.split(" ") ?? []
      assert.isNotEmpty(names, measurement)
      for (const name of names) assert.isTrue(existsSync(join(root, "bench", `${name}.ts`)), name)
    }
  })
})

describe("docs/README.md", () => {
  it("leads to every page", () => {
    const index = readFileSync(join(root, "docs/README.md"), "utf8")
    const unlinked = files.filter(
      (file) => /^docs\/(?!README)\w+\.md$/u.test(file) && !index.includes(`](${file.slice(5)}`)
    )
    assert.deepStrictEqual(unlinked, [])
  })
})

describe("docs/troubleshooting.md", () => {
  it("quotes messages that the programs print", () => {
    const sources = lines
      .filter(({ file }) => /^(?:apps|packages)\/[\w-]+\/src\//u.test(file))
      .map(({ text }) => text)
      .join("\n")
      .toLowerCase()
    const messages = lines
      .filter(({ file, text }) => file === "docs/troubleshooting.md" && text.startsWith("| "))
      .map(({ text }) => text.split(" | ")[0])
      .join("\n")
      .matchAll(/`([^`]+)`/gu)
      // An ellipsis replaces a name.
      .flatMap(([, message = ""]) => message.split("…").map((part) => part.trim()))
      .filter((part) => part.includes(" "))
      .toArray()
    assert.isAbove(messages.length, 10)
    assert.deepStrictEqual(
      messages.filter((message) => !sources.includes(message.toLowerCase())),
      []
    )
  })
})

describe("what comments and documents cite", () => {
  it("is no document that is not in the repository", () => {
    // Put together, so that this file does not match itself.
    const outside = new RegExp(
      String.raw`\b(?:${["SPEC", "DESIGN", "FIELD[- ]NOTES", "HOUSE", "EFFECT-4", "ANCHORS"].join("|")})\b|\b[Ii]ssue #?\d`,
      "u"
    )
    const citing = lines.filter(({ file, text }) => file !== "tools/test/citations.test.ts" && outside.test(text))
    assert.deepStrictEqual(
      citing.map(({ where }) => where),
      []
    )
  })

  it("is a heading that exists, where it is a page of docs/", () => {
    const pages = new Map(files.filter((file) => /^docs\/\w+\.md$/u.test(file)).map((file) => [file, anchorsOf(file)]))
    // Behind a slash it is a page of another repository, behind a quotation mark a path in test data.
    const broken = lines.flatMap(({ file, text, where }) =>
      file === "tools/test/citations.test.ts"
        ? []
        : [...text.matchAll(/(?<![\w/"])(docs\/\w+\.md)(?:#([\w-]+))?/gu)].flatMap(([cited, page = "", anchor]) => {
            const anchors = pages.get(page)
            return anchors !== undefined && (anchor === undefined || anchors.has(anchor)) ? [] : [`${where}: ${cited}`]
          })
    )
    assert.deepStrictEqual(broken, [])
  })

  it("is a file and a heading that exist, where a document links to them", () => {
    const links = lines
      .filter(({ file }) => file.endsWith(".md"))
      .flatMap(({ file, text, where }) =>
        [...text.matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)/gu)].map(([, path = "", anchor]) => ({
          target: path === "" ? file : normalize(join(dirname(file), path)),
          anchor,
          where
        }))
      )
    assert.isAbove(links.length, 20)
    const broken = links.filter(
      ({ anchor, target }) =>
        !existsSync(join(root, target)) ||
        (anchor !== undefined && target.endsWith(".md") && !anchorsOf(target).has(anchor))
    )
    assert.deepStrictEqual(
      broken.map(({ anchor, target, where }) => `${where}: ${target}${anchor === undefined ? "" : `#${anchor}`}`),
      []
    )
  })
})
