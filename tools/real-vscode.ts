/**
 * A real VS Code in the browser: code-server from npm, set up once in a folder that git ignores.
 *
 * Shared by `npm run vscode` and the end-to-end tests of the extension.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { freePort } from "@threat-exposure/programs/FreePort"

const run = promisify(execFile)
const root = fileURLToPath(new URL("..", import.meta.url))
const home = join(root, ".cache", "real-vscode")
const version = "4.139.1"
const server = join(home, "node_modules", "code-server")
const entry = join(server, "out", "node", "entry.js")
/** The name contains the versions, so that a change of them installs everything again. */
const ready = join(home, `ready-${version}-3`)

/** The extensions that come with it and are kept: git, the looks, and the languages of the sample. */
const kept = new Set([
  "dotenv",
  "git",
  "git-base",
  "ini",
  "javascript",
  "json",
  "markdown-basics",
  "markdown-language-features",
  "shellscript",
  "theme-defaults",
  "theme-seti",
  "typescript-basics",
  "yaml"
])

/** Installs code-server where it is missing (about half a minute, 300 MB); quick the second time. */
export const installVsCode = (say: (line: string) => void): Promise<void> =>
  existsSync(ready) ? Promise.resolve() : alone(() => install(say))

const install = async (say: (line: string) => void): Promise<void> => {
  if (existsSync(ready)) return
  say(`Setting up code-server ${version}, which serves VS Code, in .cache/real-vscode (once; about half a minute) …`)
  await rm(home, { recursive: true, force: true })
  await mkdir(home, { recursive: true })
  await writeFile(join(home, "package.json"), JSON.stringify({ name: "real-vscode", private: true }))
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
  await npm(home, "install", `code-server@${version}`, ...quiet)
  const workbench = join(server, "lib", "vscode")
  await npm(workbench, "install", "--omit=dev", ...quiet)
  const platform = process.platform === "darwin" ? "darwin" : "linux"
  for (const [folder, name, target] of [
    ["remote-cli", "code-server", `code-${platform}.sh`],
    ["helpers", "browser.sh", `browser-${platform}.sh`]
  ] as const) {
    const link = join(workbench, "bin", folder, name)
    await rm(link, { force: true })
    await symlink(target, link)
  }
  // Half of the size, and two fifths of the CPU time that a window takes to open: nothing here needs them.
  const extensions = (await readdir(join(workbench, "extensions"))).filter((name) => !kept.has(name))
  const heavy = ["node_modules/@github", "node_modules/@microsoft/mxc-sdk"]
  for (const path of [...heavy, ...extensions.map((name) => `extensions/${name}`)]) {
    await rm(join(workbench, path), { recursive: true, force: true })
  }
  await writeFile(ready, "")
}

const npm = async (cwd: string, ...args: ReadonlyArray<string>) => {
  try {
    await run("npm", args, { cwd, maxBuffer: 64 * 1024 * 1024 })
  } catch (cause) {
    throw new Error(`VS Code could not be set up: npm ${args.join(" ")} failed in ${cwd}`, { cause })
  }
}

/** The packaged extension, rebuilt if a source is newer. */
export const packExtension = (say: (line: string) => void): Promise<string> =>
  alone(async () => {
    const folder = join(root, "apps", "vscode")
    const vsix = join(folder, "threat-exposure.vsix")
    const sources = ["apps/vscode", "packages/core/src", "packages/detect/src", "packages/leak-check/src"]
    if (!existsSync(vsix) || (await newest(sources.map((path) => join(root, path)))) > statSync(vsix).mtimeMs) {
      say("Building the extension …")
      for (const script of ["build", "package"]) {
        await run(process.execPath, [join(folder, "scripts", `${script}.ts`)], { cwd: folder })
      }
    }
    return vsix
  })

/** A folder of extensions that holds the packaged one: installing it takes a second of the processor, copying it nothing. */
const extensionsWith = (vsix: string): Promise<string> =>
  alone(async () => {
    const all = join(root, ".cache", "real-vscode-extensions")
    const installed = join(all, String(statSync(vsix).mtimeMs))
    if (existsSync(installed)) return installed
    await rm(all, { recursive: true, force: true })
    const [config, data, extensions] = [join(all, "config.yaml"), join(all, "data"), join(all, "extensions")]
    await mkdir(all, { recursive: true })
    await writeFile(config, "auth: none\n")
    const folders = ["--config", config, "--user-data-dir", data, "--extensions-dir", extensions]
    await run(process.execPath, [entry, ...folders, "--install-extension", vsix], {
      env: { ...process.env, EXTENSIONS_GALLERY: "{}", HOME: all, TMPDIR: all }
    })
    await rename(extensions, installed)
    return installed
  })

const newest = async (folders: ReadonlyArray<string>): Promise<number> => {
  let latest = 0
  for (const folder of folders) {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) {
        if (built.has(entry.name)) continue
        latest = Math.max(latest, await newest([join(folder, entry.name)]))
      } else if (/\.(?:ts|js|css|json|svg|png|md)$/u.test(entry.name)) {
        latest = Math.max(latest, statSync(join(folder, entry.name)).mtimeMs)
      }
    }
  }
  return latest
}

const built = new Set(["node_modules", "dist", "test", ".turbo"])

/** Runs `work` in one process at a time: test files run concurrently. */
const alone = async <A>(work: () => Promise<A>): Promise<A> => {
  await mkdir(join(root, ".cache"), { recursive: true })
  const lock = join(root, ".cache", "real-vscode.lock")
  for (;;) {
    try {
      await mkdir(lock)
      break
    } catch {
      // A process that was killed leaves its lock behind.
      const age = existsSync(lock) ? Date.now() - statSync(lock).mtimeMs : 0
      if (age > 300_000) await rm(lock, { recursive: true, force: true })
      await sleep(200)
    }
  }
  try {
    return await work()
  } finally {
    await rm(lock, { recursive: true, force: true })
  }
}

const settings = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "chat.disableAIFeatures": true,
  "workbench.editor.useModal": "off",
  "remote.autoForwardPorts": false,
  // The other source, "process", lists the open files of every process every few seconds.
  "remote.autoForwardPortsSource": "output",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "git.openRepositoryInParentFolders": "never",
  "security.workspace.trust.enabled": false
}

export interface VsCodeOptions {
  /** The packaged extension. */
  readonly vsix: string
  /** The folder that is opened, copied first so that nothing of the original changes. */
  readonly folder: string
  readonly port?: number | undefined
  readonly host?: string | undefined
  readonly settings?: Readonly<Record<string, unknown>> | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  /** The display language in place of English; the workbench's own words stay English. */
  readonly language?: string | undefined
}

export interface RunningVsCode {
  readonly address: string
  readonly port: number
  /** The copy of the folder that is open. */
  readonly workspace: string
  /** Everything this VS Code writes, removed by `stop`. */
  readonly home: string
  /** Changes the person's settings; those that the editor has added meanwhile stay. */
  readonly configure: (more: Readonly<Record<string, unknown>>) => Promise<void>
  readonly stop: () => Promise<void>
}

/** Starts a VS Code of its own, with its own settings and the packaged extension installed. */
export const startVsCode = async (options: VsCodeOptions): Promise<RunningVsCode> => {
  const mine = await mkdtemp(join(tmpdir(), "threat-exposure-vscode-"))
  const paths = Object.fromEntries(
    ["home", "data", "extensions", "tmp"].map((name) => [name, join(mine, name)] as const)
  )
  const { data = "", extensions = "", tmp = "" } = paths
  for (const path of Object.values(paths)) await mkdir(path, { recursive: true })
  await cp(await extensionsWith(options.vsix), extensions, { recursive: true })
  const workspace = join(mine, basename(options.folder))
  await cp(options.folder, workspace, { recursive: true })
  await mkdir(join(data, "User"), { recursive: true })
  const settingsFile = join(data, "User", "settings.json")
  const writeSettings = (all: object) => writeFile(settingsFile, JSON.stringify(all, null, 2))
  await writeSettings({ ...settings, ...options.settings })
  if (options.language !== undefined) await addLanguage(data, options.language)
  const config = join(mine, "config.yaml")
  await writeFile(config, "auth: none\n")

  const port = options.port ?? (await freePort())
  const host = options.host ?? "127.0.0.1"
  const env = {
    ...process.env,
    EXTENSIONS_GALLERY: "{}",
    HOME: paths["home"],
    XDG_CONFIG_HOME: join(mine, "config"),
    XDG_DATA_HOME: join(mine, "share"),
    TMPDIR: tmp,
    ...options.env
  }
  const child = spawn(
    process.execPath,
    [
      entry,
      "--config",
      config,
      "--user-data-dir",
      data,
      "--extensions-dir",
      extensions,
      "--bind-addr",
      `${host}:${port}`,
      "--auth",
      "none",
      "--disable-telemetry",
      "--disable-update-check",
      "--disable-workspace-trust",
      "--disable-getting-started-override",
      "--ignore-last-opened",
      ...(options.language === undefined ? [] : ["--locale", options.language])
    ],
    // A group of its own: code-server starts children that must end with it.
    { env, detached: true, stdio: ["ignore", "pipe", "pipe"] }
  )
  const output: Array<string> = []
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(String(chunk)))
  const stop = async () => {
    await end(child)
    await rm(mine, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    await healthy(`http://127.0.0.1:${port}/healthz`, child)
  } catch (cause) {
    await stop()
    throw new Error(`VS Code did not start on port ${port}:\n${output.join("").slice(-2000)}`, { cause })
  }
  return {
    address: `http://${host}:${port}/?folder=${encodeURI(workspace)}`,
    port,
    workspace,
    home: mine,
    configure: async (more) => writeSettings({ ...JSON.parse(await readFile(settingsFile, "utf8")), ...more }),
    stop
  }
}

/** Writes the files of an installed language pack: this one translates nothing of the workbench. */
const addLanguage = async (data: string, language: string) => {
  const translations = join(data, `${language}.i18n.json`)
  await writeFile(translations, JSON.stringify({ version: "1.0.0", contents: {} }))
  const extensions = [{ extensionIdentifier: { id: `language-pack.${language}` }, version: "1.0.0" }]
  const pack = { hash: language, label: language, extensions, translations: { vscode: translations } }
  await writeFile(join(data, "languagepacks.json"), JSON.stringify({ [language]: pack }))
}

const healthy = async (url: string, child: ChildProcess) => {
  for (let attempt = 0; attempt < 6000; attempt++) {
    if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}`)
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok === true) return
    await sleep(100)
  }
  throw new Error("it did not answer within ten minutes")
}

/** Ends a process started in a group of its own, and what it started; `atOnce` leaves it no time for anything. */
export const end = async (child: ChildProcess, atOnce = false): Promise<void> => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(-(child.pid ?? 0), name)
    } catch {
      // The group has ended already.
    }
  }
  if (!atOnce) {
    signal("SIGTERM")
    await Promise.race([gone, sleep(3000)])
  }
  signal("SIGKILL")
  await gone
}
