import { randomUUID } from "node:crypto"
import { Caller } from "@threat-exposure/core/api/Access"
import { Api } from "@threat-exposure/core/api/Api"
import { V2Failure } from "@threat-exposure/core/domain/Failures"
import { Identifier, NewIdentifier } from "@threat-exposure/core/domain/Identifier"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Database } from "../sqlite/Database.ts"
import { createIdentifierJob } from "./IdentifierInserts.ts"

/** See docs/api.md#create-an-identifier. */
export const IdentifierHandlers = HttpApiBuilder.group(
  Api,
  "identifiers",
  Effect.fn(function* (handlers) {
    const database = yield* Database

    return handlers.handleAll({
      create: Effect.fnUntraced(function* ({ payload }) {
        const { tenantId } = yield* Caller
        const result = yield* database.write(createIdentifierJob, {
          tenantId,
          asset: encodeNew(payload),
          uuid: yield* Effect.sync(() => randomUUID()),
          now: DateTime.formatIso(yield* DateTime.now)
        })
        if (result._tag === "QueryInvalid") {
          return yield* new V2Failure({
            code: "INVALID_QUERY",
            message: `The search query cannot be read at character ${result.position}: ${result.reason}`
          })
        }
        return { asset: decodeIdentifier(result.asset) }
      })
    })
  })
)

const encodeNew = Schema.encodeSync(NewIdentifier)
const decodeIdentifier = Schema.decodeSync(Identifier)
