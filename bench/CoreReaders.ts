/** Ways to read a whole credentials search, page after page: the two faces of packages/core, and loops without it. */
import { ApiClient } from "@threat-exposure/core/client/ApiClient"
import { Credentials } from "@threat-exposure/core/client/Credentials"
import { createClient } from "@threat-exposure/core/promise"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { pageSize, query } from "./CorePages.ts"

export interface Address {
  readonly baseUrl: string
  readonly token: string
}

/** Gives how many credentials came, having looked at each. */
export type Reader = (address: Address) => Promise<number>

interface Page {
  readonly items: ReadonlyArray<{ readonly id: number; readonly domain: string | null }>
  readonly next: string | null
}

const found = (count: number, { domain }: { readonly domain: string | null }) =>
  domain?.endsWith(query.fqdn) === true ? count + 1 : count

const loop =
  (read: (response: Response) => Promise<Page>): Reader =>
  async ({ baseUrl, token }) => {
    let count = 0
    let from: string | null = null
    do {
      const response: Response = await fetch(`${baseUrl}/svc/v4/credentials/global/_search`, {
        method: "POST",
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        body: JSON.stringify({ query, size: pageSize, from })
      })
      const page: Page = await read(response)
      for (const item of page.items) count = found(count, item)
      from = page.next
    } while (from !== null)
    return count
  }

const effect: Reader = (address) =>
  Effect.runPromise(
    Effect.provide(
      Effect.flatMap(Credentials, (credentials) =>
        Stream.runFold(credentials.search({ query, size: pageSize }), () => 0, found)
      ),
      Credentials.layer.pipe(Layer.provide(ApiClient.layer({ ...address, readAhead: true })))
    )
  )

const promise: Reader = async (address) => {
  let count = 0
  const client = createClient({ ...address, readAhead: true })
  for await (const item of client.credentials.search({ query, size: pageSize })) count = found(count, item)
  return count
}

export const readers = {
  "JSON.parse(await response.text())": loop(async (response) => JSON.parse(await response.text())),
  "await response.json()": loop(async (response) => {
    const page: unknown = await response.json()
    // The loop trusts what comes, as such loops do.
    return page as Page
  }),
  "Credentials.search, readAhead": effect,
  "createClient, readAhead": promise
} satisfies { readonly [name: string]: Reader }
