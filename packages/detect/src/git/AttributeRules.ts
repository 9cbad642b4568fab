/** Evaluates `.gitattributes` files for marks of generated and vendored files, as git does. */
import { Glob } from "effect"

/**
 * Returns a predicate that tells whether the attribute files mark a path. The last matching line of the deepest file
 * with a match decides.
 */
export const attributeRules = (
  files: ReadonlyArray<readonly [path: string, text: string]>
): ((path: string) => boolean) => {
  const deepestFirst = files
    .map(([path, text]) => linesOf(path, text))
    .toSorted((a, b) => b.folder.length - a.folder.length)
  return (path) =>
    ["linguist-generated", "linguist-vendored"].some((attribute) => {
      for (const { folder, lines } of deepestFirst) {
        if (!path.startsWith(folder)) continue
        const line = lines.findLast(
          ([name, , pattern]) => name === attribute && Glob.match(pattern, path.slice(folder.length))
        )
        if (line !== undefined) return line[1]
      }
      return false
    })
}

/** Lines of an attribute file that mark generated or vendored files. */
interface AttributeLines {
  readonly folder: string
  readonly lines: ReadonlyArray<readonly [attribute: string, isSet: boolean, pattern: Glob.Glob]>
}

const linesOf = (path: string, text: string): AttributeLines => ({
  folder: path.slice(0, -".gitattributes".length),
  lines: text.split(/\r?\n/).flatMap((line) => {
    const [, pattern = "", rest = ""] = /^\s*("(?:[^"\\]|\\.)+"|[^\s#!]\S*)\s+(.*linguist.*)$/.exec(line) ?? []
    return Array.from(
      rest.matchAll(/(?<!\S)([-!]?)(linguist-(?:generated|vendored))(?:=(\S*))?(?!\S)/g),
      ([, sign, attribute = "", value = "true"]) =>
        [attribute, sign === "" && value === "true", globOf(pattern.replaceAll(/^"|"$/g, ""))] as const
    )
  })
})

/** A pattern without a slash matches names in any folder; braces and parentheses are literal. */
const globOf = (pattern: string): Glob.Glob => {
  const plain = pattern.replaceAll(/[{}()|]/g, "\\$&")
  return Glob.make(plain.includes("/") ? plain.replace(/^\//, "") : `**/${plain}`, { dot: true })
}
