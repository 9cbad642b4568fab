/**
 * `npm run pictures:reports`: takes the pictures of the demo, of a check in a shell and of a comment on a pull request in
 * `docs/images` again. Each shows what the program prints now, in a page that looks like a terminal or like GitHub.
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { marked } from "marked"
import { browser, launch } from "./real-vscode-browser.ts"
import { startSampleService } from "./SampleService.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Begins the control sequences of a terminal (ECMA-48). */
const escape = "\u001B"

/** The output of a command at a terminal of 140 columns, as that shows it in the end. */
const atTerminal = (command: string, env: NodeJS.ProcessEnv = {}, cwd = root): string =>
  execFileSync("script", ["--quiet", "--return", "--command", `stty columns 140; ${command}`, "/dev/null"], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, THREAT_EXPOSURE_CALLED_FROM: cwd, ...env }
  })
    .replaceAll("\r\n", "\n")
    // Progress is written over.
    .replaceAll(/^.*\r/gmu, "")
    .replaceAll(new RegExp(`${escape}\\[\\d*[JK]`, "gu"), "")

/** Shows the evidence of the first two leaks only. */
const shorten = (output: string): string => {
  const paragraphs = output.trim().split("\n\n")
  const second = paragraphs.flatMap((text, at) => (text.includes("\n  seen ") ? [at] : []))[1]
  if (second === undefined) throw new Error(`There are no two leaks to show:\n${output}`)
  return [...paragraphs.slice(0, second + 1), `${escape}[2m…${escape}[0m`, paragraphs.at(-1)].join("\n\n")
}

const escapeHtml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

/** The styles of a terminal that reports use, by their code. */
const styles = new Map([
  ["1", "font-weight: bold"],
  ["2", "color: #8b949e"],
  ["31", "color: #ff6b6b"],
  ["32", "color: #98c379"],
  ["33", "color: #e5c07b"],
  ["36", "color: #56b6c2"]
])

const terminalPage = (command: string, output: string): string => {
  let current: ReadonlyArray<string> = []
  const html = escapeHtml(`${escape}[32m$${escape}[0m ${command}\n${output}`).replaceAll(
    new RegExp(`${escape}\\[([\\d;]*)m([^${escape}]*)`, "gu"),
    (_, codes: string, text: string) => {
      const given = codes.split(";")
      const isReset = given.some((code) => ["", "0", "22", "39"].includes(code))
      current = isReset ? [] : [...current, ...given.map((code) => styles.get(code) ?? "")]
      return `<span style="${current.join(";")}">${text}</span>`
    }
  )
  return `<style>
    body { margin: 0; display: inline-block; background: #1e2127; color: #e6e6e6 }
    pre { margin: 22px 26px; font: 14px/20px "DejaVu Sans Mono", monospace }
  </style><pre>${html}</pre>`
}

/** The colors of the circles before a severity: not every machine has a font with them. */
const circles = { "🔴": "#dd2e44", "🟠": "#f4900c", "🟡": "#fdcb58", "🔵": "#55acee", "⚪": "#e6e7e8" }

const withCircles = (html: string): string =>
  Object.entries(circles).reduce(
    (text, [circle, color]) => text.replaceAll(circle, `<i style="background: ${color}"></i>`),
    html
  )

const commentPage = (markdown: string): string => `<style>
    body { margin: 0; width: 1042px; font: 14px/1.5 "DejaVu Sans", sans-serif; color: #1f2328 }
    main { border: 1px solid #d0d7de; border-radius: 6px }
    header { padding: 8px 16px; background: #f6f8fa; border-bottom: 1px solid #d0d7de; color: #59636e }
    header b { color: #1f2328 }
    article { padding: 8px 16px 16px }
    h2 { border-bottom: 1px solid #d0d7de; padding-bottom: 8px; font-size: 20px }
    h3 { font-size: 16px }
    table { border-collapse: collapse; width: 100%; font-size: 13px; line-height: 1.25 }
    th, td { border: 1px solid #d0d7de; padding: 6px 10px; text-align: left; vertical-align: top }
    tr:nth-child(2n) td { background: #f6f8fa }
    code { font: 12px "DejaVu Sans Mono", monospace; background: #eff1f3; border-radius: 5px; padding: 2px 4px }
    summary { margin: 4px 0 }
    i { display: inline-block; width: 0.9em; height: 0.9em; border-radius: 50%; vertical-align: -0.1em }
  </style><main><header><b>github-actions</b> bot commented now</header>
  <article>${withCircles(marked.parse(markdown, { async: false }))}</article></main>`

const found = await browser()
if ("missing" in found) throw new Error(found.missing)
const chromium = await launch(found.path)
const service = await startSampleService()
try {
  const take = async (name: string, html: string) => {
    const page = await chromium.newPage({ viewport: { width: 1300, height: 400 } })
    await page.setContent(html)
    await page.locator("body").screenshot({ path: join(root, "docs/images", `${name}.png`) })
    await page.close()
    console.log(`docs/images/${name}.png`)
  }
  await take("demo", terminalPage("npm run demo", shorten(atTerminal("npm run --silent demo"))))
  await take("pull-request", commentPage(readFileSync(join(root, ".demo/summary.md"), "utf8")))
  const check = "check --range main..invoices"
  // A leak that was found makes the exit code 1.
  const command = `${process.execPath} ${join(root, "apps/cli/src/main.ts")} ${check} || true`
  const env = { THREAT_EXPOSURE_BASE_URL: service.address, THREAT_EXPOSURE_TOKEN: service.token }
  const output = atTerminal(command, env, join(root, ".demo/repository"))
  await take("shell", terminalPage(`threat-exposure ${check}`, shorten(output)))
} finally {
  await Promise.all([service.stop(), chromium.close()])
}
