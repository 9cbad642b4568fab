import { plural } from "@threat-exposure/leak-check/Counted"
import * as Schema from "effect/Schema"
import { exitCodes } from "../ExitCode.ts"

/** Some items from the service are unreadable for this version; the result contains the others. */
export class ItemsUnreadable extends Schema.TaggedError<ItemsUnreadable>()("ItemsUnreadable", {
  /** Singular noun, such as "credential". */
  noun: Schema.String,
  count: Schema.Int
}) {
  readonly exitCode = exitCodes.incomplete

  override get message() {
    return `The result is not complete: ${this.count} of the ${plural(this.noun)} cannot be read and ${this.count === 1 ? "was" : "were"} left out. A later version of this program may read more`
  }
}
