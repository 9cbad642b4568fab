#!/usr/bin/env node
// Checks the version before any module loads that an older Node cannot load: its SQLite has no full-text search.
const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 16) || major === 23) {
  console.error(
    `error: threat-exposure-service needs Node 22.16 or later, or 24 or later; this is ${process.versions.node}`
  )
  process.exit(2)
}
await import("../dist/main.js")
