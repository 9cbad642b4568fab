/**
 * Reads one search to its end and prints the largest resident set this process had, and what of the heap was in use when
 * the last page but one was there: `node CoreMemory.ts READER URL TOKEN PAGES`.
 */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { readers } from "./CoreReaders.ts"

const [name = "", baseUrl = "", token = "", pages = ""] = process.argv.slice(2)
const reader = Object.entries(readers).find(([known]) => known === name)?.[1]
if (reader === undefined) throw new Error(`There is no reader called ${name}`)

const heapInUse = (): number => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
  return process.memoryUsage().heapUsed
}

let live = Number.NaN
let requests = 0
const { fetch } = globalThis
globalThis.fetch = (...request) => {
  requests += 1
  if (requests === Number(pages)) live = heapInUse()
  return fetch(...request)
}

const before = process.memoryUsage.rss()
const count = await reader({ baseUrl, token })
// The kernel tracks the peak, in kilobytes, so that no peak falls between two samples.
console.log(JSON.stringify({ count, before, live, peak: process.resourceUsage().maxRSS * 1_024 }))
