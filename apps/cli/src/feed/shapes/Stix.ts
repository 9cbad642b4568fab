/**
 * A bundle of STIX 2.1. Ids are stable across runs, so that a platform updates existing objects. The id of an account
 * includes its leaked credential, because platforms keep only the last of two accounts with the same id.
 */
import { member, text } from "../../export/Records.ts"
import { redacted } from "../../redaction/Redaction.ts"
import { uuid5 } from "../Uuid.ts"
import { type Account, descriptionOf, emailAddress, type Passed, type Tlp } from "../Found.ts"

export const stix = (passed: Passed) => {
  const { passedAt, summary, time, tlp, uid } = passed
  const { account, changed, link, note, severity, source, status, tags = [], title, type } = summary
  const marking = tlp === undefined ? undefined : markingOf(tlp)
  const marked = marking === undefined ? {} : { object_marking_refs: [marking.id] }
  const common = {
    spec_version: "2.1",
    created: time,
    modified: changed === undefined || passedAt < time ? time : passedAt,
    created_by_ref: identity.id,
    ...marked
  }
  const description = descriptionOf(passed)
  const labels = [type, severity, ...(status === "new" ? [] : [status]), ...tags].filter((label) => label !== "")
  const incident = {
    type: "incident",
    id: stixId("incident", uid),
    ...common,
    name: title,
    ...(description === undefined ? {} : { description }),
    ...(labels.length === 0 ? {} : { labels }),
    external_references: [
      { source_name: source ?? "threat-exposure", external_id: uid, ...(link === undefined ? {} : { url: link }) }
    ]
  }
  const observables = account === undefined ? [] : observablesOf(passed, account, marked)
  const observed = {
    type: "observed-data",
    id: stixId("observed-data", uid),
    ...common,
    first_observed: time,
    last_observed: time,
    number_observed: 1,
    object_refs: observables.map(({ id }) => id)
  }
  const relationship = {
    type: "relationship",
    id: stixId("relationship", uid),
    ...common,
    relationship_type: "related-to",
    source_ref: incident.id,
    target_ref: observed.id
  }
  const content = [
    incident,
    ...(note === undefined
      ? []
      : [{ type: "note", id: stixId("note", uid), ...common, content: note, object_refs: [incident.id] }]),
    ...(observables.length === 0 ? [] : [...observables, observed, relationship])
  ]
  const grouping = {
    type: "grouping",
    id: stixId("grouping", uid),
    ...common,
    name: title,
    context: "suspicious-activity",
    object_refs: content.map(({ id }) => id)
  }
  return {
    type: "bundle",
    id: stixId("bundle", uid),
    objects: [...(marking === undefined ? [] : [marking]), identity, ...content, grouping]
  }
}

const observablesOf = (
  { item, uid }: Passed,
  { email, name }: Account,
  marked: { readonly object_marking_refs?: ReadonlyArray<string> }
) => {
  const secret = text(member(item, "hash"))
  const known = secret === "" || secret === redacted ? undefined : secret
  const leaked = text(member(item, "credential_hash")) || text(member(item, "known_password_id")) || uid
  return [
    {
      type: "user-account",
      spec_version: "2.1",
      id: stixId("user-account", JSON.stringify({ account_login: name, credential: leaked })),
      account_login: name,
      ...(known === undefined ? {} : { credential: known }),
      ...marked
    },
    ...(email !== undefined && emailAddress.test(email)
      ? [
          {
            type: "email-addr",
            spec_version: "2.1",
            id: stixId("email-addr", JSON.stringify({ value: email })),
            value: email,
            ...marked
          }
        ]
      : [])
  ]
}

/** The namespace of the specification for ids of observables. */
const namespace = "00abedb4-aa42-466c-9c01-fed23315a9b7"

const stixId = (type: string, name: string): string =>
  `${type}--${uuid5(namespace, namedByContent.has(type) ? name : `${type} ${name}`)}`

/** Types whose ids other programs derive from the content alone. */
const namedByContent: ReadonlySet<string> = new Set(["email-addr", "user-account"])

const identity = {
  type: "identity",
  spec_version: "2.1",
  id: stixId("identity", "Threat Exposure"),
  created: "2026-01-01T00:00:00.000Z",
  modified: "2026-01-01T00:00:00.000Z",
  name: "Threat Exposure",
  identity_class: "system"
}

/** Definitions of TLP 2.0 for STIX 2.1, which have fixed ids. */
const markingOf = (tlp: Tlp) => ({
  type: "marking-definition",
  spec_version: "2.1",
  id: markingIds[tlp],
  created: "2022-10-01T00:00:00.000Z",
  name: `TLP:${tlp.toUpperCase()}`,
  extensions: {
    "extension-definition--60a3c5c5-0d10-413e-aab3-9e08dde9e88d": { extension_type: "property-extension", tlp_2_0: tlp }
  }
})

const markingIds: Readonly<Record<Tlp, string>> = {
  clear: "marking-definition--94868c89-83c2-464b-929b-a1a8aa3c8487",
  green: "marking-definition--bab4a63c-aed9-4cf5-a766-dfca5abac2bb",
  amber: "marking-definition--55d920b0-5e8b-4f79-9ee9-91f868d9b421",
  "amber+strict": "marking-definition--939a9414-2ddd-4d32-a0cd-375ea402b003",
  red: "marking-definition--e828b379-4e03-4974-9ac4-e53a884c97c1"
}
