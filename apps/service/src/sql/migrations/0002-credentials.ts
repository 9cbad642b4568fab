import type { Migration } from "../Migration.ts"

export const credentialsSchema: Migration = {
  name: "0002-credentials",
  sql: ``
}
