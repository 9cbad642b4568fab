import * as Schema from "effect/Schema"

/** The database or the cluster cannot be used as it is. Nothing was written. */
export class StoreUnusable extends Schema.TaggedError<StoreUnusable>()("StoreUnusable", {
  /** The beginning of the message: `OpenSearch`, or the database with its file. */
  store: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.store} cannot be used: ${this.reason}`
  }
}

export class DatabaseMissing extends Schema.TaggedError<DatabaseMissing>()("DatabaseMissing", { file: Schema.String }) {
  override get message() {
    return `The database ${this.file} does not exist. Name the right one with --database. Nothing was done.`
  }
}
