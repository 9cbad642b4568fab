import { execFileSync, spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { packagesIn } from "@threat-exposure/bundling/BundledLicenses"
import { Ajv } from "ajv"
import formats from "ajv-formats"
import { unzipSync } from "fflate"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { packExtension } from "../real-vscode.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "release-"))
afterAll(() => rmSync(folder, { recursive: true }))

const manifests = globSync("{packages,apps}/*/package.json", { cwd: root })

const collectRelease = (name: string, env: Readonly<Record<string, string>>) => {
  const out = join(folder, name)
  execFileSync(process.execPath, [join(root, "tools/release.ts"), out, join(root, "LICENSE")], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: "pipe"
  })
  return new Map(readdirSync(out).map((file) => [file, readFileSync(join(out, file))]))
}

describe("the files of a release", () => {
  let files: ReadonlyMap<string, Buffer> = new Map()
  const textOf = (file: string) => files.get(file)?.toString() ?? ""

  beforeAll(async () => {
    // Builds it, unless it is built already.
    await packExtension(() => undefined)
    files = collectRelease("first", { TZ: "UTC", LC_ALL: "C" })
  })

  it("have checksums that hold, one for each", () => {
    const sums = Array.from(textOf("SHA256SUMS").matchAll(/^([0-9a-f]{64}) {2}(.+)$/gmu), ([, sum, file = ""]) => ({
      sum,
      file
    }))
    assert.deepStrictEqual([...sums.map(({ file }) => file), "SHA256SUMS"].toSorted(), [...files.keys()].toSorted())
    assert.include([...files.keys()], "LICENSE")
    for (const { file, sum } of sums) {
      assert.strictEqual(
        createHash("sha256")
          .update(files.get(file) ?? "")
          .digest("hex"),
        sum
      )
    }
  })

  it("are the same bytes when they are collected again, in another folder, locale and time zone", () => {
    const again = collectRelease("second/below", { TZ: "Pacific/Kiritimati", LC_ALL: "tr_TR.UTF-8" })
    for (const [file, content] of files) assert.isTrue(content.equals(again.get(file) ?? Buffer.of()), file)
    assert.strictEqual(again.size, files.size)
  })

  it("hold the action as its commit has it", () => {
    const listed = execFileSync("tar", ["-tzf", "-"], {
      input: files.get("threat-exposure-action.tar.gz"),
      encoding: "utf8"
    })
    assert.includeMembers(listed.split("\n"), [
      "action.yml",
      "apps/action/action.yml",
      "apps/action/dist/index.js",
      "apps/action/dist/licenses.txt"
    ])
    const committed = execFileSync("git", ["show", "HEAD:apps/action/dist/index.js"], { cwd: root, maxBuffer: 1e8 })
    const packed = execFileSync("tar", ["-xzOf", "-", "apps/action/dist/index.js"], {
      input: files.get("threat-exposure-action.tar.gz"),
      maxBuffer: 1e8
    })
    assert.isTrue(packed.equals(committed))
  })

  /** Licences by the name and version of a component. */
  const componentsOf = (part: string): ReadonlyMap<string, unknown> => {
    const bom: {
      readonly bomFormat: string
      readonly components: ReadonlyArray<Record<"group" | "name" | "version", string> & { readonly licenses: unknown }>
    } = JSON.parse(textOf(`${part}.cdx.json`))
    assert.strictEqual(bom.bomFormat, "CycloneDX")
    return new Map(
      bom.components.map(({ group, licenses, name, version }) => [
        `${group === undefined ? name : `${group}/${name}`} ${version}`,
        licenses
      ])
    )
  }

  it.each(manifests.map(dirname))(
    "hold an SBOM of %s that names every package its sources import, with its licence",
    (part) => {
      const components = componentsOf(basename(part))
      for (const [component, licenses] of components) assert.isNotEmpty(licenses, component)
      const names = new Set(Array.from(components.keys(), (component) => component.split(" ")[0]))
      const imported = globSync("src/**/*.ts", { cwd: join(root, part) })
        .flatMap((file) =>
          Array.from(
            readFileSync(join(root, part, file), "utf8").matchAll(
              /^(?:import (?!type )|\}).* from "((?:@[\w-]+\/)?[\w-]+)[/"]/gmu
            ),
            ([, name = ""]) => name
          )
        )
        .filter((name) => name !== "vscode")
      assert.include(imported, "effect")
      assert.deepStrictEqual(
        [...new Set(imported)].filter((name) => !names.has(name)),
        []
      )
    }
  )

  it.each(readdirSync(join(root, "apps")))(
    "hold an SBOM of %s that names the packages in its bundle, and no other",
    (part) => {
      const licenses = readFileSync(join(root, "apps", part, "dist/licenses.txt"), "utf8")
      const others = [...componentsOf(part).keys()].filter((name) => !name.startsWith("@threat-exposure/"))
      assert.deepStrictEqual(others.toSorted(), [...packagesIn(licenses)].toSorted())
    }
  )

  const isValid = (schema: object, document: unknown) => {
    const ajv = new Ajv({ strict: false, allErrors: true })
    formats.default(ajv)
    ajv.addFormat("uri-template", true)
    const validate = ajv.compile(schema)
    assert.isTrue(validate(document), ajv.errorsText(validate.errors))
  }

  it("hold a bundle for MCP that follows its schema, whose program answers as its manifest starts it", async () => {
    const bundle = unzipSync(files.get("threat-exposure.mcpb") ?? Buffer.of())
    const apart = mkdtempSync(join(folder, "mcpb-"))
    for (const [name, content] of Object.entries(bundle)) {
      mkdirSync(dirname(join(apart, name)), { recursive: true })
      writeFileSync(join(apart, name), content)
    }
    assert.sameMembers(Object.keys(bundle), ["manifest.json", "server/threat-exposure.mjs", "server/licenses.txt"])
    const manifest = JSON.parse(readFileSync(join(apart, "manifest.json"), "utf8"))
    const schema = new URL(import.meta.resolve("@anthropic-ai/mcpb/mcpb-manifest-v0.3.schema.json"))
    isValid(JSON.parse(readFileSync(schema, "utf8")), manifest)

    const entered: Record<string, string> = { base_url: "http://127.0.0.1:9", token: "not-a-token", root: apart }
    assert.sameMembers(Object.keys(manifest.user_config), Object.keys(entered))
    const filled = (text: string) =>
      text
        .replaceAll("${__dirname}", apart)
        .replaceAll(/\$\{user_config\.(\w+)\}/gu, (_, name: string) => entered[name] ?? assert.fail(name))
    const { args, command, env } = manifest.server.mcp_config
    assert.strictEqual(command, "node")
    const version = "2025-06-18"
    const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: "test", version: "1.0.0" } }
    const server = spawn(process.execPath, args.map(filled), {
      stdio: ["pipe", "pipe", "inherit"],
      env: Object.fromEntries(Object.entries<string>(env).map(([name, value]) => [name, filled(value)]))
    })
    // A session ends with its input, which stays open until the answer is there.
    server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`)
    const answer = await createInterface(server.stdout)[Symbol.asyncIterator]().next()
    server.stdin.end()
    const { result } = JSON.parse(answer.value ?? "")
    assert.strictEqual(result.protocolVersion, version)
    assert.strictEqual(result.serverInfo.version, manifest.version)
  })

  it("hold an entry for the registry of MCP that names the package and the bundle", () => {
    const server = JSON.parse(textOf("server.json"))
    // The registry takes no longer description. No package on npm has its schema.
    assert.isAtMost(server.description.length, 100)
    const packed = execFileSync("tar", ["-xzOf", "-", "package/package.json"], {
      input: files.get(`threat-exposure-cli-${server.version}.tgz`),
      encoding: "utf8"
    })
    const { mcpName, name, version } = JSON.parse(packed)
    assert.deepStrictEqual([server.name, server.version], [mcpName, version])
    const [npm, mcpb] = server.packages
    assert.deepStrictEqual([npm.identifier, npm.version], [name, version])
    assert.strictEqual(basename(mcpb.identifier), "threat-exposure.mcpb")
    assert.include(textOf("SHA256SUMS"), `${mcpb.fileSha256}  ${basename(mcpb.identifier)}\n`)
  })

  it("hold SBOMs that follow the schema of CycloneDX, whose references lead to a component", () => {
    const schemas = new URL("res/schema/", import.meta.resolve("@cyclonedx/cyclonedx-library/package.json"))
    const schema = (name: string) => JSON.parse(readFileSync(new URL(`${name}.SNAPSHOT.schema.json`, schemas), "utf8"))
    const ajv = new Ajv({ strict: false, allErrors: true, formats: { "iri-reference": true, "idn-email": true } })
    formats.default(ajv)
    for (const name of ["spdx", "jsf-0.82", "cryptography-defs"]) {
      ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`)
    }
    const sboms = [...files.keys()].filter((name) => name.endsWith(".cdx.json"))
    assert.lengthOf(sboms, manifests.length)
    for (const name of sboms) {
      const bom = JSON.parse(textOf(name))
      const validate = ajv.getSchema(bom.$schema) ?? ajv.compile(schema(`bom-${bom.specVersion}`))
      assert.isTrue(validate(bom), `${name}: ${ajv.errorsText(validate.errors)}`)
      const dependencies: ReadonlyArray<{ readonly ref: string; readonly dependsOn: ReadonlyArray<string> }> =
        bom.dependencies
      const known = [bom.metadata.component, ...bom.components].map((component) => component["bom-ref"])
      assert.sameMembers(
        dependencies.map(({ ref }) => ref),
        known
      )
      assert.includeMembers(
        known,
        dependencies.flatMap(({ dependsOn }) => dependsOn)
      )
    }
  })
})

it("a release is not collected into a folder that has other files, nor without a file that is asked for", () => {
  const release = (...args: ReadonlyArray<string>) =>
    spawnSync(process.execPath, [join(root, "tools/release.ts"), ...args], { cwd: folder, encoding: "utf8" })
  const mine = join(folder, "mine/notes.txt")
  mkdirSync(dirname(mine))
  writeFileSync(mine, "my notes")
  const refused = release("mine")
  assert.strictEqual(refused.status, 2)
  assert.include(refused.stderr, `${dirname(mine)} has files that are not of a release`)
  assert.strictEqual(readFileSync(mine, "utf8"), "my notes")
  assert.strictEqual(
    release("other", "no-such.vsix").stderr,
    "error: no-such.vsix is missing: run `npm run build` and `npm run package` first\n"
  )
})

describe("the versions", () => {
  const copy = join(folder, "versions")
  const versionsIn = (folder: string) =>
    new Set(manifests.map((path): string => JSON.parse(readFileSync(join(folder, path), "utf8")).version))
  const [version = ""] = versionsIn(root)
  const tools = join(root, "node_modules/.bin")
  const changeset = (...args: ReadonlyArray<string>) =>
    execFileSync(join(tools, "changeset"), args, { cwd: copy, encoding: "utf8", stdio: "pipe" })
  const releaseOf = (tag: string) =>
    spawnSync(process.execPath, [join(copy, "tools/release.ts"), join(copy, "release"), "--tag", tag], {
      cwd: copy,
      encoding: "utf8"
    })

  beforeAll(() => {
    const names =
      /^(?:package\.json|pnpm-workspace\.yaml|(?:release|Arguments|McpFiles)\.ts|CHANGELOG\.md|config\.json|\.oxfmtrc\.json)$/u
    const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
      cwd: root,
      encoding: "utf8"
    }).split("\0")
    for (const file of files.filter((file) => names.test(basename(file)))) cpSync(join(root, file), join(copy, file))
    symlinkSync(join(root, "tools/node_modules"), join(copy, "tools/node_modules"))
    execFileSync("git", ["init", "--quiet"], { cwd: copy })
  })

  it("are the same for all parts, which have a changelog with it each", () => {
    assert.isAbove(manifests.length, 6)
    assert.deepStrictEqual([...versionsIn(root)], [version])
    for (const path of manifests) {
      assert.include(readFileSync(join(root, dirname(path), "CHANGELOG.md"), "utf8"), `\n## ${version}\n`, path)
    }
  })

  it("are those that the documents name", () => {
    const named = ["README.md", ...globSync("{docs,apps/*,packages/*}/*.md", { cwd: root })]
      .filter((path) => !path.endsWith("CHANGELOG.md"))
      .flatMap((path) => readFileSync(join(root, path), "utf8").match(/(?<=--branch |rev: )v\d+\.\d+\.\d+/gu) ?? [])
    assert.isNotEmpty(named)
    assert.deepStrictEqual([...new Set(named)], [`v${version}`])
  })

  it("are of parts that name this repository, and their folder in it", () => {
    for (const path of manifests.filter((path) => path !== "apps/action/package.json")) {
      const { homepage, license, repository } = JSON.parse(readFileSync(join(root, path), "utf8"))
      assert.deepStrictEqual(
        { homepage, license, repository },
        {
          homepage: "https://github.com/threat-exposure/threat-exposure#readme",
          license: "MIT",
          repository: {
            type: "git",
            url: "git+https://github.com/threat-exposure/threat-exposure.git",
            directory: dirname(path)
          }
        },
        path
      )
    }
  })

  it("are refused as a tag that is another one", () => {
    const { status, stderr } = releaseOf("v99.0.0")
    assert.strictEqual(status, 2)
    assert.include(stderr, `packages/core/package.json has version ${version}`)
    assert.include(stderr, "npx changeset version")
  })

  it("are raised together by a changeset for some parts, private ones too, and each changelog says so", () => {
    writeFileSync(
      join(copy, ".changeset/some-change.md"),
      '---\n"@threat-exposure/service": minor\n"@threat-exposure/action": patch\n"threat-exposure": patch\n---\n\nA change.\n'
    )
    assert.include(releaseOf(`v${version}`).stderr, ".changeset/some-change.md is in no version yet")
    changeset("version")
    const [next = "", ...others] = versionsIn(copy)
    assert.deepStrictEqual(others, [])
    assert.notStrictEqual(next, version)
    for (const path of manifests) {
      const changelog = join(dirname(path), "CHANGELOG.md")
      const [, text = ""] = readFileSync(join(copy, changelog), "utf8").split(`\n## ${next}\n`)
      assert.notStrictEqual(text.trim(), "", changelog)
      if (/^apps\/(?:service|action|vscode)\//u.test(path)) assert.include(text.split("\n## ")[0], "- A change.")
    }
    execFileSync(
      join(tools, "oxfmt"),
      ["--check", ...globSync("{packages,apps}/*/{package.json,CHANGELOG.md}", { cwd: copy })],
      {
        cwd: copy,
        stdio: "pipe"
      }
    )
    assert.include(releaseOf(`v${version}`).stderr, `packages/core/package.json has version ${next}`)
  })
})
