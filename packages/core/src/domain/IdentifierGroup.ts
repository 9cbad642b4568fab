/** A group of identifiers in the older v2 interface. See docs/api.md#identifier. */
import * as Schema from "effect/Schema"
import { listedText } from "./schema/RequestField.ts"
import { orElse, orEmpty, orNull } from "./schema/Tolerant.ts"
import { struct } from "./schema/Struct.ts"

export class IdentifierGroup extends struct<IdentifierGroup>("IdentifierGroup")({
  id: orElse(Schema.Int, 0),
  tenant_id: orNull(Schema.Int),
  feed_id: orNull(Schema.Int),
  feed_owner_id: orNull(Schema.Int),
  name: orNull(Schema.String),
  urn: orNull(Schema.String)
}) {}

/** Which of these fields a service requires is not specified. */
export class NewIdentifierGroup extends struct<NewIdentifierGroup>("NewIdentifierGroup")({
  id: Schema.optionalKey(Schema.Int),
  tenant_id: Schema.optionalKey(Schema.Int),
  feed_id: Schema.optionalKey(Schema.Int),
  feed_owner_id: Schema.optionalKey(Schema.Int),
  name: Schema.optionalKey(listedText),
  urn: Schema.optionalKey(listedText)
}) {}

/** The response wraps the group in `assets_group`. */
export const IdentifierGroupCreated = Schema.Struct({ assets_group: orEmpty(IdentifierGroup) }).annotate({
  identifier: "IdentifierGroupCreated"
})

/** The response wraps all groups of a tenant in `assets_groups`. */
export class IdentifierGroupList extends struct<IdentifierGroupList>("IdentifierGroupList")({
  assets_groups: orElse(Schema.Array(IdentifierGroup), [])
}) {}
