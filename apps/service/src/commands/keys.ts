import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { Permission } from "@threat-exposure/core/domain/Permission"
import { toDateTime } from "@threat-exposure/core/domain/Timestamp"
import { newToken, permissionWords } from "../keys/ApiKeys.ts"
import { KeyStore, type StoredKey } from "../keys/KeyStore.ts"
import { printable } from "../observability/Log.ts"
import { tenant, textFlag } from "./DatabaseFlags.ts"
import { storeFlags, withStores } from "./StoreFlags.ts"
import { audit } from "./Audit.ts"
import { durationOf } from "./Duration.ts"
import { makeFailure, makeMisuse } from "./CommandFailed.ts"

const create = Command.make(
  "create",
  {
    ...storeFlags,
    tenant,
    permission: textFlag(
      "permission",
      "WORDS",
      `Permissions of the key, separated by commas: ${Object.keys(permissionWords).join(", ")}`
    ).pipe(Flag.atLeast(1)),
    label: Flag.optional(textFlag("label", "TEXT", "What the key is for; keys list shows it")),
    expires: Flag.optional(
      textFlag("expires", "WHEN", "When the key expires: 90d, 12h, or a date such as 2027-02-01 (default: never)")
    )
  },
  Effect.fnUntraced(function* ({ expires, label, permission, tenant, ...flags }) {
    const permissions = yield* permissionsOf(permission.join(","))
    const token = newToken()
    const now = yield* DateTime.now
    const createdAt = DateTime.formatIso(now)
    const expiresAt = Option.isNone(expires) ? undefined : yield* expiryOf(expires.value, now)
    const id = yield* Effect.flatMap(KeyStore, (keys) =>
      keys.create({
        token,
        tenantId: tenant,
        permissions,
        createdAt,
        label: Option.getOrUndefined(label),
        expiresAt
      })
    ).pipe(withStores(flags))
    yield* audit("keys.create", {
      key_id: id,
      tenant_id: tenant,
      permissions: permissions.join(),
      label: Option.getOrUndefined(label),
      expires_at: expiresAt
    })
    yield* Console.log(
      `Key ${id} of tenant ${tenant}: ${permissions.join(", ")}${expiresAt === undefined ? "" : `, expires ${expiresAt}`}. It is shown only this once:`
    )
    yield* Console.log(token)
  })
).pipe(Command.withDescription("Create a key and print it once, alone on the last line"))

const list = Command.make(
  "list",
  storeFlags,
  Effect.fnUntraced(function* (flags) {
    const foreign = yield* Effect.flatMap(KeyStore, (keys) => Effect.flatMap(keys.list, print)).pipe(withStores(flags))
    if (foreign.length > 0) {
      return yield* makeFailure(
        `Left out because this program did not write them: ${foreign.map((id) => `key ${id}`).join(", ")}. The service refuses them. Find out who can write the database, and revoke them`
      )
    }
  })
).pipe(Command.withDescription("List the keys, with their last use to the minute; a key itself cannot be shown again"))

/** Prints the authentic keys, and returns the ids of the others. */
const print = Effect.fnUntraced(function* (keys: ReadonlyArray<StoredKey>) {
  const authentic = keys.filter(({ isAuthentic }) => isAuthentic)
  const rows = authentic.map(({ createdAt, expiresAt, id, label, lastUsedAt, permissions, revokedAt, tenantId }) => [
    String(id),
    String(tenantId),
    printable(label ?? ""),
    permissions.join(", "),
    createdAt,
    lastUsedAt ?? "never",
    expiresAt ?? "never",
    revokedAt ?? ""
  ])
  const head = ["id", "tenant", "label", "permissions", "created", "last used", "expires", "revoked"]
  for (const line of table([head, ...rows])) yield* Console.log(line)
  return keys.filter(({ isAuthentic }) => !isAuthentic).map(({ id }) => id)
})

const revoke = Command.make(
  "revoke",
  { ...storeFlags, id: Argument.Int("ID").pipe(Argument.withDescription("The id of the key in keys list")) },
  Effect.fnUntraced(function* ({ id, ...flags }) {
    const revokedAt = DateTime.formatIso(yield* DateTime.now)
    const found = yield* Effect.flatMap(KeyStore, (keys) => keys.revoke(id, revokedAt)).pipe(withStores(flags))
    if (!found) return yield* makeFailure(`Key ${id} not found: keys list shows every key`)
    yield* audit("keys.revoke", { key_id: id })
    yield* Console.log(`Key ${id} is revoked. The service refuses it and its tokens.`)
  })
).pipe(Command.withDescription("Revoke a key; a running service refuses it and its tokens from the next request on"))

export const keys = Command.make("keys").pipe(
  Command.withDescription("Create, list and revoke API keys"),
  Command.withSubcommands([create, list, revoke])
)

const expiryOf = (given: string, now: DateTime.Utc) => {
  const duration = durationOf(given)
  const expiry = duration === undefined ? Option.getOrUndefined(toDateTime(given)) : DateTime.addDuration(now, duration)
  return expiry === undefined || !DateTime.isGreaterThan(expiry, now)
    ? Effect.fail(makeMisuse("--expires takes a duration such as 90d or 12h, or a date in the future"))
    : Effect.succeed(DateTime.formatIso(expiry))
}

const permissionByWord: ReadonlyMap<string, Permission> = new Map(Object.entries(permissionWords))

const permissionsOf = (words: string) =>
  Effect.map(
    Effect.forEach(words.split(","), (word) => {
      const permission = permissionByWord.get(word.trim())
      return permission === undefined
        ? Effect.fail(makeMisuse(`Unknown permission: --permission takes ${[...permissionByWord.keys()].join(", ")}`))
        : Effect.succeed(permission)
    }),
    (permissions) => [...new Set(permissions)]
  )

const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = rows.reduce<ReadonlyArray<number>>(
    (widest, row) => row.map((cell, column) => Math.max(cell.length, widest[column] ?? 0)),
    []
  )
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd()
  )
}
