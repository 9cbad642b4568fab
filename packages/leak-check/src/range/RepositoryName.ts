/** The name of a repository, which salts its fingerprints, so that one ignore file works in every program and clone. */

/**
 * Host and path of a remote's address in lower case, without user, port and `.git`: `github.com/owner/name`. A workflow gets
 * the same from its server's address and `owner/name`. Undefined where the address names no host, as that of a folder.
 */
export const repositoryNameOf = (address: string): string | undefined => {
  const url = /^[a-z][a-z+.-]*:\/\/(?:[^/@]*@)?(?<host>\[[^\]]*\]|[^/:]+)(?::\d*)?\/(?<path>.+)$/iu.exec(address)
  // As in `git@host:path`; one letter is a drive.
  const short = /^(?:[^/@:\s]+@)?(?<host>\[[^\]]*\]|[^/:@\s]{2,}):(?!\/\/)(?<path>.+)$/u.exec(address)
  const { host, path } = (url ?? short)?.groups ?? {}
  if (host === undefined || path === undefined) return undefined
  const plain = path.replace(/^\/+|\/+$/gu, "").replace(/\.git$/iu, "")
  return plain === "" ? undefined : `${host}/${plain}`.toLowerCase()
}

/** The name that git's own config file gives, by the remote `origin`. */
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
