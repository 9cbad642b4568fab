/** A complete event: its type, and the data of that type. See docs/api.md#typed-events. */
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { faultsOf } from "./schema/SchemaFaults.ts"
import { EventUid, metadataWithLink } from "./Event.ts"
import { mapWithin, revealWithin, Secret } from "./Secret.ts"
import { ReportedSeverity } from "./Severity.ts"
import { type Marked, orElse, orEmpty, orNull, promiseAnnotation } from "./schema/Tolerant.ts"
import { struct } from "./schema/Struct.ts"

export class TypedEventMetadata extends Schema.Opaque<TypedEventMetadata>()(
  metadataWithLink("TypedEventMetadata", {
    estimated_created_at: orNull(Schema.String, "value"),
    /** Link to the event in the service's web application. */
    svc_url: orNull(Schema.String),
    matched_at: orNull(Schema.String),
    severity: orElse(ReportedSeverity, ""),
    uid: orElse(EventUid, "")
  })
) {}

const text = orNull(Schema.String)
const flag = orNull(Schema.Boolean)
const integer = orNull(Schema.Int)
const number = orNull(Schema.Finite)
const texts = orElse(Schema.Array(Schema.String), [])
const nestedStruct = <const Fields extends Schema.Struct.Fields>(fields: Fields) => orNull(Schema.Struct(fields))

const actor = nestedStruct({ id: text, name: text })
const source = nestedStruct({ id: text, name: text })
const bucket = nestedStruct({ host: text, provider: text })

/** An event type has one literal name. Thus only the union's member with the name of an event reports errors. */
const typedEvent =
  <Self>(identifier: string) =>
  <const Name extends string, Data extends Schema.Constraint>(name: Name, data: Data) =>
    struct<Self>(`${identifier}Event`)({
      event_type: Schema.Literal(name),
      metadata: orEmpty(TypedEventMetadata),
      data
    })

const kind =
  <Self>(identifier: string) =>
  <const Name extends string, const Fields extends Schema.Struct.Fields>(name: Name, fields: Fields) =>
    typedEvent<Self>(identifier)(name, orEmpty(Schema.Struct(fields).annotate({ identifier: `${identifier}Data` })))

export class BlogPost extends kind<BlogPost>("BlogPost")("blog_post", {
  url: text,
  content: text,
  description: text,
  posted_at: text
}) {}

export class Bot extends kind<Bot>("Bot")("bot", {
  name: text,
  url: text,
  actor: nestedStruct({ id: text }),
  victim_information: nestedStruct({ country_code: text, location: text, isp: text, installed_at: text, os: text }),
  price: text,
  currency: text
}) {}

export class Bucket extends kind<Bucket>("Bucket")("bucket", { url: text, bucket }) {}

export class BucketObject extends kind<BucketObject>("BucketObject")("bucket_object", { url: text, bucket }) {}

export class ChatMessage extends kind<ChatMessage>("ChatMessage")("chat_message", {
  posted_at: text,
  actor,
  context: nestedStruct({ conversation_id: text, conversation_name: text }),
  content: text,
  parent_context: nestedStruct({ parent_uid: text, parent_type: text }),
  forward_info: nestedStruct({
    forwarded_from: text,
    forwarded_from_author_id: text,
    forwarded_from_chat_id: integer,
    forwarded_from_conversation_id: text,
    forwarded_from_user_id: integer,
    forwarded_from_username: text,
    forwarded_message_time: text
  }),
  was_forwarded: flag
}) {}

export class Cc extends kind<Cc>("Cc")("cc", {
  bank: text,
  bin: text,
  brand: text,
  country: text,
  expiration: text,
  owner: text,
  state_code: text,
  zip: text,
  has_cvv: flag,
  has_date_of_birth: flag,
  has_mother_maiden_name: flag,
  has_phone: flag,
  has_pin: flag,
  has_ssn: flag,
  has_track_1: flag,
  has_vbv: flag
}) {}

/** A {@link Cc} under the second name that services use for it. */
export class CreditCard extends typedEvent<CreditCard>("CreditCard")("credit_card", Cc.fields.data) {}

export class DockerImage extends kind<DockerImage>("DockerImage")("docker_image", {
  content: text,
  digest: text,
  architecture: text,
  os: text,
  last_pushed_at: text,
  last_pulled_at: text,
  tags: orElse(Schema.Array(Schema.Struct({ name: text, repository_name: text })), [])
}) {}

export class DockerRepository extends kind<DockerRepository>("DockerRepository")("docker_repository", {
  url: text,
  star_count: integer,
  pull_count: integer,
  collaborator_count: integer,
  last_updated_at: text,
  last_modified_at: text,
  registered_at: text
}) {}

export class ForumPost extends kind<ForumPost>("ForumPost")("forum_post", {
  actor,
  context: nestedStruct({ category_name: text, topic_id: text, topic_title: text }),
  posted_at: text,
  content: text,
  url: text
}) {}

const integrationCredential = { identity_name: text, credential_hash: text, tenant_integration_id: text }

export class InvalidCredential extends kind<InvalidCredential>("InvalidCredential")(
  "invalid_credential",
  integrationCredential
) {}

export class ValidCredential extends kind<ValidCredential>("ValidCredential")(
  "valid_credential",
  integrationCredential
) {}

export class MitigatedCredential extends kind<MitigatedCredential>("MitigatedCredential")("mitigated_credential", {
  ...integrationCredential,
  mitigation_action: text
}) {}

export class Leak extends kind<Leak>("Leak")("leak", {
  term: text,
  site_url: text,
  leaked_at: text,
  breached_at: text,
  leaked_credential_count: integer,
  pii_tags: texts,
  source
}) {}

export class LeakedCredential extends kind<LeakedCredential>("LeakedCredential")("leaked_credential", {
  identity_name: text,
  imported_at: text,
  password: orNull(Secret),
  source
}) {}

export class Listing extends kind<Listing>("Listing")("listing", {
  url: text,
  title: text,
  content: text,
  currency: text,
  escrow: flag,
  price: number,
  ship_to: texts,
  ship_from: texts,
  stock_count: integer,
  actor,
  classification: nestedStruct({
    classes: nestedStruct({
      is_carding: flag,
      is_bypass: flag,
      is_ident_fraud: flag,
      is_doc_fraud: flag,
      is_phishing: flag,
      is_money_xfer: flag,
      is_cashout: flag,
      is_virt_currency: flag,
      is_hacking: flag,
      is_misc_financial: flag
    }),
    types: nestedStruct({ is_guide: flag, is_service: flag, is_software: flag, is_hardware: flag, is_data: flag })
  }),
  context: nestedStruct({ category_name: text })
}) {}

export class Lookalike extends kind<Lookalike>("Lookalike")("lookalike", {
  domain: text,
  registered_at: text,
  identifier_domains: texts,
  /** This field and the next two are specified as null only. */
  feed: orNull(Schema.Unknown),
  cert_data: orNull(Schema.Unknown),
  subject: orNull(Schema.Unknown),
  issuer: text
}) {}

/** A {@link Lookalike} under its second name. */
export class LookalikeDomain extends typedEvent<LookalikeDomain>("LookalikeDomain")(
  "lookalike_domain",
  Lookalike.fields.data
) {}

export class Paste extends kind<Paste>("Paste")("paste", {
  url: text,
  title: text,
  content: text,
  actor,
  expires_at: text,
  syntax: text
}) {}

export class Ransomleak extends kind<Ransomleak>("Ransomleak")("ransomleak", {
  url: text,
  response_url: text,
  title: text,
  content: text,
  body: text,
  victim_information: nestedStruct({
    name: text,
    display_name: text,
    domain: text,
    alternative_domains: texts,
    industry: text,
    employee_count: integer,
    city: text,
    state: text,
    country: text,
    latitude: number,
    longitude: number
  })
}) {}

/** A {@link Ransomleak} under its second name. */
export class RansomLeak extends typedEvent<RansomLeak>("RansomLeak")("ransom_leak", Ransomleak.fields.data) {}

export class Service extends kind<Service>("Service")("service", {
  url: text,
  asn: text,
  content: text,
  service: text,
  product: text,
  port: integer,
  ip_address: text,
  organization: text,
  hostname: text,
  country_code: text,
  vulnerabilities: texts
}) {}

export class SocialMediaAccount extends kind<SocialMediaAccount>("SocialMediaAccount")("social_media_account", {
  url: text,
  site: text,
  username: text
}) {}

export class StealerLog extends kind<StealerLog>("StealerLog")("stealer_log", {
  victim_information: nestedStruct({
    ip_address: text,
    ip_network: text,
    username: text,
    country_code: text,
    zip_code: text,
    location: text,
    hwid: text,
    current_language: text,
    screensize_width: integer,
    screensize_height: integer,
    timezone: text,
    os: text,
    uac: text,
    process_elevation: flag,
    available_keyboards: texts,
    hardware: texts,
    anti_viruses: texts
  }),
  malware_information: nestedStruct({ malware_family: text, build_id: text, file_location: text, infected_at: text })
}) {}

/** All event types with a specified shape. */
export const KnownEvent = Schema.Union([
  BlogPost,
  Bot,
  Bucket,
  BucketObject,
  ChatMessage,
  Cc,
  CreditCard,
  DockerImage,
  DockerRepository,
  ForumPost,
  InvalidCredential,
  ValidCredential,
  MitigatedCredential,
  Leak,
  LeakedCredential,
  Listing,
  Lookalike,
  LookalikeDomain,
  Paste,
  Ransomleak,
  RansomLeak,
  Service,
  SocialMediaAccount,
  StealerLog
])
export type KnownEvent = typeof KnownEvent.Type

export type KnownEventType = KnownEvent["event_type"]

/** Every `event_type` with a specified shape, including second names. */
export const knownEventTypes: ReadonlyArray<KnownEventType> = KnownEvent.members.map(
  (member) => member.fields.event_type.literal
)

const known: ReadonlySet<string> = new Set(knownEventTypes)

const isUnknownType = (name: string): name is Marked<"unknown"> => !known.has(name)
const isMalformedType = (name: string): name is Marked<"malformed"> => known.has(name)

/** An event of an unknown type, with its data as received. The type is empty if the service leaves it out. */
export class UnknownEvent extends struct<UnknownEvent>("UnknownEvent")({
  event_type: orElse(
    Schema.String.check(
      Schema.makeFilter(isUnknownType, {
        expected: "an event type without a specified shape",
        representation: { id: "threat-exposure/UnknownEventType", payload: null }
      })
    ),
    ""
  ).pipe(Schema.refine(isUnknownType)),
  metadata: orEmpty(TypedEventMetadata),
  data: orNull(Schema.Unknown)
}) {}

/** Not promised in the document: no service declares that it sends such an event. */
const MalformedOnWire = Schema.Struct({
  event_type: Schema.String.check(
    Schema.makeFilter(isMalformedType, {
      expected: "an event type with a specified shape",
      representation: { id: "threat-exposure/KnownEventType", payload: null }
    })
  ),
  metadata: orEmpty(TypedEventMetadata),
  data: Schema.Unknown
}).annotate({ [promiseAnnotation]: "never" })

/**
 * An event of a known type whose data does not match its specification. The data is as received, except that passwords
 * are redacted.
 */
export class MalformedEvent extends Schema.Opaque<MalformedEvent>()(
  MalformedOnWire.pipe(
    Schema.decodeTo(
      Schema.TaggedStruct("MalformedEvent", {
        /** A known type. */
        event_type: Schema.String.pipe(Schema.refine(isMalformedType)),
        metadata: Schema.toType(TypedEventMetadata),
        data: Schema.Unknown,
        /** Where the data does not match, and what was expected there; never the actual value. */
        faults: Schema.Array(Schema.String)
      }),
      {
        decode: SchemaGetter.transform(({ event_type, metadata, data }: typeof MalformedOnWire.Type) => ({
          _tag: "MalformedEvent" as const,
          event_type,
          metadata,
          data: redactPasswords(event_type, data),
          faults: faultsIn(event_type, data)
        })),
        encode: SchemaGetter.transform(({ event_type, metadata, data }) => ({
          event_type,
          metadata,
          data: revealWithin(data)
        }))
      }
    )
  )
) {}

export const TypedEvent = Schema.Union([...KnownEvent.members, UnknownEvent, MalformedEvent]).annotate({
  identifier: "TypedEvent"
})
export type TypedEvent = typeof TypedEvent.Type

/** Whether the event has a known type, but data that does not match its specification. */
export const isMalformed = (event: { readonly event_type: string }): event is MalformedEvent => "_tag" in event

/** Whether this version knows the event's type and can read its data. */
export const isKnown = <Event extends { readonly event_type: string }>(
  event: Event
): event is Extract<Event, { readonly event_type: KnownEventType }> =>
  !isMalformed(event) && known.has(event.event_type)

const decodeKnown = Schema.decodeUnknownResult(KnownEvent, { errors: "all" })

const faultsIn = (event_type: string, data: unknown): ReadonlyArray<string> =>
  Result.match(decodeKnown({ event_type, data }), {
    onFailure: ({ issue }) => faultsOf(issue),
    onSuccess: () => []
  })

/** If the data of a leaked credential is not an object, all of it may be the password. */
const redactPasswords = (event_type: string, data: unknown): unknown =>
  event_type === "leaked_credential" && !Predicate.isObject(data) ? Redacted.make(data) : redactPasswordsWithin(data)

const redactPasswordsWithin = (value: unknown): unknown =>
  mapWithin(value, (inner, key) =>
    key === "password" && inner !== null ? Redacted.make(inner) : redactPasswordsWithin(inner)
  )
