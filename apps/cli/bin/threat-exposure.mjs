#!/usr/bin/env node
/**
 * Starts the program from compiled code that an earlier run cached: compiling takes longer than a short command. Node's
 * own cache (`module.enableCompileCache`) lacks the functions that are compiled when they are first called.
 *
 * The cache is in the user's own folder: in a shared folder for temporary files, another user could put code into it.
 */
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const [major, minor] = process.versions.node.split(".").map(Number)
// Checked before the program is loaded, because older versions lack functions that it calls.
if (major < 22 || (major === 22 && minor < 13)) {
  console.error(`error: threat-exposure needs Node 22.13 or later; this is ${process.versions.node}`)
  process.exit(2)
}
// Faster than an import, which loads all parts of a module.
const fs = process.getBuiltinModule("node:fs")
const { Script } = process.getBuiltinModule("node:vm")
const { HOME, LOCALAPPDATA, NODE_DISABLE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env
const caches = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && join(HOME, ".cache"))
const folder = NODE_DISABLE_COMPILE_CACHE ? undefined : caches && join(caches, "threat-exposure", "compiled")
const args = process.argv.slice(2)
/** Commands with a cache of their own code only: git hooks run `check`, and the others must use little memory. */
const use = ["check", "accounts", "export", "feed"].find((name) => args.includes(name)) ?? "other"

if (args[0] === "hook") run("agent-precheck.mjs", "agent-precheck")
const event = await globalThis.agentPrecheck?.readEvent(args, process.env, Date.now())
if (event === undefined) {
  run("threat-exposure.mjs", use)
} else if (event.candidates.length > 0) {
  run("agent-check.mjs", "agent-check")
  globalThis.agentCheck.checkEvent(event)
}

/** Runs a script of the program. At its end, caches the compiled code, unless the cache is less than a day old. */
function run(name, use) {
  const filename = join(dirname(fileURLToPath(import.meta.url)), "..", "dist", name)
  const source = fs.readFileSync(filename, "latin1")
  if (folder === undefined) return new Script(source, { filename }).runInThisContext()
  const cache = join(folder, `${use}-${process.version}-${process.arch}`)
  // The last line of the script is its digest. V8 itself compares only the length of the source.
  const digest = Buffer.from(source.slice(-64), "hex")
  const { data, isFresh } = readCache(cache, digest)
  const script = new Script(source, { filename, cachedData: data })
  if (isFresh && script.cachedDataRejected === false) return script.runInThisContext()
  process.on("exit", () => writeCache(cache, [digest, script.createCachedData()]))
  script.runInThisContext()
}

function readCache(file, digest) {
  try {
    const bytes = fs.readFileSync(file)
    if (!bytes.subarray(0, digest.length).equals(digest)) return {}
    return { data: bytes.subarray(digest.length), isFresh: Date.now() - fs.statSync(file).mtimeMs < 86_400_000 }
  } catch {
    return {}
  }
}

/** Writes atomically, because other runs may read the file. After a failure, the next run compiles the code again. */
function writeCache(file, parts) {
  const unfinished = `${file}.${process.pid}`
  const attempt = (write) => {
    try {
      write()
      return true
    } catch {
      return false
    }
  }
  const isWritten = attempt(() => {
    fs.mkdirSync(folder, { recursive: true })
    fs.writeFileSync(unfinished, Buffer.concat(parts), { mode: 0o600 })
    fs.renameSync(unfinished, file)
  })
  if (!isWritten) attempt(() => fs.rmSync(unfinished, { force: true }))
}
