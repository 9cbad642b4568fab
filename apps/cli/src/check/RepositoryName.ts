/** The name that salts fingerprints. */
import { Git } from "@threat-exposure/detect/git/Git"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"

/** Host and path of the remote `origin`; the folder's name where there is none, which another clone may not share. */
export const repositoryNameOf = Effect.fn("RepositoryName.of")(function* (root: string) {
  const git = yield* Git
  const path = yield* Path.Path
  const url = yield* Effect.orElseSucceed(git.text(root, ["config", "--get", "remote.origin.url"]), () => "")
  return nameOfUrl(url) ?? path.basename(path.resolve(root))
})

/** In lower case, without user, port and `.git`; undefined for a path on this machine. */
export const nameOfUrl = (url: string): string | undefined => {
  const [, host, path] =
    /^[a-z][a-z+.-]*:\/\/(?:[^/@]*@)?([^/:]+)(?::\d+)?\/+(.+)$/iu.exec(url) ??
    /^(?:[^/@]+@)?([^/:]+):(.+)$/u.exec(url) ??
    []
  return host === undefined || path === undefined || host.length === 1
    ? undefined
    : `${host}/${path}`
        .toLowerCase()
        .replace(/\/+$/u, "")
        .replace(/\.git$/u, "")
}
