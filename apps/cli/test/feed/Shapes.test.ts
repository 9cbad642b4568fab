import { assert, describe, it } from "@effect/vitest"
import {
  changedAnnotations,
  foundCredential,
  foundEvent,
  pass,
  type PassOptions
} from "@threat-exposure/cli/feed/Found"
import { lineOf, type Shape } from "@threat-exposure/cli/feed/Shapes"
import { Credential } from "@threat-exposure/core/domain/Credential"
import { Schema } from "effect"

const firstSeen = "2026-03-02T10:00:00.000Z"

const lineIn = (shape: Shape, found: ReturnType<typeof foundEvent>, options: Partial<PassOptions> = {}) => {
  assert.isDefined(found)
  const passed = pass(found, {
    passedAt: firstSeen,
    linkField: "svc_url",
    includeSecrets: false,
    tlp: undefined,
    ...options
  })
  return JSON.parse(lineOf(passed, shape))
}

const event = (severity?: string) => ({
  metadata: {
    uid: "paste/scrapbin/1",
    type: "paste",
    title: "fresh mail access",
    estimated_created_at: "2026-03-01T09:00:00.123456Z",
    svc_url: "https://exposure.example.com/events/1",
    ...(severity === undefined ? {} : { severity })
  },
  tenant_metadata: { severity: { original: severity ?? null, override: null } }
})

const credentialOf = (identityName: string) =>
  foundCredential(
    Schema.decodeUnknownSync(Credential)({
      id: 7,
      identity_name: identityName,
      domain: "example.com",
      source_id: "harrowfox",
      imported_at: "2026-03-01T09:00:00Z",
      hash: "quartz-4471-lantern"
    })
  )

const fullEvent = {
  ...event("high"),
  tenant_metadata: { notes: "called the owner", remediated_at: "2026-03-02T09:00:00Z", tags: ["payroll"] },
  identifiers: [{ id: 42, name: "example.com" }]
}

const stealerLog = {
  isFull: true,
  size: 100,
  data: {
    content: "cookies and passwords",
    victim_information: { username: "jane", ip_address: "192.0.2.7", ip_network: null },
    password: "quartz-4471-lantern"
  }
} as const

describe("the content of an event", () => {
  it.each(["native", "ecs", "ocsf"] as const)("is in the item, without secrets, in %s", (shape) => {
    const line = lineIn(shape, foundEvent(fullEvent), { content: stealerLog })
    const holder = shape === "native" ? line : shape === "ecs" ? line.threat_exposure : line.unmapped
    assert.isTrue(holder.full)
    assert.deepStrictEqual(holder.event, { ...fullEvent, data: { ...stealerLog.data, password: "[redacted]" } })
    const reason = "Not found"
    const content = { isFull: false, isFinal: true, reason } as const
    const listed = lineIn(shape, foundEvent(fullEvent), { content })
    const without = shape === "native" ? listed : shape === "ecs" ? listed.threat_exposure : listed.unmapped
    assert.deepInclude(without, { full: false, reason, event: fullEvent })
  })

  it("names its users and addresses where rules look for them", () => {
    const inEcs = lineIn("ecs", foundEvent(fullEvent), { content: stealerLog })
    assert.deepStrictEqual(inEcs.related, { user: ["jane"], ip: ["192.0.2.7"] })
    const inOcsf = lineIn("ocsf", foundEvent(fullEvent), { content: stealerLog })
    assert.deepStrictEqual(inOcsf.observables, [
      { name: "user.name", type_id: 4, type: "User Name", value: "jane" },
      { name: "ip", type_id: 2, type: "IP Address", value: "192.0.2.7" }
    ])
    assert.strictEqual(inOcsf.finding_info.desc, "cookies and passwords")
    assert.deepStrictEqual(inOcsf.resources, [{ uid: "42", type: "Identifier", name: "example.com" }])
    assert.deepStrictEqual(inOcsf.notes, [{ comment: "called the owner" }])
  })
})

describe("an event", () => {
  const found = (metadata: object) => foundEvent({ metadata: { ...event("high").metadata, ...metadata } })

  it.each(["9999-12-31T23:59:59-05:00", "0000-01-01T00:00:00+05:00", "2600-01-01T00:00:00Z", "yesterday"])(
    "of the time %s, which receivers cannot read, has the time at which the feed saw it",
    (time) => {
      const event = found({ estimated_created_at: time })
      assert.isUndefined(event?.time)
      assert.strictEqual(lineIn("ecs", event)["@timestamp"], firstSeen)
    }
  )

  it.each([
    ["https://exposure.example.com/a b|<c>?d=%&e=é", "https://exposure.example.com/a%20b%7C%3Cc%3E?d=%25&e=%C3%A9"],
    ["not an address", undefined],
    ["javascript:alert(1)", undefined]
  ])("has the link %s as the address %s, as schemas demand", (link, expected) => {
    const event = found({ svc_url: link })
    assert.strictEqual(lineIn("ecs", event).event.url, expected)
    assert.strictEqual(lineIn("ocsf", event).finding_info.src_url, expected)
    assert.strictEqual(lineIn("stix", event).objects[1].external_references[0].url, expected)
  })

  it("has a well-formed uid, which is the id of a document", () => {
    assert.strictEqual(found({ uid: "paste/x/\ud800" })?.uid, "paste/x/\ufffd")
  })
})

describe("a change of an event", () => {
  const options = { changed: ["status", "notes"], passedAt: "2026-03-05T10:00:00.000Z" }

  it("says what changed, and when the feed saw it", () => {
    const { change_seen_by_feed, changed, first_seen_by_feed } = lineIn("native", foundEvent(fullEvent), options)
    assert.deepStrictEqual([changed, change_seen_by_feed], [["status", "notes"], options.passedAt])
    assert.isUndefined(first_seen_by_feed)
    const inEcs = lineIn("ecs", foundEvent(fullEvent), options)
    assert.strictEqual(inEcs.event.action, "changed")
    assert.strictEqual(inEcs.labels.status, "remediated")
  })

  it("is an update of the same objects in OCSF and STIX", () => {
    const inOcsf = lineIn("ocsf", foundEvent(fullEvent), options)
    assert.deepInclude(inOcsf, {
      activity_id: 3,
      type_uid: 200403,
      status: "Resolved",
      time: Date.parse(options.passedAt)
    })
    assert.strictEqual(inOcsf.finding_info.modified_time, Date.parse(options.passedAt))
    const [, first] = lineIn("stix", foundEvent(event("high"))).objects
    const [, later] = lineIn("stix", foundEvent(fullEvent), options).objects
    assert.strictEqual(later.id, first.id)
    assert.strictEqual(later.created, first.created)
    assert.strictEqual(later.modified, options.passedAt)
    assert.deepStrictEqual(later.labels, ["paste", "high", "remediated", "payroll"])
  })

  it("names each annotation that differs, and no other", () => {
    const annotations = (tenant_metadata: unknown) =>
      foundEvent({ ...event("low"), tenant_metadata })?.annotations ?? "none"
    const none = annotations({ tags: [], notes: "", severity: { original: "low", override: null } })
    assert.strictEqual(none, "")
    const all = annotations({
      ignored_at: "2026-03-02T09:00:00Z",
      severity: { original: "low", override: "high" },
      tags: ["b", "a"],
      notes: "payroll"
    })
    assert.notInclude(all, "payroll")
    assert.deepStrictEqual(changedAnnotations(none, all), ["status", "severity", "tags", "notes"])
    assert.deepStrictEqual(changedAnnotations(all, all), [])
    assert.deepStrictEqual(changedAnnotations(annotations({ tags: ["a", "b"] }), annotations({ tags: ["b", "a"] })), [])
    assert.deepStrictEqual(changedAnnotations(annotations({ notes: "a" }), annotations({ notes: "b" })), ["notes"])
  })
})

describe("the tags and the note of the tenant", () => {
  it("are where receivers look for them", () => {
    const { tags } = lineIn("ecs", foundEvent(fullEvent))
    assert.deepStrictEqual(tags, ["payroll"])
    const { metadata, notes } = lineIn("ocsf", foundEvent(fullEvent), { tlp: "green" })
    assert.deepStrictEqual(metadata.labels, ["TLP:GREEN", "payroll"])
    assert.deepStrictEqual(notes, [{ comment: "called the owner" }])
    const [, incident, note, grouping] = lineIn("stix", foundEvent(fullEvent)).objects
    assert.deepInclude(note, { type: "note", content: "called the owner", object_refs: [incident.id] })
    assert.deepStrictEqual(grouping.object_refs, [incident.id, note.id])
  })
})

describe("a label of the Traffic Light Protocol", () => {
  it.each(["clear", "green", "amber", "amber+strict", "red"] as const)("%s is in every shape", (tlp) => {
    const upper = tlp.toUpperCase()
    const line = (shape: Shape) => lineIn(shape, credentialOf("jane@example.com"), { tlp })
    assert.strictEqual(line("native").tlp, tlp)
    assert.deepStrictEqual(line("ecs").threat.indicator.marking, { tlp: upper, tlp_version: "2.0" })
    assert.deepStrictEqual(line("ocsf").metadata.labels, [`TLP:${upper}`])
    const [marking, , ...objects] = line("stix").objects
    assert.deepInclude(marking, { type: "marking-definition", spec_version: "2.1", name: `TLP:${upper}` })
    assert.isTrue(objects.every((object: StixObject) => object["object_marking_refs"]?.toString() === marking.id))
  })
})

describe("a line in the Elastic Common Schema", () => {
  it("is an alert that contains the event as received in one member", () => {
    assert.deepStrictEqual(lineIn("ecs", foundEvent(event("critical"))), {
      "@timestamp": "2026-03-01T09:00:00.123Z",
      ecs: { version: "9.0.0" },
      message: "fresh mail access",
      event: {
        id: "paste/scrapbin/1",
        kind: "alert",
        category: ["threat"],
        type: ["indicator"],
        action: "found",
        module: "threat_exposure",
        dataset: "threat_exposure.event",
        created: firstSeen,
        severity: 99,
        url: "https://exposure.example.com/events/1",
        provider: "scrapbin"
      },
      labels: { severity: "critical", type: "paste", status: "new" },
      threat_exposure: { event: event("critical") }
    })
  })

  it("names the account of a credential where rules look for users", () => {
    const { related, threat_exposure, user } = lineIn("ecs", credentialOf("jane@example.com"))
    assert.deepStrictEqual(user, { name: "jane@example.com", email: "jane@example.com", domain: "example.com" })
    assert.deepStrictEqual(related, { user: ["jane@example.com"] })
    assert.strictEqual(threat_exposure.credential.hash, "[redacted]")
    assert.deepStrictEqual(lineIn("ecs", credentialOf("jane")).user, { name: "jane", domain: "example.com" })
  })

  it("has no user for a credential without a name", () => {
    const line = lineIn("ecs", credentialOf(""))
    assert.strictEqual(line.message, "Leaked credential")
    assert.notProperty(line, "user")
  })

  it("has no number for an unknown severity", () => {
    for (const severity of [undefined, "dire"]) {
      assert.notProperty(lineIn("ecs", foundEvent(event(severity))).event, "severity")
    }
  })
})

describe("a line in the Open Cybersecurity Schema Framework", () => {
  it("is a new detection finding", () => {
    const time = Date.parse("2026-03-01T09:00:00.123Z")
    assert.deepStrictEqual(lineIn("ocsf", foundEvent(event("info"))), {
      category_uid: 2,
      category_name: "Findings",
      class_uid: 2004,
      class_name: "Detection Finding",
      activity_id: 1,
      activity_name: "Create",
      type_uid: 200401,
      type_name: "Detection Finding: Create",
      severity_id: 1,
      severity: "Informational",
      status_id: 1,
      status: "New",
      is_alert: true,
      time,
      message: "fresh mail access",
      metadata: {
        version: "1.9.0",
        uid: "paste/scrapbin/1",
        logged_time: Date.parse(firstSeen),
        product: { name: "Threat Exposure", vendor_name: "Threat Exposure" }
      },
      finding_info: {
        uid: "paste/scrapbin/1",
        title: "fresh mail access",
        types: ["paste"],
        created_time: time,
        first_seen_time: time,
        src_url: "https://exposure.example.com/events/1",
        data_sources: ["scrapbin"]
      },
      unmapped: { event: event("info") }
    })
  })

  it("has the account of a credential as evidence", () => {
    const { evidences, unmapped } = lineIn("ocsf", credentialOf("jane@example.com"))
    assert.deepStrictEqual(evidences, [
      { user: { name: "jane@example.com", email_addr: "jane@example.com", domain: "example.com" } }
    ])
    assert.strictEqual(unmapped.credential.hash, "[redacted]")
  })

  it.each(["bob@localhost", "@handle", "a b@example.com", "jürgen@example.com", "a@b@example.com"])(
    "gives %s as a name, not as an address, which the schema would refuse",
    (name) => {
      const { evidences } = lineIn("ocsf", credentialOf(name))
      assert.deepStrictEqual(evidences, [{ user: { name, domain: "example.com" } }])
    }
  )

  it.each([
    [{}, 1, "New"],
    [{ ignored_at: "2026-03-02T09:00:00Z" }, 3, "Suppressed"],
    [{ remediated_at: "2026-03-02T09:00:00Z" }, 4, "Resolved"],
    [{ remediated_at: null, ignored_at: null }, 1, "New"]
  ] as const)("takes the status from the tenant's metadata %j: %i, %s", (tenant_metadata, id, caption) => {
    const finding = lineIn("ocsf", foundEvent({ ...event("low"), tenant_metadata }))
    assert.deepStrictEqual([finding.status_id, finding.status], [id, caption])
  })

  it.each([
    [undefined, 0, "Unknown"],
    ["dire", 99, "dire"],
    ["low", 2, "Low"],
    ["medium", 3, "Medium"],
    ["high", 4, "High"],
    ["critical", 5, "Critical"]
  ] as const)("gives severity %s as %i, %s", (severity, id, caption) => {
    const finding = lineIn("ocsf", foundEvent(event(severity)))
    assert.deepStrictEqual([finding.severity_id, finding.severity], [id, caption])
  })
})

interface StixObject {
  readonly [property: string]: unknown
  readonly id: string
  readonly type: string
  readonly object_refs?: ReadonlyArray<string>
}

describe("a bundle of STIX", () => {
  const objectsOf = (found: ReturnType<typeof foundEvent>): ReadonlyArray<StixObject> => lineIn("stix", found).objects

  const accountOf = (credentialHash: string, id = 7) => {
    const credential = { id, identity_name: "jane@example.com", domain: "example.com", source_id: "h" }
    const imported = { imported_at: "2026-03-01T09:00:00Z", hash: null, credential_hash: credentialHash }
    return foundCredential(Schema.decodeUnknownSync(Credential)({ ...credential, ...imported }))
  }

  const idOf = (objects: ReadonlyArray<StixObject>, type: string) => objects.find((object) => object.type === type)?.id

  it("has an incident with its source, in a grouping", () => {
    const objects = objectsOf(foundEvent(event("high")))
    assert.deepStrictEqual(
      objects.map(({ type }) => type),
      ["identity", "incident", "grouping"]
    )
    assert.deepInclude(objects[1], {
      spec_version: "2.1",
      created: "2026-03-01T09:00:00.123Z",
      modified: "2026-03-01T09:00:00.123Z",
      name: "fresh mail access",
      labels: ["paste", "high"],
      external_references: [
        { source_name: "scrapbin", external_id: "paste/scrapbin/1", url: "https://exposure.example.com/events/1" }
      ]
    })
    assert.deepStrictEqual(objects[2]?.object_refs, [idOf(objects, "incident") ?? ""])
  })

  it("has the account of a credential as observed, under the id that stix2 gives an address", () => {
    const objects = objectsOf(accountOf("a"))
    assert.deepStrictEqual(
      objects.map(({ type }) => type),
      ["identity", "incident", "user-account", "email-addr", "observed-data", "relationship", "grouping"]
    )
    // Computed by stix2 3.0.2: EmailAddress(value="jane@example.com").id
    assert.strictEqual(idOf(objects, "email-addr"), "email-addr--dd9bd830-dfb3-5f64-9cc3-c350cd4b9566")
    for (const { object_refs = [] } of objects) {
      for (const reference of object_refs)
        assert.include(
          objects.map(({ id }) => id),
          reference
        )
    }
    assert.isUndefined(idOf(objectsOf(credentialOf("bob@localhost")), "email-addr"))
  })

  it("has no empty list of labels, which the specification forbids", () => {
    const [, incident] = objectsOf(foundEvent({ metadata: { uid: "paste/scrapbin/1" } }))
    assert.strictEqual(incident?.type, "incident")
    assert.notProperty(incident, "labels")
  })

  it("has the same ids in every run, and two accounts for two passwords of one", () => {
    assert.deepStrictEqual(objectsOf(accountOf("a")), objectsOf(accountOf("a")))
    assert.notStrictEqual(
      idOf(objectsOf(accountOf("a")), "user-account"),
      idOf(objectsOf(accountOf("b", 8)), "user-account")
    )
  })
})
