/**
 * A registry on this machine, in memory: it keeps what `npm publish` sends to it, and redirects requests for other packages
 * to the registry that npm is configured with.
 *
 * Verdaccio does the same with 320 packages, which every clone would install.
 */
import type { IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"
import { startServer } from "@threat-exposure/programs/LocalServer"

export interface LocalRegistry {
  readonly url: string
  readonly stop: () => void
}

interface Version {
  readonly dist: { readonly tarball: string }
}

/** The content of a request with which npm publishes. */
interface Publication {
  readonly name: string
  readonly "dist-tags": Readonly<Record<string, string>>
  readonly versions: Readonly<Record<string, Version>>
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>
}

/** `scope` is of the packages that are published here: those that are missing are looked up nowhere else. */
export const startLocalRegistry = async (upstream: string, scope: string): Promise<LocalRegistry> => {
  const packages = new Map<string, Publication>()
  /** Tarballs by the path of their URL. */
  const tarballs = new Map<string, Buffer>()

  const publish = ({ _attachments, ...publication }: Publication) => {
    packages.set(publication.name, { ...publication, _attachments: {} })
    const [version] = Object.values(publication.versions)
    const [attachment] = Object.values(_attachments)
    if (version === undefined || attachment === undefined) throw new Error(`${publication.name} has no version`)
    tarballs.set(new URL(version.dist.tarball).pathname, Buffer.from(attachment.data, "base64"))
  }

  const answer = async (request: IncomingMessage) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://127.0.0.1")
    if (request.method === "PUT") {
      publish(JSON.parse(await text(request)))
      return { status: 201, body: "{}" }
    }
    const found = tarballs.get(pathname) ?? packages.get(decodeURIComponent(pathname.slice(1)))
    if (found instanceof Buffer) return { status: 200, body: found }
    if (found !== undefined) return { status: 200, body: JSON.stringify(found) }
    if (decodeURIComponent(pathname).startsWith(`/${scope}/`)) return { status: 404, body: "{}" }
    return { status: 307, body: "", location: new URL(pathname.slice(1) + search, upstream).href }
  }

  const { close, url } = await startServer(async (request, response) => {
    try {
      const { body, location, status } = await answer(request)
      response.writeHead(status, location === undefined ? {} : { location }).end(body)
    } catch (error) {
      response.writeHead(400).end(JSON.stringify({ error: String(error) }))
    }
  })
  return { url: `${url}/`, stop: close }
}
