/** The name that salts fingerprints, the same as a workflow's: `owner/name` of the remote, from git's own config file. */

/** Undefined where the config names no remote of that shape. */
export const repositoryIn = (gitConfig: string): string | undefined => {
  const remotes = new Map<string, string>()
  let section = ""
  for (const line of gitConfig.split(/\r?\n/u)) {
    const header = /^\s*\[\s*remote\s+"([^"]+)"\s*\]/u.exec(line)
    if (header !== null) section = header[1] ?? ""
    else if (/^\s*\[/u.test(line)) section = ""
    const url = /^\s*url\s*=\s*(.+?)\s*$/u.exec(line)?.[1]
    if (section !== "" && url !== undefined && !remotes.has(section)) remotes.set(section, url)
  }
  const url = remotes.get("origin") ?? remotes.values().next().value
  return url === undefined ? undefined : /([^/:\s]+\/[^/\s]+?)(?:\.git)?\/?$/u.exec(url)?.[1]
}
