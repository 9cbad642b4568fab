import * as Context from "effect/Context"
import { defaultLinkField } from "./ServiceNames.ts"

/** The name of the metadata field with the link to the event in the service's web application; services choose it. */
export const LinkField = Context.Reference<string>("@threat-exposure/core/domain/LinkField/LinkField", {
  defaultValue: () => defaultLinkField
})
