/** The extension, packaged and in the extension host of a real VS Code: what its activation takes, and its size. */
import { statSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { installVsCode, packExtension, startVsCode } from "@threat-exposure/tools/real-vscode"
import { browser, launch } from "@threat-exposure/tools/real-vscode-browser"
import { runInHost } from "@threat-exposure/tools/real-vscode-host"
import { sampleWorkspace } from "@threat-exposure/tools/real-vscode-workspace"
import { median, printTable } from "./Table.ts"
import type { Activation } from "./VsCodeActivation.ts"

const windows = 20

const found = await browser()
if ("missing" in found) {
  console.error(`The extension was not measured: ${found.missing}`)
  process.exit(1)
}
await installVsCode(console.log)
const vsix = await packExtension(console.log)
const folder = await mkdtemp(join(tmpdir(), "bench-vscode-"))
const chromium = await launch(found.path)
const code = await startVsCode({ vsix, folder: sampleWorkspace(join(folder, "orchard")) })

/** Opens one window after the other, each with its own extension host; the first two are not counted. */
const measured: Array<Activation> = []
try {
  for (let window = -2; window < windows; window++) {
    const activation = await runInHost<Activation>({
      browser: chromium,
      code,
      module: new URL("VsCodeActivation.ts", import.meta.url).href
    })
    if (window >= 0) measured.push(activation)
  }
} finally {
  await chromium.close()
  await code.stop()
  await rm(folder, { recursive: true, force: true })
}

const ms = (numbers: ReadonlyArray<number>) => `${Math.min(...numbers)} ms (${median(numbers)} ms)`
const whole = measured.map(({ loading, activating }) => loading + activating)
const [first] = measured
const size = (name: string) => statSync(fileURLToPath(new URL(`../apps/vscode/${name}`, import.meta.url))).size
const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`
const [activation = 0, app = 0, overview = 0, event = 0] = ["extension", "app", "overview", "event"].map((part) =>
  size(`dist/${part}.cjs`)
)

printTable(`The VS Code extension, in a real extension host (load average ${loadavg()[0]?.toFixed(1)})`, [
  {
    what: `activation: least (median) of ${windows} windows`,
    ours: ms(whole),
    peer: "",
    ratio: `loading ${ms(measured.map(({ loading }) => loading))}, activating ${ms(measured.map(({ activating }) => activating))}`,
    target: "25 ms (45 ms)",
    reached: Math.min(...whole) <= 25 && median(whole) <= 45
  },
  {
    what: "what activation loads, minified",
    ours: kilobytes(activation),
    peer: "",
    ratio: `${first?.files.length} file; the first use loads ${kilobytes(app)} more, the overview ${kilobytes(overview)}, an event ${kilobytes(event)}`,
    target: "120 kB",
    reached: measured.every(({ files }) => files.length === 1) && activation <= 120_000
  },
  {
    what: "threat-exposure.vsix",
    ours: kilobytes(size("threat-exposure.vsix")),
    peer: "",
    ratio: "",
    target: "1,000 kB",
    reached: size("threat-exposure.vsix") <= 1_000_000
  }
])
