/**
 * Settings of a repository that name programs. Those with one name each are overridden for every command; the others
 * have names that the repository chooses, so that it has to be asked for them first.
 */

/** Overrides of what the user, the machine or the repository may have set, and that would run a program or change an answer. */
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

/** Options of commands that print differences: no program shows them, and no process of git runs in a submodule. */
export const differenceOptions = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"]

export interface Setting {
  /** Where it is set: `system`, `global`, `local`, `worktree` or `command`. */
  readonly scope: string
  readonly key: string
  readonly value: string
}

export interface Overrides {
  readonly settings: ReadonlyArray<readonly [key: string, value: string]>
  readonly variables: Readonly<Record<string, string>>
  readonly options: ReadonlyArray<string>
  /** The settings of the repository that are not used. */
  readonly unused: ReadonlyArray<string>
}

export const noOverrides: Overrides = { settings: [], variables: {}, options: [], unused: [] }

/** Reads the output of `git config --null --show-scope --list`. */
export const settingsIn = (listing: string): ReadonlyArray<Setting> => {
  const parts = listing.split("\0")
  const settings: Array<Setting> = []
  for (let n = 0; n + 1 < parts.length; n += 2) {
    const [key = "", ...value] = (parts[n + 1] ?? "").split("\n")
    settings.push({ scope: parts[n] ?? "", key, value: value.join("\n") })
  }
  return settings
}

/** The name between the first dot and the last one of a key, such as the filter of `filter.NAME.clean`. */
const namesOf = (settings: ReadonlyArray<Setting>, section: string) => [
  ...new Set(
    settings.flatMap(({ key }) => {
      const end = key.lastIndexOf(".")
      return key.startsWith(`${section}.`) && end > section.length ? [key.slice(section.length + 1, end)] : []
    })
  )
]

/** For commands that compare files of the work tree, which git passes through filters: files are compared as they are. */
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

/** For commands that talk to a remote: programs that the user or the machine names for it run, and none that the repository names. */
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
      // An empty helper removes those named before it.
      ...(setsHelper
        ? [["credential.helper", ""] as const, ...helpers.map(({ key, value }) => [key, value] as const)]
        : [])
    ],
    variables: setsSsh && sshCommand === undefined ? { GIT_SSH_COMMAND: trustedSsh ?? "ssh" } : {},
    options: setsUploadPack ? ["--upload-pack=git-upload-pack"] : [],
    unused: [...new Set(own.filter(({ key }) => isProgram.test(key)).map(({ key }) => key))]
  }
}
