/**
 * The events about a domain since the program ran last; the first time, of the last thirty days.
 *
 * The service orders events by when they were created, so a program that asks for what is newer than its last run misses
 * events that arrive late. The feed of the command line finds them; see docs/feed.md.
 */
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const [fqdn] = process.argv.slice(2)
if (fqdn === undefined) {
  console.error("usage: npm run example -- examples/what-is-new.ts DOMAIN")
  process.exit(2)
}

// Once published: npx @threat-exposure/cli feed …
const program = fileURLToPath(new URL("../apps/cli/src/main.ts", import.meta.url))
const state = `.what-is-new-${encodeURIComponent(fqdn)}.json`
const what = ["--query", JSON.stringify(fqdn), "--credentials", "--domains", fqdn, "--since", "30d"]
const feed = spawn(process.execPath, [program, "feed", ...what, "--to", "-", "--state", state, "--once"], {
  stdio: ["ignore", "pipe", "inherit"]
})
const ended = new Promise<number>((resolve) => feed.once("close", (code) => resolve(code ?? 1)))

// Text of a leak is hostile: no control character of it reaches the terminal.
const shown = (text: unknown) => String(text).replace(/\p{C}/gu, "·")

// A reader such as `head` may close standard output early.
process.stdout.on("error", () => process.exit())

let events = 0
const bySource = new Map<string, number>()
for await (const line of createInterface({ input: feed.stdout })) {
  const { credential, event } = JSON.parse(line)
  if (event !== undefined) {
    const { estimated_created_at, severity, uid } = event.metadata
    console.log(`${estimated_created_at}  ${shown(severity).padEnd(8)}  ${shown(uid)}`)
    events++
  } else {
    const name = credential.source?.name ?? credential.source_id
    bySource.set(name, (bySource.get(name) ?? 0) + 1)
  }
}

const credentials = [...bySource.values()].reduce((sum, count) => sum + count, 0)
for (const [name, count] of bySource) console.log(`${String(count).padStart(6)} credentials in ${shown(name)}`)
console.log(`${credentials} credentials and ${events} events about ${fqdn} are new`)
process.exitCode = await ended
