#!/usr/bin/env node
/**
 * Starts the program with V8's compile cache: without it, compiling the program's one file takes as long as a short
 * command.
 *
 * The cache is in a folder of the user's own. Node's default is the shared folder for temporary files, where another user
 * could put code into it.
 */
import module from "node:module"
import { join } from "node:path"

const [major, minor] = process.versions.node.split(".").map(Number)
// Checked before the program is loaded: older versions lack functions that it imports.
if (major < 22 || (major === 22 && minor < 13)) {
  console.error(`error: threat-exposure needs Node 22.13 or later; this is ${process.versions.node}`)
  process.exit(2)
}
const { HOME, LOCALAPPDATA, XDG_CACHE_HOME } = process.env
const caches = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && join(HOME, ".cache"))
if (caches) module.enableCompileCache(join(caches, "threat-exposure", "compiled"))

const args = process.argv.slice(2)
const isAllowed = args[0] === "hook" && (await (await import("../dist/agent-hook.mjs")).allowsEvent(args, process.env))
if (!isAllowed) await import("../dist/threat-exposure.mjs")
