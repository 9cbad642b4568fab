/** Decoding a page of 10,000 credentials, against the `JSON.parse` that comes before it, with zod and ajv beside it. */
import { loadavg } from "node:os"
import { CredentialPage, credentialPageWith } from "@threat-exposure/core/domain/Credential"
import { Secret } from "@threat-exposure/core/promise"
import { Ajv } from "ajv"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { z } from "zod"
import { pageSize, pageText } from "./CorePages.ts"
import { credentialAt } from "./SyntheticCredentials.ts"
import { median, printTable, type Row } from "./Table.ts"

const runs = Number(process.env["RUNS"] ?? 100)

const text = z.string().nullish()
const texts = z.array(z.string()).nullish()
const zodPage = z.object({
  items: z.array(
    z.object({
      id: z.int(),
      identity_name: z.string(),
      domain: text,
      source_id: text,
      imported_at: z.string(),
      hash: text,
      hash_type: text,
      source: z
        .object({
          id: z.string(),
          name: text,
          description_en: text,
          description_fr: text,
          breached_at: text,
          leaked_at: text,
          is_alert_enabled: z.boolean().nullish(),
          pii_tags: texts,
          url: text
        })
        .nullish(),
      known_password_id: z.int().nullish(),
      credential_hash: text,
      event_uid: text,
      auth_domains: texts,
      urls: texts
    })
  ),
  next: text
})

const string = { type: ["string", "null"] }
const strings = { type: ["array", "null"], items: { type: "string" } }
const ajvPage = new Ajv({ allowUnionTypes: true }).compile({
  type: "object",
  required: ["items"],
  properties: {
    items: {
      type: "array",
      items: {
        type: "object",
        required: ["id", "identity_name", "imported_at"],
        properties: {
          id: { type: "integer" },
          identity_name: { type: "string" },
          domain: string,
          source_id: string,
          imported_at: { type: "string" },
          hash: string,
          hash_type: string,
          source: {
            type: ["object", "null"],
            required: ["id"],
            properties: {
              id: { type: "string" },
              name: string,
              description_en: string,
              description_fr: string,
              breached_at: string,
              leaked_at: string,
              is_alert_enabled: { type: ["boolean", "null"] },
              pii_tags: strings,
              url: string
            }
          },
          known_password_id: { type: ["integer", "null"] },
          credential_hash: string,
          event_uid: string,
          auth_domains: strings,
          urls: strings
        }
      }
    },
    next: string
  }
})

const decoders = {
  ours: Schema.decodeUnknownSync(CredentialPage),
  createClient: Schema.decodeUnknownSync(
    credentialPageWith(
      Schema.String.pipe(
        Schema.decodeTo(
          Schema.instanceOf(Secret),
          SchemaTransformation.transform({ decode: (text) => new Secret(text), encode: (secret) => secret.reveal() })
        )
      ),
      (text) => new Secret(text)
    )
  ),
  zod: (page: unknown) => zodPage.parse(page),
  ajv: (page: unknown) => {
    if (!ajvPage(page)) throw new Error("ajv refused the page")
    return page
  }
} satisfies { readonly [name: string]: (page: unknown) => unknown }

const names = ["ours", "createClient", "zod", "ajv"] as const

/** The decoders in turn, each over a page that was parsed for it alone, as a client's is. */
const measure = (what: string, page: string): ReadonlyArray<Row> => {
  const taken = {
    parse: new Array<number>(),
    ours: new Array<number>(),
    createClient: new Array<number>(),
    zod: new Array<number>(),
    ajv: new Array<number>()
  }
  const ratios = { ours: new Array<number>(), createClient: new Array<number>() }
  for (let run = -20; run < runs; run += 1) {
    for (let at = 0; at < names.length; at += 1) {
      const name = names[(run + 40 + at) % names.length] ?? "ours"
      const startedAt = performance.now()
      const parsed: unknown = JSON.parse(page)
      const parsedAt = performance.now()
      kept = decoders[name](parsed)
      const decodedAt = performance.now()
      if (run < 0) continue
      taken.parse.push(parsedAt - startedAt)
      taken[name].push(decodedAt - parsedAt)
      if (name === "ours" || name === "createClient") {
        ratios[name].push((decodedAt - parsedAt) / (parsedAt - startedAt))
      }
    }
  }
  const spoken = (name: keyof typeof taken) => `${median(taken[name]).toFixed(2)} ms`
  return [
    ...(["ours", "createClient"] as const).map((name) => ({
      what: name === "ours" ? what : `${what}, as createClient hides its secrets`,
      ours: spoken(name),
      peer: `JSON.parse of its ${(page.length / 1e6).toFixed(1)} MB: ${spoken("parse")}`,
      ratio: `${median(ratios[name]).toFixed(2)} of it`,
      target: "0.2",
      reached: median(ratios[name]) <= 0.2
    })),
    { what, ours: spoken("ours"), peer: `zod 4, which redacts nothing: ${spoken("zod")}`, ...compare(taken, "zod") },
    { what, ours: spoken("ours"), peer: `ajv, which copies nothing: ${spoken("ajv")}`, ...compare(taken, "ajv") }
  ]
}

const compare = (taken: Record<"ours" | "zod" | "ajv", ReadonlyArray<number>>, peer: "zod" | "ajv") => ({
  ratio: `${(median(taken[peer]) / median(taken.ours)).toFixed(2)} times as fast`,
  target: "",
  reached: "not measured" as const
})

/** Keeps the last result, so that V8 cannot optimize a decoder's work away. */
let kept: unknown

const everything = JSON.stringify({
  items: Array.from({ length: pageSize }, (_, at) => ({
    ...credentialAt(at),
    known_password_id: at,
    auth_domains: [`app${at % 997}.example.org`, "sign-in.example.net"],
    urls: [`https://app${at % 997}.example.org/login`]
  })),
  next: null
})

const rows = [
  ...measure("a page of 10,000 credentials", pageText(0)),
  ...measure("the same with all that `include` adds", everything)
]
if (kept === undefined) throw new Error("Nothing was decoded")
printTable(`Decoding, medians of ${runs} (load average ${loadavg()[0]?.toFixed(1)})`, rows)
