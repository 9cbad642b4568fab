/** A group of identifiers in the older v2 interface. See docs/api.md#identifier. */
import * as Schema from "effect/Schema"
import { listedText } from "./schema/RequestField.ts"
import { orElse, orEmpty, orNull } from "./schema/Tolerant.ts"

export class IdentifierGroup extends Schema.Opaque<IdentifierGroup>()(
  Schema.Struct({
    id: orElse(Schema.Int, 0),
    tenant_id: orNull(Schema.Int),
    feed_id: orNull(Schema.Int),
    feed_owner_id: orNull(Schema.Int),
    name: orNull(Schema.String),
    urn: orNull(Schema.String)
  }).annotate({ identifier: "IdentifierGroup" })
) {}

/** Which of these fields a service requires is not specified. */
export class NewIdentifierGroup extends Schema.Opaque<NewIdentifierGroup>()(
  Schema.Struct({
    id: Schema.optionalKey(Schema.Int),
    tenant_id: Schema.optionalKey(Schema.Int),
    feed_id: Schema.optionalKey(Schema.Int),
    feed_owner_id: Schema.optionalKey(Schema.Int),
    name: Schema.optionalKey(listedText),
    urn: Schema.optionalKey(listedText)
  }).annotate({ identifier: "NewIdentifierGroup" })
) {}

/** The response wraps the group in `assets_group`. */
export const IdentifierGroupCreated = Schema.Struct({ assets_group: orEmpty(IdentifierGroup) }).annotate({
  identifier: "IdentifierGroupCreated"
})

/** The response wraps all groups of a tenant in `assets_groups`. */
export class IdentifierGroupList extends Schema.Opaque<IdentifierGroupList>()(
  Schema.Struct({ assets_groups: orElse(Schema.Array(IdentifierGroup), []) }).annotate({
    identifier: "IdentifierGroupList"
  })
) {}
