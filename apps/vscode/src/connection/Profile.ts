import { Schema } from "effect"

/** A service to sign in to, as the setting holds it; its token or key is in the secret storage. */
export const Profile = Schema.Struct({
  name: Schema.NonEmptyString,
  baseUrl: Schema.String,
  pathPrefix: Schema.optionalKey(Schema.String),
  linkField: Schema.optionalKey(Schema.String),
  signInWith: Schema.optionalKey(Schema.Literals(["token", "apiKey"])),
  tenantId: Schema.optionalKey(Schema.Int)
})
export interface Profile extends Schema.Schema.Type<typeof Profile> {}
