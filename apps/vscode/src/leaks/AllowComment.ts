/** Comments that allow values in the code: see docs/detection.md. */

/** The comment line that allows the values of the next line; undefined for languages without known comments. */
export const allowingLine = (languageId: string, indentation: string, reason: string): string | undefined => {
  const comment = comments.get(languageId)
  if (comment === undefined) return undefined
  const [start, end = ""] = comment
  // Removes everything that would end the comment.
  const said = reason.replaceAll(/[\r\n]+|-->|\*\//gu, " ").trim()
  return `${indentation}${start} threat-exposure: allow-next-line${said === "" ? "" : ` (${said})`}${end}\n`
}

const comments: ReadonlyMap<string, readonly [start: string, end?: string]> = new Map(
  Object.entries({
    "//": "c cpp csharp dart fsharp go groovy java javascript javascriptreact jsonc kotlin less objective-c php rust scala scss swift typescript typescriptreact",
    "#": "coffeescript dockercompose dockerfile dotenv elixir ini julia makefile perl powershell properties python r ruby shellscript terraform toml yaml",
    "--": "haskell lua sql"
  }).flatMap(([start, languages]) => languages.split(" ").map((language) => [language, [start]] as const))
)
