/**
 * Overrides settings that name programs. Settings with a fixed name are overridden for every command; for those whose
 * names the repository chooses, git must list them first.
 */

/** Overrides settings, of the user, the machine or the repository, that could run a program or change git's output. */
export const fixedSettings: ReadonlyArray<string> = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  // `:` does nothing in a shell. With an empty value, git would run the path that it appends.
  "core.alternateRefsCommand=:",
  "safe.bareRepository=explicit",
  "gc.auto=0",
  "maintenance.auto=false",
  "log.showSignature=false",
  "core.quotePath=false",
  "core.bigFileThreshold=50m",
  "core.attributesFile=/dev/null",
  "color.ui=false",
  "diff.noprefix=false",
  "diff.mnemonicPrefix=false",
  "diff.suppressBlankEmpty=false",
  "log.showRoot=true",
  "log.follow=false"
].flatMap((setting) => ["-c", setting])

/** Options of commands that print differences: git runs no external diff program, and no process in a submodule. */
export const differenceOptions = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"]

export interface Setting {
  /** Where the setting comes from: `system`, `global`, `local`, `worktree` or `command`. */
  readonly scope: string
  readonly key: string
  readonly value: string
}

export interface Overrides {
  readonly settings: ReadonlyArray<readonly [key: string, value: string]>
  readonly variables: Readonly<Record<string, string>>
  readonly options: ReadonlyArray<string>
  /** Settings of the repository that are overridden. */
  readonly unused: ReadonlyArray<string>
}

export const noOverrides: Overrides = { settings: [], variables: {}, options: [], unused: [] }

/** Parses the output of `git config --null --show-scope --list`. */
export const settingsIn = (listing: string): ReadonlyArray<Setting> => {
  const parts = listing.split("\0")
  const settings: Array<Setting> = []
  for (let n = 0; n + 1 < parts.length; n += 2) {
    const [key = "", ...value] = (parts[n + 1] ?? "").split("\n")
    settings.push({ scope: parts[n] ?? "", key, value: value.join("\n") })
  }
  return settings
}

/** The part of a key between its first and its last dot, such as NAME in `filter.NAME.clean`. */
const namesOf = (settings: ReadonlyArray<Setting>, section: string) => [
  ...new Set(
    settings.flatMap(({ key }) => {
      const end = key.lastIndexOf(".")
      return key.startsWith(`${section}.`) && end > section.length ? [key.slice(section.length + 1, end)] : []
    })
  )
]

/** For commands that compare files of the work tree: disables the filters that git would run on them. */
export const withoutFilters = (settings: ReadonlyArray<Setting>): Overrides => {
  const names = namesOf(settings, "filter")
  return {
    ...noOverrides,
    settings: names.flatMap((name) => [
      ...["clean", "smudge", "process"].map((key) => [`filter.${name}.${key}`, ""] as const),
      [`filter.${name}.required`, "false"] as const
    ]),
    unused: names.map((name) => `filter.${name}`)
  }
}

/** For commands that connect to a remote: runs programs named by the user or the machine, but not by the repository. */
export const withoutTransportPrograms = (
  settings: ReadonlyArray<Setting>,
  sshCommand: string | undefined
): Overrides => {
  const isOwn = ({ scope }: Setting) => scope === "local" || scope === "worktree"
  const own = settings.filter(isOwn)
  const trusted = settings.filter((setting) => !isOwn(setting))
  const setsSsh = own.some(({ key }) => key === "core.sshcommand")
  const setsHelper = own.some(({ key }) => /^credential\.(?:.*\.)?helper$/.test(key))
  const setsUploadPack = own.some(({ key }) => /^remote\..*\.uploadpack$/.test(key))
  const trustedSsh = trusted.findLast(({ key }) => key === "core.sshcommand")?.value
  const helpers = trusted.filter(({ key }) => /^credential\.(?:.*\.)?helper$/.test(key))
  const isProgram =
    /^(?:core\.(?:sshcommand|askpass|gitproxy)|credential\.(?:.*\.)?helper|remote\..*\.(?:uploadpack|vcs))$/
  return {
    settings: [
      ...namesOf(settings, "hook").map((name) => [`hook.${name}.enabled`, "false"] as const),
      // An empty helper removes all helpers before it.
      ...(setsHelper
        ? [["credential.helper", ""] as const, ...helpers.map(({ key, value }) => [key, value] as const)]
        : [])
    ],
    variables: setsSsh && sshCommand === undefined ? { GIT_SSH_COMMAND: trustedSsh ?? "ssh" } : {},
    options: setsUploadPack ? ["--upload-pack=git-upload-pack"] : [],
    unused: [...new Set(own.filter(({ key }) => isProgram.test(key)).map(({ key }) => key))]
  }
}
