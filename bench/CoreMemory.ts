/** Reads one search to its end and tells the largest resident set this process had: `node CoreMemory.ts READER URL TOKEN`. */
import { readers } from "./CoreReaders.ts"

const [name = "", baseUrl = "", token = ""] = process.argv.slice(2)
const reader = Object.entries(readers).find(([known]) => known === name)?.[1]
if (reader === undefined) throw new Error(`There is no reader called ${name}`)
const before = process.memoryUsage.rss()
const count = await reader({ baseUrl, token })
// In kilobytes, as the kernel keeps it: no peak falls between two looks.
console.log(JSON.stringify({ count, before, peak: process.resourceUsage().maxRSS * 1_024 }))
