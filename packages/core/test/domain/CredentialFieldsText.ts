/** Generates the text of `src/domain/CredentialFields.ts` from the schemas. */
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { CredentialFields, Source } from "@threat-exposure/core/domain/Credential"

export const path = new URL("../../src/domain/CredentialFields.ts", import.meta.url)

type Fields = Schema.Struct<{ readonly [name: string]: Schema.Codec<unknown, unknown> }>

/** A sample value of each type, the function that reads it, and the condition that checks its type. */
const kinds = [
  { sample: "text", type: "string", read: "readText", is: (value: string) => `typeof ${value} === "string"` },
  { sample: 1, type: "number", read: "readInteger", is: (value: string) => `Number.isSafeInteger(${value})` },
  { sample: true, type: "boolean", read: "readFlag", is: (value: string) => `typeof ${value} === "boolean"` },
  { sample: ["text"], type: "ReadonlyArray<string>", read: "readTexts", is: (value: string) => `isTexts(${value})` }
]

/** How to read each field, determined by decoding: the accepted type, and the result for an absent value. */
const readersOf = ({ fields }: Fields) => {
  const absent: Record<string, unknown> = Schema.decodeUnknownSync(Schema.Struct(fields))({})
  return Object.entries(fields).map(([name, field]) => {
    const decode = Schema.decodeUnknownOption(Schema.Struct({ field }))
    const kind = kinds.find(({ sample }) => Option.isSome(decode({ field: sample })))
    const value = `wire["${name}"]`
    const fallback = JSON.stringify(absent[name])
    const decoded = Option.map(decode({ field: kind?.sample }), ({ field }) => field)
    const isOptional = !(name in absent)
    return {
      name,
      isRedacted: Option.exists(decoded, Redacted.isRedacted),
      isOptional,
      type: `${name}${isOptional ? "?" : ""}: ${kind?.type ?? "SourceFields"}${absent[name] === null ? " | null" : ""}`,
      read: kind === undefined ? `readRecord(${value}, readSource)` : `${kind.read}(${value}, ${fallback})`,
      is: kind === undefined ? "" : fallback === "null" ? `(${kind.is(value)} || ${value} === null)` : kind.is(value)
    }
  })
}

export const credentialFields = (): string => {
  const source = readersOf(Source)
  const credential = readersOf(CredentialFields)
  const lines = [
    "/** Generated from the schemas of `Credential.ts` by `pnpm run fields`: do not edit. */",
    `import { isTexts, readFlag, readInteger, readRecord, readText, readTexts, type Wire } from "./schema/FieldReader.ts"`,
    "",
    "interface SourceFields {",
    ...source.map(({ type }) => `  readonly ${type}`),
    "}",
    "",
    "/** Reads a source; one with exactly the fields of the schema is not copied. */",
    "const readSource = (wire: Wire): SourceFields =>",
    "  isSource(wire)",
    "    ? wire",
    "    : {",
    source.map(({ name, read }) => `        ${name}: ${read}`).join(",\n"),
    "      }",
    "",
    "const isSource = (wire: Wire): wire is SourceFields & Wire => {",
    "  let fields = 0",
    "  for (const _ in wire) fields += 1",
    "  return (",
    [`fields === ${source.length}`, ...source.map(({ is }) => is)].map((condition) => `    ${condition}`).join(" &&\n"),
    "  )",
    "}",
    "",
    "/** A credential without its hash, which a subclass sets at its position among the fields. */",
    "export abstract class CredentialRecord {",
    ...credential.filter(({ isRedacted }) => !isRedacted).map(({ type }) => `  declare ${type}`),
    "",
    "  protected abstract setHash(hash: string | null): void",
    "",
    "  protected read(wire: Wire): void {",
    ...credential.map(({ isOptional, isRedacted, name, read }) =>
      isRedacted
        ? `    this.setHash(${read})`
        : isOptional
          ? `    const ${name} = ${read}\n    if (${name} !== undefined) this.${name} = ${name}`
          : `    this.${name} = ${read}`
    ),
    "  }",
    "}"
  ]
  return `${lines.join("\n")}\n`
}
