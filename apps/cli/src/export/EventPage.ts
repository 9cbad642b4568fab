/** Formats an event for people: type, times and places, and what to do. */
import { counted } from "@threat-exposure/leak-check/Counted"
import * as Predicate from "effect/Predicate"
import { member, severityOf, text, titleOf } from "./Records.ts"
import { highlightTags } from "../redaction/Redaction.ts"
import { wrapIndented, wrapLine } from "../output/HelpText.ts"
import { outline } from "../output/Outline.ts"
import { printable } from "../output/Output.ts"
import { colored, severityColor } from "../output/Table.ts"

/** `event` must already be redacted. */
export const eventPage = (
  event: unknown,
  { colors, linkField, width = Number.POSITIVE_INFINITY }: PageOptions
): ReadonlyArray<string> => {
  const metadata = member(event, "metadata")
  const data = member(event, "data")
  const tenant = member(event, "tenant_metadata")
  const uid = text(member(metadata, "uid"))
  const type = text(member(event, "event_type")) || text(member(metadata, "type"))
  const severity = severityOf(event)
  const bold = (words: string) => (colors ? colored(words, "bold") : words)
  const color = severityColor(severity)
  const level = severity.toUpperCase() || "UNKNOWN SEVERITY"
  const facts = [
    ["Type", type],
    ["Created", timeOf(member(metadata, "estimated_created_at"))],
    ["Matched", timeOf(member(metadata, "matched_at"))],
    ["Source", uid.split("/")[1] ?? ""],
    ["Matched words", matchedWords(member(event, "highlights"))],
    ["Yours", identifiersOf(member(event, "identifiers"))],
    ["Ignored", timeOf(member(tenant, "ignored_at"))],
    ["Remediated", timeOf(member(tenant, "remediated_at"))],
    ["Tags", tagsOf(member(tenant, "tags"))],
    ["Notes", text(member(tenant, "notes"))],
    ["Link", text(member(metadata, linkField))],
    ["UID", uid]
  ].flatMap(([name = "", value = ""]) =>
    value === "" ? [] : wrapLine(name.padEnd(14), printable(value), { columns: width, indent: 14 })
  )
  const section = (title: string, lines: ReadonlyArray<string>) =>
    lines.length === 0 ? [] : ["", bold(title), ...lines.flatMap((line) => wrapIndented(`  ${line}`, width))]
  return [
    `${colors && color !== undefined ? colored(level, color) : level}  ${bold(printable(titleOf(event)))}`,
    "",
    ...facts,
    ...section("What was found", outline(data)),
    ...section("What to do", [
      `- ${steps[type] ?? otherStep}`,
      "- Secrets are hidden here; the link shows the event at the service."
    ])
  ]
}

interface PageOptions {
  readonly colors: boolean
  /** The field of an event's metadata that links to it. */
  readonly linkField: string
  /** Width of a line in characters; undefined if standard output is not a terminal. */
  readonly width: number | undefined
}

/** A timestamp with minutes, in UTC. */
const timeOf = (time: unknown): string => text(time).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$/u, "$1 $2 UTC")

/** The highlighted words, without duplicates. */
const matchedWords = (highlights: unknown): string => {
  const passages = Predicate.isObject(highlights) ? Object.values(highlights).flat() : []
  const words = passages.flatMap((passage) =>
    Array.from(text(passage).matchAll(/<(?:mark|em)>[\s\S]*?<\/(?:mark|em)>/gu), ([word]) =>
      word.replaceAll(highlightTags, "")
    )
  )
  const distinct = [...new Set(words)]
  const more = distinct.length - maxWords
  return [...distinct.slice(0, maxWords), ...(more > 0 ? [counted(more, "more word")] : [])].join(", ")
}

const maxWords = 12

const identifiersOf = (identifiers: unknown): string =>
  Array.isArray(identifiers)
    ? identifiers.map((identifier) => text(member(identifier, "name")) || text(member(identifier, "id"))).join(", ")
    : ""

const tagsOf = (tags: unknown): string => (Array.isArray(tags) ? tags.map(text).join(", ") : "")

const passwordStep =
  "Change the passwords of the accounts, everywhere they are used, end their sessions, and require a second factor."

const codeStep = "Replace the secrets in the code, then ask for the repository to be made private or removed."

const bucketStep = "Close the bucket to the public, and find out who has read it."

const steps: Readonly<Record<string, string>> = {
  stealer_log:
    "Take the infected machine off the network and rebuild it; change every password that was saved on it, and end the sessions of its user.",
  leak: passwordStep,
  leaked_credential: passwordStep,
  valid_credential: passwordStep,
  leaks: passwordStep,
  source_code: codeStep,
  source_code_files: codeStep,
  source_code_secrets: codeStep,
  bucket: bucketStep,
  buckets: bucketStep,
  bucket_object: bucketStep,
  domain: "Look at what the domain serves, and ask its registrar to take it down if it imitates you.",
  ransomleak: "Find out which data was taken and from which system, and inform those who must know."
}

const otherStep = "Decide whether it concerns you: replace what is secret in it, and ask the source to remove the rest."
