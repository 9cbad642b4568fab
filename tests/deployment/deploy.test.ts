/** The files of `apps/service/deploy`, used as `docs/service.md` says. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import type { IncomingHttpHeaders } from "node:http"
import { request } from "node:https"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { listOperations } from "@threat-exposure/core/api/Endpoints"
import { type RunningService, sqliteStore, startService } from "@threat-exposure/service/testing/TestService"
import { Effect } from "effect"
import { parse } from "yaml"
import { makeCertificate, openssl } from "../e2e/Certificate.ts"
import { startNginx } from "./Nginx.ts"
import { freePort } from "@threat-exposure/programs/FreePort"
import { type SystemProgram, systemProgram } from "@threat-exposure/programs/SystemProgram"

const root = fileURLToPath(new URL("../..", import.meta.url))
const deploy = join(root, "apps", "service", "deploy")
const read = (...path: ReadonlyArray<string>) => readFileSync(join(root, ...path), "utf8")

const systemdAnalyze = await systemProgram(["systemd-analyze"], ["systemd"])
const nginxProgram = await systemProgram(["nginx"], ["nginx-light"])

/** Why a test is skipped; undefined where it runs. `CI=true` counts a skipped test as failed. */
const missing = (...programs: ReadonlyArray<SystemProgram>) =>
  programs.map((program) => ("missing" in program ? program.missing : undefined)).find((why) => why !== undefined)

const pathOf = (program: SystemProgram) => ("path" in program ? program.path : "")

const noSystemd = missing(systemdAnalyze)
const noNginx = missing(nginxProgram, openssl)

describe.skipIf(noSystemd !== undefined)(noSystemd ?? "the systemd unit", () => {
  const unit = join(deploy, "threat-exposure.service")
  const folder = mkdtempSync(join(tmpdir(), "threat-exposure-unit-"))
  afterAll(() => rmSync(folder, { recursive: true }))

  it("is a valid unit", () => {
    // Node may be elsewhere on this machine than the unit expects.
    const here = join(folder, "threat-exposure.service")
    writeFileSync(here, readFileSync(unit, "utf8").replace("ExecStart=/usr/bin/node", `ExecStart=${process.execPath}`))
    const { status, stderr } = spawnSync(pathOf(systemdAnalyze), ["verify", "--man=no", here], { encoding: "utf8" })
    assert.strictEqual(
      stderr
        .split("\n")
        .filter((line) => line.includes("threat-exposure"))
        .join("\n"),
      ""
    )
    assert.strictEqual(status, 0)
  })

  it("starts a program that exists, with a command that the service has", () => {
    const [, main = "", command = ""] =
      /^ExecStart=\S+ \/opt\/threat-exposure\/(\S+) (\w+)/mu.exec(readFileSync(unit, "utf8")) ?? []
    const { status, stderr } = spawnSync(process.execPath, [join(root, main), command, "--help"], { encoding: "utf8" })
    assert.strictEqual(status, 0, stderr)
  })
})

describe("the alert rules", () => {
  let metrics: string

  beforeAll(async () => {
    const service = await startService({ metrics: true })
    await (await fetch(`${service.url}/svc/v4/events/`)).text()
    metrics = await (await fetch(`${service.url}/metrics`)).text()
    await service.stop()
  })

  const expressions = [
    ...read("apps", "service", "deploy", "alerts.yml").matchAll(/^ +expr: (?:\|\n((?: {10}.*\n)+)|(.*)\n)/gmu)
  ].map(([, block, line]) => block ?? line ?? "")

  it("use metrics that the service offers, with the labels that it gives them", () => {
    assert.isAbove(expressions.length, 5)
    const used = expressions.join("\n").matchAll(/\b((?:threat_exposure|process)_\w+|up\b)(?:\{([^}]*)\})?/gu)
    for (const [selector, name = "", labels = ""] of used) {
      // Prometheus itself adds `up`, and the label `job`.
      const series = name === "up" ? "up" : (metrics.split("\n").find((line) => line.startsWith(name)) ?? "")
      assert.include(series, name, selector)
      const names = [...labels.matchAll(/(\w+)=~?"/gu)]
        .map(([, label = ""]) => label)
        .filter((label) => label !== "job")
      for (const label of names) assert.include(series, `${label}="`, selector)
    }
  })

  it("name operations that the service measures", () => {
    const operations = [...expressions.join("\n").matchAll(/operation=~?"([^"]*)"/gu)].flatMap(([, given = ""]) =>
      given.split("|")
    )
    assert.isAbove(operations.length, 0)
    const known: Array<string> = listOperations().map(({ operation }) => operation)
    assert.includeMembers(known, operations)
  })
})

describe.each(["service", "cli"])("the container file of %s", (app) => {
  const containerFile = read("apps", app, "deploy", "Containerfile")
  const sent = read("apps", app, "deploy", "Containerfile.dockerignore")

  it("copies the program and every package of the repository that it depends on", () => {
    const folders = new Map(
      [...readdirSync(join(root, "packages")).map((name) => `packages/${name}`), `apps/${app}`].map((folder) => {
        const manifest: { name: string; dependencies?: Record<string, string> } = JSON.parse(
          read(folder, "package.json")
        )
        return [manifest.name, { folder, dependencies: Object.keys(manifest.dependencies ?? {}) }]
      })
    )
    const needed = new Set<string>()
    const visit = (name: string): void => {
      const found = folders.get(name)
      if (found === undefined || needed.has(found.folder)) return
      needed.add(found.folder)
      for (const dependency of found.dependencies) visit(dependency)
    }
    visit(`@threat-exposure/${app}`)
    assert.isAbove(needed.size, 1)
    for (const folder of needed) {
      assert.include(containerFile, `COPY ${folder}/package.json ${folder}/\n`)
      assert.include(containerFile, `COPY ${folder}/src ${folder}/src\n`)
      assert.include(sent, `!${folder}/package.json\n`)
      assert.include(sent, `!${folder}/src\n`)
    }
  })

  it("runs as a user that is not root", () => {
    const users = Array.from(containerFile.matchAll(/^USER (.+)$/gmu), ([, user]) => user)
    assert.deepStrictEqual(users, ["node"])
    assert.isAbove(containerFile.lastIndexOf("\nUSER "), containerFile.lastIndexOf("\nFROM "))
  })
})

const noCluster = missing(nginxProgram, openssl)

describe.skipIf(noCluster !== undefined)(noCluster ?? "the cluster of compose.yaml", () => {
  const cluster = join(deploy, "cluster")
  const folder = mkdtempSync(join(tmpdir(), "threat-exposure-cluster-"))
  afterAll(() => rmSync(folder, { recursive: true }))
  const makeCertificates = () =>
    spawnSync("sh", [join(cluster, "certificates.sh"), folder], {
      encoding: "utf8",
      env: { ...process.env, PATH: `${dirname(pathOf(openssl))}:${process.env["PATH"]}` }
    })
  const inspect = (...args: ReadonlyArray<string>) =>
    spawnSync(pathOf(openssl), args, { cwd: folder, encoding: "utf8" }).stdout.trim()
  const certificates = ["node", "threat-exposure", "admin", "proxy"]

  it("has certificates of one authority, created once, with names that the nodes know", () => {
    const { status, stderr } = makeCertificates()
    assert.strictEqual(status, 0, stderr)
    const made = () => Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]))
    const before = made()
    assert.strictEqual(makeCertificates().status, 0)
    assert.deepStrictEqual(made(), before)
    for (const name of certificates) {
      assert.strictEqual(inspect("verify", "-CAfile", "authority.pem", `${name}.pem`), `${name}.pem: OK`)
      assert.match(inspect("x509", "-noout", "-subject", "-in", `${name}.pem`), new RegExp(`CN ?= ?${name}$`, "u"))
      assert.strictEqual(statSync(join(folder, `${name}.key`)).mode & 0o077, 0)
    }
    const mapping = parse(read("apps", "service", "deploy", "cluster", "security", "roles_mapping.yml"))
    for (const role of ["threat_exposure_serve", "threat_exposure_operator"]) {
      assert.deepStrictEqual(mapping[role].users, ["threat-exposure"])
    }
  })

  it("mounts files that exist, and starts the service with flags and variables that it has", () => {
    const { services } = parse(read("apps", "service", "deploy", "cluster", "compose.yaml"), { merge: true })
    const node = services.node1.environment
    assert.strictEqual(node["plugins.security.nodes_dn"], "CN=node")
    const names = inspect("x509", "-noout", "-ext", "subjectAltName", "-in", "node.pem")
    for (const name of node["discovery.seed_hosts"].split(",")) {
      assert.include(names, `DNS:${name}`)
      assert.strictEqual(services[name].environment["node.name"], name)
    }
    const mounted = (Object.values(services) as ReadonlyArray<{ readonly volumes?: ReadonlyArray<string> }>).flatMap(
      ({ volumes = [] }) => volumes.map((volume) => volume.split(":")[0] ?? "")
    )
    for (const path of mounted.filter((path) => path.startsWith("./"))) assert.isTrue(existsSync(join(cluster, path)))
    const guide = read("docs", "opensearch.md")
    for (const { command, environment } of [services.service1, services.service2]) {
      const [name = "", ...flags]: ReadonlyArray<string> = command
      const main = join(root, "apps", "service", "src", "main.ts")
      const { stdout } = spawnSync(process.execPath, [main, name, "--help"], { encoding: "utf8" })
      for (const flag of flags) assert.include(stdout, `${flag.split("=")[0]} `)
      // The guide shortens names as in `…_CERT`.
      for (const variable of Object.keys(environment)) {
        assert.match(guide, new RegExp(`\\b${variable}\\b|…${variable.replace(/^.*(?=_)/u, "")}\\b`, "u"))
      }
    }
  })

  it("has a proxy that fails over to the other service", async () => {
    const database = sqliteStore(join(folder, "service.sqlite"))
    const services = [
      await startService({ store: Effect.succeed(database) }),
      await startService({ store: Effect.succeed(database) })
    ] as const
    const [first, second] = services
    const port = await freePort()
    const site = read("apps", "service", "deploy", "cluster", "nginx.conf")
      .replace("service1:8787", new URL(first.url).host)
      .replace("service2:8787", new URL(second.url).host)
      .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
      .replaceAll("/certificates/", `${folder}/`)
      .replace("/var/log/nginx/access.log", join(folder, "access.log"))
    const stop = await startNginx(pathOf(nginxProgram), folder, site, port)
    const search = () =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = request(
          {
            host: "localhost",
            port,
            path: "/svc/v4/credentials/global/_search",
            method: "POST",
            ca: readFileSync(join(folder, "authority.pem")),
            headers: { Authorization: `Bearer ${second.token}`, "Content-Type": "application/json" }
          },
          (answer) => {
            answer.resume()
            answer.once("end", () => resolve(answer.statusCode))
          }
        )
        sent.once("error", reject)
        sent.end('{"query":{"type":"email","email":"nobody@example.com"}}')
      })
    try {
      assert.deepStrictEqual(await Promise.all([search(), search()]), [200, 200])
      await first.stop()
      for (let at = 0; at < 4; at += 1) assert.strictEqual(await search(), 200)
    } finally {
      await stop()
      await second.stop()
    }
  })
})

describe.skipIf(noNginx !== undefined)(noNginx ?? "nginx in front of the service", () => {
  const folder = mkdtempSync(join(tmpdir(), "threat-exposure-nginx-"))
  let service: RunningService
  let port: number
  let stopNginx: () => Promise<void>
  let certificate: string

  beforeAll(async () => {
    service = await startService({ sample: true })
    port = await freePort()
    const files = { ...makeCertificate(folder, "DNS:exposure.example.com"), log: join(folder, "access.log") }
    certificate = readFileSync(files.certificate, "utf8")
    const site = read("apps", "service", "deploy", "nginx.conf")
      .replace("127.0.0.1:8787", new URL(service.url).host)
      .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
      .replace("    listen [::]:443 ssl;\n", "")
      .replace("/etc/nginx/tls/exposure.example.com.crt", files.certificate)
      .replace("/etc/nginx/tls/exposure.example.com.key", files.key)
      .replace("/var/log/nginx/threat-exposure.log", files.log)
    stopNginx = await startNginx(pathOf(nginxProgram), folder, site, port)
  })

  afterAll(async () => {
    await stopNginx()
    await service.stop()
    rmSync(folder, { recursive: true })
  })

  const ask = (path: string, body?: string, readAfter = 0) =>
    new Promise<{ readonly status: number | undefined; readonly headers: IncomingHttpHeaders; readonly text: string }>(
      (resolve, reject) => {
        const sent = request(
          {
            host: "127.0.0.1",
            port,
            path,
            servername: "exposure.example.com",
            ca: certificate,
            method: body === undefined ? "GET" : "POST",
            headers: {
              Host: "exposure.example.com",
              Authorization: `Bearer ${service.token}`,
              "Content-Type": "application/json"
            }
          },
          (answer) => {
            let text = ""
            // A client that reads late: the proxy has to hold the answer meanwhile.
            setTimeout(() => answer.resume(), readAfter)
            answer.setEncoding("utf8").on("data", (chunk) => (text += chunk))
            answer.pause()
            answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, text }))
            answer.on("error", reject)
          }
        )
        sent.on("error", reject)
        sent.end(body)
      }
    )

  it("passes searches on, with the headers of the quota", async () => {
    const urls = Array.from({ length: 100 }, (_, at) => `https://login.example.org/${"x".repeat(80)}/${at}`)
    const records = Array.from({ length: 2_000 }, (_, at) => ({
      id: 10_000_000 + at,
      identity_name: `user${at}@example.org`,
      imported_at: "2026-01-01T00:00:00Z",
      urls
    }))
    await service.load("credentials", records)
    const body = { query: { type: "domain", fqdn: "example.org" }, size: 2_000, include: ["urls"] }
    const { headers, status, text } = await ask("/svc/v4/credentials/global/_search", JSON.stringify(body), 500)
    assert.strictEqual(status, 200)
    assert.lengthOf(JSON.parse(text).items, 2_000)
    assert.property(headers, "x-global-searches-remaining")
    assert.property(headers, "strict-transport-security")
  })

  it("passes on an encoded uid unchanged", async () => {
    const found = await ask("/svc/v4/events/global/_search", JSON.stringify({ size: 1 }))
    const { uid } = JSON.parse(found.text).items[0].metadata
    const { status, text } = await ask(`/svc/v4/events/?uid=${encodeURIComponent(uid)}`)
    assert.strictEqual(status, 200)
    assert.strictEqual(JSON.parse(text).metadata.uid, uid)
  })

  it("lets the service refuse a body that is too long", async () => {
    const { status, text } = await ask("/svc/v4/events/global/_search", " ".repeat(1_100_000))
    assert.strictEqual(status, 413)
    assert.strictEqual(JSON.parse(text).error.code, "PAYLOAD_TOO_LARGE")
  })

  it("serves metrics to the machine itself only", async () => {
    assert.strictEqual((await ask("/metrics")).status, 404)
  })

  it("writes neither queries nor bodies to disk", async () => {
    const { headers } = await ask("/svc/v4/events/?uid=planted-in-the-query")
    const requestId = String(headers["x-request-id"])
    assert.match(requestId, /^[\da-f]{32}$/u)
    // One worker handles both requests, so the first is logged when the second is answered.
    await ask("/healthz")
    const log = readFileSync(join(folder, "access.log"), "utf8")
    assert.include(log, "GET /svc/v4/events/ 404")
    assert.include(log, requestId)
    assert.notInclude(log, "planted")
    assert.notMatch(readFileSync(join(folder, "error.log"), "utf8"), /buffered to a temporary file/u)
  })
})
