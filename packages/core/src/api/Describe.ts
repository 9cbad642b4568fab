/** What the document says about an operation. */
import type * as Context from "effect/Context"
import * as OpenApi from "effect/http-api/OpenApi"
import { type Operation, permissions } from "../domain/Permission.ts"

interface Words {
  readonly summary: string
  readonly description: string
  readonly deprecated?: boolean
  readonly beta?: boolean
}

/** Names the operation `group.endpoint`, and the permission it needs (SPEC 5). */
export const describe = (
  operation: Operation,
  { summary, description, deprecated, beta }: Words
): Context.Context<never> => {
  const permission = permissions[operation]
  const needs = permission === null ? "The specification names no permission." : `Permission: ${permission}.`
  return OpenApi.annotations({
    identifier: operation,
    summary,
    description: `${description} ${needs}`,
    deprecated,
    override: {
      ...(permission === null ? undefined : { "x-permission": permission }),
      ...(beta === true ? { "x-beta": true } : undefined)
    }
  })
}
