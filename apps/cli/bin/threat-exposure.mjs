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
import { setFlagsFromString } from "node:v8"

const [major, minor] = process.versions.node.split(".").map(Number)
// Checked before the program is loaded: older versions lack functions that it imports.
if (major < 22 || (major === 22 && minor < 13)) {
  console.error(`error: threat-exposure needs Node 22.13 or later; this is ${process.versions.node}`)
  process.exit(2)
}
/**
 * The commands that read long listings. For them, V8 would enlarge the young generation to 16 MB while the
 * program is loaded and let the old one double, although little of either is in use; its middle compiler takes 15 MB to
 * save little time. The flags are part of the key of the compile cache.
 */
const longListings = new Set(["accounts", "export", "feed"])
if (process.argv.some((word) => longListings.has(word))) {
  for (const flag of [
    "--semi-space-growth-factor=1",
    "--min-semi-space-size=2",
    "--heap-growing-percent=10",
    "--no-maglev"
  ]) {
    setFlagsFromString(flag)
  }
}
const { HOME, LOCALAPPDATA, XDG_CACHE_HOME } = process.env
const caches = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && join(HOME, ".cache"))
if (caches) module.enableCompileCache(join(caches, "threat-exposure", "compiled"))

await import("../dist/threat-exposure.mjs")
