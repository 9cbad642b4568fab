import type { Migration } from "../Migration.ts"

/** `seal` authenticates a key: see `KeySeal.ts`. The keys of an earlier database are sealed when its format changes from 2 to 3. */
export const keySealsSchema: Migration = {
  name: "0015-key-seals",
  sql: `ALTER TABLE keys ADD COLUMN seal BLOB;`
}
