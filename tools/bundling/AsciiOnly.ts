import type { Plugin } from "rolldown"

/** One character beyond Latin-1 makes V8 store the whole file with two bytes per character, and parse it at half the speed. */
export const asciiOnly: Plugin = {
  name: "ascii-only",
  // The minifier would undo it, so this runs after it.
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== "chunk") continue
      file.code = file.code.replaceAll(
        /[^\0-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
      )
    }
  }
}
