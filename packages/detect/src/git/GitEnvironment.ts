/**
 * Builds the environment of git from an allow list, so that no token or secret of this process reaches git or a program
 * that git starts.
 */
import { Config, Effect, Option, Path } from "effect"

export type Variables = Readonly<Record<string, string>>

export interface GitEnvironment {
  /** For commands that only read the clone: they cannot fetch. */
  readonly offline: Variables
  /** For commands that connect to a remote. */
  readonly online: Variables
}

const words = (text: string) => text.trim().split(/\s+/)

/** Variables by which a caller, such as a git hook, sets the repository, its index or its objects. */
const pathVariables = ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"]
const locationVariables = [...pathVariables, "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE"]

/**
 * Variables that every program needs, in the spelling of each operating system, and those by which git finds its own
 * parts and settings.
 */
const processVariables = words(`
  PATH Path PATHEXT HOME USER LOGNAME USERNAME TMPDIR TEMP TMP LD_LIBRARY_PATH
  SystemRoot SYSTEMROOT windir ComSpec COMSPEC USERPROFILE HOMEDRIVE HOMEPATH
  APPDATA LOCALAPPDATA ProgramData PROGRAMDATA ProgramFiles MSYSTEM XDG_CONFIG_HOME
  GIT_EXEC_PATH GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM GIT_CONFIG_PARAMETERS
  GIT_CEILING_DIRECTORIES GIT_DISCOVERY_ACROSS_FILESYSTEM
`)

/**
 * Variables for connecting to a remote. Proxies and agents give access to other machines, so only commands that connect
 * get them.
 */
const networkVariables = words(`
  SSH_AUTH_SOCK SSH_AGENT_PID GIT_SSH GIT_SSH_COMMAND GIT_SSH_VARIANT GIT_PROXY_COMMAND
  http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY no_proxy NO_PROXY
  GIT_SSL_CAINFO GIT_SSL_CAPATH GIT_SSL_NO_VERIFY SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE
  GIT_ALLOW_PROTOCOL KRB5CCNAME KRB5_CONFIG
`)

const fixed: Variables = {
  LC_ALL: "C",
  // Flushing after each line would wake the reader once per commit.
  GIT_FLUSH: "0",
  // By default, the C library returns the memory of each large file to the kernel, and allocates it again for the next.
  MALLOC_MMAP_THRESHOLD_: `${32 << 20}`,
  MALLOC_TRIM_THRESHOLD_: `${64 << 20}`,
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  // Empty values override core.askPass and core.gitProxy.
  GIT_ASKPASS: "",
  GIT_PROXY_COMMAND: "",
  GIT_ATTR_NOSYSTEM: "1",
  // `git replace` and grafts change what git shows, but not what a clone receives.
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: "/dev/null"
}

/** Reads the variables that are set to a non-empty value. */
const readVariables = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const variables: Record<string, string> = {}
  for (const name of names) {
    const value = yield* Effect.orElseSucceed(Config.option(Config.String(name)), () => Option.none())
    if (Option.isSome(value) && value.value !== "") variables[name] = value.value
  }
  return variables
})

/** `GIT_CONFIG_COUNT` and the numbered variables that it counts. */
const configVariables = Effect.gen(function* () {
  const { GIT_CONFIG_COUNT: count = "0" } = yield* readVariables(["GIT_CONFIG_COUNT"])
  const names = Array.from({ length: Math.min(Number(count) || 0, maxConfigPairs) }, (_, n) => [
    `GIT_CONFIG_KEY_${n}`,
    `GIT_CONFIG_VALUE_${n}`
  ])
  return names.length === 0 ? {} : yield* readVariables(["GIT_CONFIG_COUNT", ...names.flat()])
})

const maxConfigPairs = 1000

/** The variables by which the caller selected a repository. */
export const givenLocation = readVariables(locationVariables)

/**
 * Relative paths in the location variables are resolved against `caller`; if it is undefined, the location is ignored.
 */
export const readGitEnvironment = Effect.fnUntraced(function* (caller: string | undefined) {
  const path = yield* Path.Path
  const location = caller === undefined ? {} : yield* givenLocation
  for (const name of pathVariables) {
    const value = location[name]
    if (value !== undefined && caller !== undefined) location[name] = path.resolve(caller, value)
  }
  const both = { ...(yield* readVariables(processVariables)), ...(yield* configVariables), ...location, ...fixed }
  const environment: GitEnvironment = {
    // No protocol has this name, so git can use none and cannot fetch what a partial clone lacks.
    offline: { ...both, GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" },
    online: { ...both, GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh", ...(yield* readVariables(networkVariables)) }
  }
  return environment
})

/** Adds settings as variables, after those that the caller set, to keep their values off the command line. */
export const withSettings = (
  variables: Variables,
  settings: ReadonlyArray<readonly [key: string, value: string]>
): Variables => {
  const first = Number(variables["GIT_CONFIG_COUNT"] ?? "0")
  const added = settings.flatMap(([key, value], n) => [
    [`GIT_CONFIG_KEY_${first + n}`, key],
    [`GIT_CONFIG_VALUE_${first + n}`, value]
  ])
  return settings.length === 0
    ? variables
    : { ...variables, ...Object.fromEntries(added), GIT_CONFIG_COUNT: String(first + settings.length) }
}
