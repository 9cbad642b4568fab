/** The name of a repository, which salts fingerprints: one ignore file works in every program and clone. */

/**
 * Host and path of a remote's address in lower case, without user, port and `.git`: `github.com/owner/name`. A workflow
 * gets the same name from its server's address and `owner/name`. Undefined if the address has no host, such as a
 * folder.
 */
export const repositoryNameOf = (address: string): string | undefined => {
  const url = /^[a-z][a-z+.-]*:\/\/(?:[^/@]*@)?(?<host>\[[^\]]*\]|[^/:]+)(?::\d*)?\/(?<path>.+)$/iu.exec(address)
  // The scp-like form `git@host:path`; a single letter is a drive.
  const short = /^(?:[^/@:\s]+@)?(?<host>\[[^\]]*\]|[^/:@\s]{2,}):(?!\/\/)(?<path>.+)$/u.exec(address)
  const { host, path } = (url ?? short)?.groups ?? {}
  if (host === undefined || path === undefined) return undefined
  const plain = path.replace(/^\/+|\/+$/gu, "").replace(/\.git$/iu, "")
  return plain === "" ? undefined : `${host}/${plain}`.toLowerCase()
}

/** The name according to the remote `origin` in git's config file. */
export const repositoryNameIn = (gitConfig: string): string | undefined => {
  let isOrigin = false
  for (const line of gitConfig.split(/\r?\n/u)) {
    const section = /^\s*\[\s*([^\]]*?)\s*\]/u.exec(line)?.[1]
    if (section !== undefined) isOrigin = /^remote\s+"origin"$/iu.test(section)
    const address = isOrigin ? /^\s*url\s*=\s*"?(.+?)"?\s*$/iu.exec(line)?.[1] : undefined
    if (address !== undefined) return repositoryNameOf(address)
  }
  return undefined
}
