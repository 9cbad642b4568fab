/** Collects all messages that the sources pass to `t` or `count`, and all API words that they show through `t`. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { tenantEventTypes } from "@threat-exposure/core/domain/Event"
import { identifierTypes, searchTypes } from "@threat-exposure/core/domain/Identifier"
import { severities } from "@threat-exposure/core/domain/Severity"
import { KnownEvent, knownEventTypes } from "@threat-exposure/core/domain/TypedEvent"
import { coverageTable } from "@threat-exposure/leak-check/Coverage"
import { sentences } from "@threat-exposure/leak-check/report/Advice"
import { settingsOf } from "@threat-exposure/core/client/ClientOptions"
import { Result } from "effect"
import { inWords } from "../src/connection/ClientRules.ts"
import { labelOf } from "../src/events/page/EventDocument.ts"
import { several } from "../src/words/Localisation.ts"

const root = fileURLToPath(new URL("../src", import.meta.url))

const sources = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? sources(join(folder, entry.name)) : [join(folder, entry.name)]
  )

const literal = String.raw`"((?:[^"\\]|\\.)*)"`

/** Messages that the sources contain as string literals. */
export const literalMessages = (): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const path of sources(root)) {
    const text = readFileSync(path, "utf8")
    for (const [, message = ""] of text.matchAll(new RegExp(String.raw`\bt\(\s*${literal}`, "gu"))) found.add(message)
    for (const [, one = "", many = ""] of text.matchAll(
      new RegExp(String.raw`\bcount\([^"]*?,\s*${literal},\s*${literal}\s*[,)]`, "gu")
    )) {
      found.add(one)
      found.add(many)
    }
    for (const [, adjective = ""] of text.matchAll(new RegExp(String.raw`\bofSeveral\(${literal}`, "gu")))
      found.add(`${adjective}/${several}`)
  }
  return new Set([...found].map((message): string => JSON.parse(`"${message}"`)))
}

/** Names of the commands that rows, buttons and the code run. */
export const commandsInSources = (): ReadonlyArray<string> =>
  sources(root).flatMap((path) => {
    const text = readFileSync(path, "utf8")
    return [
      // A link has a name, then a title or arguments.
      ...text.matchAll(/\bname: "([\w.]+)"(?: as const)?,\s*title:/gu),
      ...text.matchAll(/\bexecute\("threatExposure\.([\w.]+)"/gu),
      ...text.matchAll(/\bcommand: "([\w.]+)"/gu),
      ...text.matchAll(/\bcommands\.on\(\s*"([\w.]+)"/gu)
    ].map(([, name = ""]) => name)
  })

/** Words of the API, of tables and of the advice on leaks, which the sources pass to `t` as variables. */
export const wordsOfTheApi = (): ReadonlySet<string> => {
  const words = new Set<string>()
  const add = (names: ReadonlyArray<string>) => {
    for (const name of names) words.add(name.replaceAll(/[_-]/gu, " "))
  }
  add([...tenantEventTypes, ...knownEventTypes, ...identifierTypes, ...searchTypes, ...severities])
  const states = ["open", "ignored", "remediated", "recommended", "accepted", "rejected"]
  add(states)
  for (const state of states) words.add(`${state}/${several}`)
  add(["password", "provider-token", "private-key", "connection-string", "jwt", "basic-auth", "generic-secret"])
  for (const { label } of Object.values(coverageTable)) words.add(label)
  for (const sentence of sentences()) words.add(sentence)
  for (const rule of rulesOfTheClient()) words.add(inWords(rule))
  const fields = (schema: object): void => {
    for (const [key, field] of Object.entries(schema)) {
      words.add(labelOf(key))
      void field
    }
  }
  for (const member of KnownEvent.members) fields(member.fields.data.to.schema.fields)
  return words
}

/** The client's own messages about an invalid address, path or token. */
const rulesOfTheClient = (): ReadonlyArray<string> => {
  const baseUrl = "https://api.example.com"
  return [
    { baseUrl: "somewhere", token: "t" },
    { baseUrl: "http://api.example.com", token: "t" },
    { baseUrl: "https://user:word@api.example.com", token: "t" },
    { baseUrl: `${baseUrl}?query`, token: "t" },
    { baseUrl, pathPrefix: "//", token: "t" },
    { baseUrl, token: " " },
    { baseUrl, token: "two words" }
  ].map((options) =>
    Result.match(settingsOf(options), {
      onSuccess: () => {
        throw new Error(`The client finds no fault with ${JSON.stringify(options)}`)
      },
      onFailure: ({ rule }) => rule
    })
  )
}
