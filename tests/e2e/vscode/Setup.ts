/** A real VS Code with the packaged extension, and a service with sample data, for one test file. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "@threat-exposure/programs/FreePort"
import { pipeThrough } from "@threat-exposure/programs/LocalServer"
import { browser as findBrowser, launch } from "@threat-exposure/tools/real-vscode-browser"
import {
  installVsCode,
  packExtension,
  type RunningVsCode,
  startVsCode,
  type VsCodeOptions
} from "@threat-exposure/tools/real-vscode"
import { type SampleService, startSampleService } from "@threat-exposure/tools/SampleService"
import { sampleWorkspace } from "@threat-exposure/tools/real-vscode-workspace"
import type { Browser } from "playwright-core"
import { serviceFile } from "../../build.ts"
import type { Certificate } from "../Certificate.ts"

const found = await findBrowser()

/** Why these tests cannot run here; undefined where they can. In CI they must, and fail instead. */
export const cannotRun: string | undefined =
  "missing" in found && process.env["CI"] !== "true" ? `no real VS Code here: ${found.missing}` : undefined

export const launchBrowser = async (): Promise<Browser> => {
  if ("missing" in found) throw new Error(`A browser is needed: ${found.missing}`)
  return launch(found.path)
}

export interface Stage {
  readonly browser: Browser
  readonly service: SampleService
  readonly code: RunningVsCode
  /** Starts another VS Code that uses the same service. */
  readonly another: (options?: Partial<VsCodeOptions>) => Promise<RunningVsCode>
  readonly stop: () => Promise<void>
}

/** A service behind a proxy that counts requests and can delay all answers. */
export interface WatchedService {
  readonly address: string
  readonly asked: ReadonlyArray<string>
  /** The number of accepted connections. */
  readonly connections: () => number
  /** The number of answered requests. */
  readonly answered: () => number
  /** Delays the answers to requests with `part` in their URL until `answer` is called, except the next `after` ones. */
  readonly hold: (after?: number, part?: string) => void
  readonly answer: () => void
  readonly stop: () => void
}

export const watch = async (address: string, certificate?: Certificate): Promise<WatchedService> => {
  const asked: Array<string> = []
  let held = Promise.resolve()
  let heldPart = ""
  let admitted = 0
  let answer = () => {}
  let answered = 0
  const forward = (request: IncomingMessage, response: ServerResponse) => {
    response.once("finish", () => answered++)
    pipeThrough(request, response, address)
  }
  const answering = (request: IncomingMessage, response: ServerResponse) => {
    const { url = "" } = request
    if (url === "/asked") {
      response.end(JSON.stringify(asked))
      return
    }
    asked.push(url)
    const isHeld = url.includes(heldPart) && admitted-- <= 0
    void (isHeld ? held : Promise.resolve()).then(() => forward(request, response))
  }
  const server =
    certificate === undefined
      ? createServer(answering)
      : createSecureServer(
          { key: readFileSync(certificate.key), cert: readFileSync(certificate.certificate) },
          answering
        )
  let connections = 0
  server.on("connection", () => connections++)
  const port = await freePort()
  server.listen(port, "127.0.0.1")
  return {
    address: `${certificate === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    asked,
    connections: () => connections,
    answered: () => answered,
    hold: (after = 0, part = "") => {
      admitted = after
      heldPart = part
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      answer = resolve
    },
    answer: () => answer(),
    stop: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}

export const settings = {
  // Each blink costs two frames, which the CPU draws.
  "editor.cursorBlinking": "solid",
  // Otherwise, a click elsewhere closes the input box.
  "workbench.quickOpen.closeOnFocusLost": false,
  // A copy of a row stays at the top of its view, and takes clicks in another way.
  "workbench.tree.enableStickyScroll": false,
  "threatExposure.requests.searchesPerSecond": 50,
  "threatExposure.requests.callsPerSecond": 50,
  "threatExposure.requests.timeoutSeconds": 180
}

/** Signed in from the start, as a container or a remote machine would hand it over. */
export const given = ({ address, token }: SampleService) => ({
  env: {
    THREAT_EXPOSURE_BASE_URL: address,
    THREAT_EXPOSURE_TOKEN: token,
    THREAT_EXPOSURE_PROFILE: "sample service"
  }
})

/** `stop` closes the windows. */
export const prepare = async (
  browser: Browser,
  options: (service: SampleService) => Partial<VsCodeOptions> | Promise<Partial<VsCodeOptions>> = () => ({})
): Promise<Stage> => {
  const say = (line: string) => console.log(line)
  await installVsCode(say)
  const vsix = await packExtension(say)
  const folder = await mkdtemp(join(tmpdir(), "threat-exposure-orchard-"))
  const workspace = sampleWorkspace(join(folder, "orchard"))
  const service = await startSampleService({}, serviceFile)
  const started: Array<RunningVsCode> = []
  const another = async (more: Partial<VsCodeOptions> = {}) => {
    const code = await startVsCode({ vsix, folder: workspace, ...more, settings: { ...settings, ...more.settings } })
    started.push(code)
    return code
  }
  const stop = async () => {
    for (const context of browser.contexts()) await context.close()
    for (const code of started) await code.stop()
    await service.stop()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    return { browser, service, code: await another(await options(service)), another, stop }
  } catch (cause) {
    await stop()
    throw cause
  }
}
