/** Looks for planted values in what a program wrote, however they might have got there. */

/** The spellings in which a value could leave a program. */
const spellings = (value: string): ReadonlyArray<string> => [
  ...new Set([
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    Buffer.from(value).toString("base64").replaceAll("=", ""),
    Buffer.from(value).toString("base64url"),
    Buffer.from(value).toString("hex"),
    [...value].toReversed().join("")
  ])
]

/** The names of the values that occur in the output, and where. */
export const leakedInto = (
  written: ReadonlyMap<string, string | Uint8Array>,
  values: Readonly<Record<string, string>>
): ReadonlyArray<string> =>
  Array.from(written, ([place, content]) => {
    const bytes = Buffer.from(content)
    return Object.entries(values).flatMap(([name, value]) =>
      spellings(value).some((spelling) => bytes.includes(spelling)) ? [`${name} in ${place}`] : []
    )
  }).flat()
