/** Finds, checks, creates and names the indices of a cluster, and adds fields to them. */
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import * as Schema from "effect/Schema"
import type { Cluster } from "./Cluster.ts"
import type { ClusterCall } from "./ClusterCall.ts"
import { ClusterRefusal, errorIn } from "./ClusterRefusal.ts"
import type { ClusterClient } from "./ClusterClient.ts"
import { clusterUnusable } from "./ClusterUnusable.ts"
import {
  aliasOf,
  type IndexName,
  indexNameOf,
  type IndexShape,
  keptOnly,
  smallIndex,
  writeIdField
} from "./IndexDefinition.ts"
import { answerDecoder } from "./ClusterJson.ts"

/**
 * Creates missing indices, adds the fields of this version, and refuses unusable indices: `check` throws for an
 * existing index that cannot be used.
 */
export const prepareIndices = async (
  client: ClusterClient,
  prefix: string,
  shapes: ReadonlyArray<IndexShape>,
  check: (there: ReadonlyArray<PresentIndex>) => void = () => {},
  attempts = 3
): Promise<void> => {
  const there = await presentIndices(client, prefix, shapes)
  check(there)
  const missing: Array<IndexShape> = []
  const grown: Array<IndexShape> = []
  for (const shape of shapes) {
    const ofShape = there.filter(({ generation, name }) => name === shape.name && generation === shape.generation)
    const used = ofShape.find(({ aliases }) => aliases.includes(aliasOf(prefix, shape)))
    if (used !== undefined) {
      checkFields(used, shape)
      if ([...fieldsOf(propertiesOf(shape)).keys()].some((field) => !used.fields.has(field))) grown.push(shape)
    } else if (ofShape[0] === undefined) {
      missing.push(shape)
    } else {
      throw clusterUnusable(
        `the index ${ofShape[0].index} has no alias: a restore or a migration is under way, or was cut off. Wait for it, or run it again`
      )
    }
  }
  // All indices are checked before the first write.
  await Promise.all(grown.map((shape) => addFields(client, prefix, shape)))
  if (await createIndices(client, prefix, missing)) return
  if (attempts === 1) {
    throw clusterUnusable(
      `${missing.map((shape) => indexNameOf(prefix, shape)).join()} cannot be created, and its user does not see them: give its role the permissions on ${prefix}-*`
    )
  }
  // Another service created some of the indices first.
  await prepareIndices(client, prefix, shapes, check, attempts - 1)
}

/** Throws unless this version can use the index as it is, or after the missing fields are added. */
const checkFields = ({ index, ownFields, version = 0 }: PresentIndex, shape: IndexShape): void => {
  const own = fieldsOf(propertiesOf(shape))
  const unknown = ownFields.find((field) => !own.has(field))
  if (version > shape.version || (version === shape.version && unknown !== undefined)) {
    const what = version > shape.version ? "is" : `has the field ${unknown}, which is`
    throw clusterUnusable(
      `the index ${index} ${what} of a later version of this program. Use that version or a newer one`
    )
  }
  if (version < shape.version) {
    throw clusterUnusable(
      `the index ${index} is of an earlier version of this program. Run upgrade, which copies it while services answer searches`
    )
  }
}

/** The path of a field with other parameters than this version sets, such as an added `ignore_above`. */
export const changedField = ({ fields }: PresentIndex, shape: IndexShape): string | undefined => {
  const own = [...fieldsOf(propertiesOf(shape))]
  return own.find(([field, set]) => fields.has(field) && fields.get(field) !== set)?.[0]
}

/** Adds the fields of this version. Existing documents have no value in new fields. */
const addFields = (client: ClusterClient, prefix: string, shape: IndexShape) =>
  client.call({
    method: "PUT",
    path: `/${indexNameOf(prefix, shape)}/_mapping`,
    body: JSON.stringify({ _meta: metaOf(shape), properties: propertiesOf(shape) }),
    timeLimit: creationTimeLimit
  })

/** Returns false if some of the indices already exist. Without an alias, an index is not used. */
export const createIndices = async (
  client: ClusterClient,
  prefix: string,
  shapes: ReadonlyArray<IndexShape>,
  { withAliases = true }: { readonly withAliases?: boolean } = {}
): Promise<boolean> => {
  let areNew = true
  for (let at = 0; at < shapes.length; at += 4) {
    const some = shapes.slice(at, at + 4)
    const created = await Promise.all(some.map((shape) => createIndex(client, prefix, shape, withAliases)))
    areNew &&= !created.includes(false)
  }
  return areNew
}

/** Adds the aliases of all indices in one step, which puts them into use. */
export const addAliases = (cluster: Cluster["Service"], targets: ReadonlyArray<IndexName>) =>
  cluster.call({
    method: "POST",
    path: "/_aliases",
    body: JSON.stringify({
      actions: targets.map((target) => ({
        add: {
          alias: aliasOf(cluster.prefix, target),
          index: indexNameOf(cluster.prefix, target),
          is_write_index: true
        }
      }))
    }),
    timeLimit: creationTimeLimit
  })

/** An existing index that has a name or an alias of this program. */
export interface PresentIndex {
  /** The name in the index definition; undefined for an index that this program did not create. */
  readonly name: string | undefined
  readonly version: number | undefined
  readonly generation?: string | undefined
  /** The full name, as in `threat-exposure-events-v1`. */
  readonly index: string
  readonly uuid: string
  readonly isClosed: boolean
  /**
   * A setting such as `index.max_terms_count=1`, with which OpenSearch would change documents or answers, or refuse
   * searches.
   */
  readonly disturbingSetting: string | undefined
  readonly aliases: ReadonlyArray<string>
  /** The aliases with a filter, which show only a part of the index. */
  readonly filtered: ReadonlyArray<string>
  /** As {@link fieldsOf} returns them. */
  readonly fields: ReadonlyMap<string, string>
  /** The paths of the fields that any version of this program added. An index template may have added others. */
  readonly ownFields: ReadonlyArray<string>
}

export type ExistingIndex = PresentIndex & IndexName

/** The existing indices of these definitions, in any version. */
export const findIndices = async (
  client: ClusterClient,
  prefix: string,
  shapes: ReadonlyArray<IndexShape>
): Promise<ReadonlyArray<ExistingIndex>> =>
  (await presentIndices(client, prefix, shapes)).flatMap((present) => {
    const { name, version } = present
    return name === undefined || version === undefined ? [] : [{ ...present, name, version }]
  })

/** The existing indices of these definitions, including closed ones, and every index behind one of their aliases. */
export const presentIndices = async (
  client: ClusterClient,
  prefix: string,
  shapes: ReadonlyArray<IndexShape>
): Promise<ReadonlyArray<PresentIndex>> => {
  const names = shapes.flatMap((shape) => [`${prefix}-${shape.name}-v*`, aliasOf(prefix, shape)]).join()
  const { text } = await client.call({
    method: "GET",
    path: `/${names}?ignore_unavailable=true&expand_wildcards=all&flat_settings=true&filter_path=${membersOfIndices}`
  })
  return Object.entries(decodeIndices(text)).map(([index, { aliases = {}, mappings, settings }]) => {
    const fields = fieldsOf(mappings?.properties ?? {})
    const { generation, name, version } = parseIndexName(prefix, index, shapes) ?? {}
    return {
      index,
      name,
      version,
      generation,
      uuid: settings["index.uuid"],
      isClosed: settings["index.verified_before_close"] === "true",
      disturbingSetting: findDisturbing(settings),
      aliases: Object.keys(aliases),
      filtered: Object.entries(aliases).flatMap(([alias, { filter, search_routing }]) =>
        filter === undefined && search_routing === undefined ? [] : [alias]
      ),
      fields,
      ownFields: mappings?._meta?.fields ?? [...fields.keys()]
    }
  })
}

const membersOfIndices = ["aliases", "mappings._meta", "mappings.properties", "settings"]
  .map((member) => `*.${member}`)
  .join()

const decodeIndices = answerDecoder(
  "a request for the indices",
  Schema.Record(
    Schema.String,
    Schema.Struct({
      aliases: Schema.optionalKey(
        Schema.Record(
          Schema.String,
          Schema.Struct({
            filter: Schema.optionalKey(Schema.Unknown),
            search_routing: Schema.optionalKey(Schema.String)
          })
        )
      ),
      mappings: Schema.optionalKey(
        Schema.Struct({
          _meta: Schema.optionalKey(Schema.Struct({ fields: Schema.optionalKey(Schema.Array(Schema.String)) })),
          properties: Schema.optionalKey(Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown)))
        })
      ),
      settings: Schema.StructWithRest(
        Schema.Struct({
          "index.uuid": Schema.String,
          "index.verified_before_close": Schema.optionalKey(Schema.String)
        }),
        [Schema.Record(Schema.String, Schema.Unknown)]
      )
    })
  )
)

/** The parts of an index name; undefined if the index is not one of this program. */
export const parseIndexName = (
  prefix: string,
  index: string,
  shapes: ReadonlyArray<IndexShape>
): IndexName | undefined => {
  const [, name, version, generation] = /^(.+)-v(\d+)(?:-([0-9a-f]+))?$/u.exec(index.slice(prefix.length + 1)) ?? []
  if (!index.startsWith(`${prefix}-`) || name === undefined) return undefined
  return shapes.some((shape) => shape.name === name) ? { name, version: Number(version), generation } : undefined
}

/** Returns false if the index already exists. */
const createIndex = async (
  client: ClusterClient,
  prefix: string,
  shape: IndexShape,
  withAlias: boolean
): Promise<boolean> => {
  const creation = randomUUID()
  const aliases = withAlias ? { [aliasOf(prefix, shape)]: { is_write_index: true } } : {}
  const mappings = {
    dynamic: "strict",
    _source: { enabled: true },
    _routing: { required: false },
    _meta: { ...metaOf(shape), creation },
    properties: propertiesOf(shape)
  }
  const settings = { ...pipelines, ...limits, "index.blocks.write": false, ...(shape.settings ?? smallIndex) }
  const path = `/${indexNameOf(prefix, shape)}`
  const call: ClusterCall = {
    method: "PUT",
    path,
    body: JSON.stringify({ settings, mappings, aliases }),
    accepted: [400],
    timeLimit: creationTimeLimit
  }
  const { isRepeated, status, text } = await client.call(call)
  if (status !== 400) return true
  const error = errorIn(text)
  if (error?.type !== "resource_already_exists_exception") {
    // The reason names settings of the cluster, such as an index template or the maximum number of shards.
    throw error?.reason == null
      ? new ClusterRefusal(call, status, error)
      : clusterUnusable(`it does not create ${path.slice(1)}: ${error.reason}`)
  }
  if (!isRepeated) return false
  // A lost answer: an earlier attempt may have created the index.
  const found = await client.call({ method: "GET", path: `${path}?filter_path=*.mappings._meta.creation` })
  return Object.values(decodeCreation(found.text)).some(({ mappings }) => mappings._meta.creation === creation)
}

const decodeCreation = answerDecoder(
  "a request for the indices",
  Schema.Record(
    Schema.String,
    Schema.Struct({
      mappings: Schema.Struct({ _meta: Schema.Struct({ creation: Schema.String }) })
    })
  )
)

const metaOf = (shape: IndexShape) => ({
  version: shape.version,
  fields: [...fieldsOf(propertiesOf(shape)).keys()]
})

/** Without pipelines: one that an index template sets would change documents or answers. */
const pipelines = {
  "index.default_pipeline": "_none",
  "index.final_pipeline": "_none",
  "index.search.default_pipeline": "_none"
}

/** The defaults of OpenSearch. With lower values, it refuses large pages and long lists. */
const limits = { "index.max_result_window": 10_000, "index.max_terms_count": 65_536 }

const findDisturbing = (settings: { readonly [setting: string]: unknown }): string | undefined => {
  const [name] =
    Object.entries(pipelines).find(([name, none]) => (settings[name] ?? none) !== none) ??
    Object.entries(limits).find(([name, limit]) => Number(settings[name] ?? limit) < limit) ??
    []
  return name === undefined ? undefined : `${name}=${String(settings[name])}`
}

const propertiesOf = ({ properties }: IndexShape) => ({ ...properties, [writeIdField]: keptOnly })

/** Milliseconds. Long, because a change of the cluster state waits for every node. */
export const creationTimeLimit = 30_000

/** The parameters of each field as JSON, by its path, as in `policies.uuid`. */
const fieldsOf = (properties: Properties): ReadonlyMap<string, string> => new Map(fieldsIn(properties, ""))

function* fieldsIn(properties: Properties, path: string): Generator<readonly [string, string]> {
  for (const [name, { properties: members = {}, ...set }] of Object.entries(properties)) {
    // OpenSearch omits the type of an object with members, and returns a list for a single name.
    const all = Object.entries({ type: "object", ...set }).map(([key, value]) => [key, [value].flat()] as const)
    yield [path + name, JSON.stringify(all.toSorted(([one], [other]) => (one < other ? -1 : 1)))]
    yield* fieldsIn(decodeProperties(members), `${path}${name}.`)
  }
}

type Properties = IndexShape["properties"]

const decodeProperties = Schema.decodeUnknownSync(
  Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown))
)

/** Waits until every shard is assigned to a node. */
export const waitUntilUsable = async (client: ClusterClient, prefix: string): Promise<void> => {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const { status } = await client.call({
      method: "GET",
      path: `/_cluster/health/${prefix}-*?wait_for_status=yellow&timeout=5s`,
      accepted: [408]
    })
    if (status !== 408) return
    await sleep(100)
  }
  throw clusterUnusable(`some shards of ${prefix}-* have no node. GET _cluster/allocation/explain says why`)
}
