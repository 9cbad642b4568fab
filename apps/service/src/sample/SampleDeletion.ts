/** Finds and deletes the data that `loadSample` created, but no data that is only similar. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Sample } from "@threat-exposure/sample/Sample"

export const sampleTenant = 1

export const sampleKeyLabel = "sample"

export class SampleDeletion extends Context.Service<
  SampleDeletion,
  {
    /** The number of stored rows of the sample per kind. */
    readonly count: Effect.Effect<Readonly<Record<string, number>>>
    readonly delete: Effect.Effect<void>
  }
>()("@threat-exposure/service/sample/SampleDeletion") {}

/** The keys of the identifiers of the sample. */
export const sampleAssets = ({ tenant: { identifiers, monitored } }: Sample): ReadonlySet<string> =>
  new Set([
    ...identifiers.map(({ name, type = "keyword" }) => assetKey({ name, type })),
    ...monitored.map(({ data: { type }, name }) => assetKey({ name, type }))
  ])

/** The type and name, which distinguish an identifier of the sample from others. */
export const assetKey = ({ name, type }: { readonly name: string; readonly type: string }): string => `${type} ${name}`
