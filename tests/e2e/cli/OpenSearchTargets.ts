/** Indices and data streams that a feed writes to, and their documents. */

const ask = async (method: string, url: string, body?: unknown): Promise<any> => {
  const answer = await fetch(url, {
    method,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  if (!answer.ok) throw new Error(`${method} ${url} was answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

/** Documents are kept, and not indexed by field. */
const template = {
  settings: { number_of_replicas: 0 },
  mappings: { dynamic: false, properties: { uid: { type: "keyword" } } }
}

/** Returns the address of the new index. */
export const createIndex = async (node: string, name: string): Promise<string> => {
  await ask("PUT", `${node}/${name}`, template)
  return `${node}/${name}`
}

/** Returns the address of the new data stream. */
export const createDataStream = async (node: string, name: string): Promise<string> => {
  await ask("PUT", `${node}/_index_template/${name}`, {
    index_patterns: [name],
    data_stream: {},
    priority: 500,
    template
  })
  await ask("PUT", `${node}/_data_stream/${name}`)
  return `${node}/${name}`
}

/** Begins a new backing index, which does not know the ids of those before. */
export const rollOver = (stream: string): Promise<unknown> => ask("POST", `${stream}/_rollover`)

/** The source of every document, reduced to these fields. */
export const documentsIn = async (target: string, ...fields: ReadonlyArray<string>): Promise<ReadonlyArray<any>> => {
  await ask("POST", `${target}/_refresh`)
  const documents: Array<any> = []
  let page = await ask("POST", `${target}/_search?scroll=1m`, {
    size: 5_000,
    _source: fields.length === 0 ? true : fields
  })
  while (page.hits.hits.length > 0) {
    for (const { _source } of page.hits.hits) documents.push(_source)
    page = await ask("POST", `${new URL(target).origin}/_search/scroll`, { scroll: "1m", scroll_id: page._scroll_id })
  }
  return documents
}
