/** Creates the two bundles, each in parts that are loaded on demand, and returns the modules of each part. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))

export interface Entry {
  readonly platform: "node" | "browser"
  /**
   * Parts in loading order, each with its entry module or package. Code that several parts share is in the first of
   * them. The first part is the extension itself, the second is loaded by its first use.
   */
  readonly parts: ReadonlyArray<{ readonly file: string; readonly from: string }>
}

export const entries: ReadonlyArray<Entry> = [
  {
    platform: "node",
    parts: [
      { file: "extension.cjs", from: "src/extension.ts" },
      { file: "app.cjs", from: "src/node/main.ts" },
      { file: "overview.cjs", from: "src/overview/OverviewPart.ts" },
      { file: "event.cjs", from: "src/events/page/EventPart.ts" },
      { file: "credential.cjs", from: "src/credentials/CredentialPart.ts" },
      { file: "event-form.cjs", from: "src/events/search/EventForms.ts" },
      { file: "identifier.cjs", from: "src/identifiers/IdentifierPart.ts" },
      { file: "policy.cjs", from: "src/policies/PolicyPart.ts" },
      { file: "sign-in.cjs", from: "src/connection/SignInForm.ts" },
      { file: "record.cjs", from: "src/records/RecordPart.ts" },
      { file: "export.cjs", from: "src/exports/ExportPart.ts" },
      { file: "request.cjs", from: "src/requests/RequestPart.ts" },
      { file: "leak-closing.cjs", from: "src/leaks/closing/LeakClosing.ts" },
      { file: "detection.cjs", from: "src/detection/Detector.ts" },
      { file: "leak-check.cjs", from: "src/node/LeakCheckPart.ts" },
      { file: "yaml.cjs", from: "yaml" },
      { file: "toml.cjs", from: "smol-toml" },
      { file: "re2.cjs", from: "re2js" },
      { file: "ignore.cjs", from: "ignore" }
    ]
  },
  {
    platform: "browser",
    parts: [
      { file: "web.cjs", from: "src/web/extension.ts" },
      { file: "web-app.cjs", from: "src/web/main.ts" },
      { file: "web-overview.cjs", from: "src/overview/OverviewPart.ts" },
      { file: "web-event.cjs", from: "src/events/page/EventPart.ts" },
      { file: "web-credential.cjs", from: "src/credentials/CredentialPart.ts" },
      { file: "web-event-form.cjs", from: "src/events/search/EventForms.ts" },
      { file: "web-identifier.cjs", from: "src/identifiers/IdentifierPart.ts" },
      { file: "web-policy.cjs", from: "src/policies/PolicyPart.ts" },
      { file: "web-sign-in.cjs", from: "src/connection/SignInForm.ts" },
      { file: "web-record.cjs", from: "src/records/RecordPart.ts" },
      { file: "web-export.cjs", from: "src/exports/ExportPart.ts" },
      { file: "web-request.cjs", from: "src/requests/RequestPart.ts" },
      { file: "web-leak-closing.cjs", from: "src/leaks/closing/LeakClosing.ts" },
      { file: "web-detection.cjs", from: "src/detection/Detector.ts" },
      { file: "web-leak-check.cjs", from: "src/leaks/check/LeakCheckEngine.ts" },
      { file: "web-yaml.cjs", from: "yaml" },
      { file: "web-toml.cjs", from: "smol-toml" },
      { file: "web-re2.cjs", from: "re2js" },
      { file: "web-ignore.cjs", from: "ignore" }
    ]
  }
]

/** Writes the parts of one bundle into `folder`, and returns the paths of all modules in each file. */
export const bundle = async (
  { platform, parts }: Entry,
  folder: string
): Promise<ReadonlyMap<string, ReadonlyArray<string>>> => {
  const [first] = parts
  if (first === undefined) throw new Error("A bundle needs a first part")
  const build = await rolldown({
    input: path(first.from),
    platform,
    external: platform === "node" ? ["vscode", /^node:/u] : ["vscode"],
    tsconfig: path("tsconfig.src.json"),
    treeshake: { moduleSideEffects: false },
    transform: { define: { "import.meta": "{}" } },
    // Allows shared code in the earlier part, which then exports more than its entry module.
    preserveEntrySignatures: "allow-extension",
    resolve: {
      alias: {
        // Schemas of pages are small, and the compiler would be a twentieth of the bundle.
        "effect/schema/SchemaJITCompiler": path("scripts/interpreted.ts")
      }
    }
  })
  const { output } = await build.generate({
    entryFileNames: first.file,
    chunkFileNames: "[name].cjs",
    format: "cjs",
    minify: true,
    // Hints for another bundler, which would be a hundredth of the code.
    comments: { annotation: false, jsdoc: false },
    exports: "named",
    codeSplitting: {
      groups: parts.map(({ file, from }, order) => ({
        name: file.slice(0, -".cjs".length),
        test: (id) => id === path(from) || id.includes(`/node_modules/${from}/`),
        priority: parts.length - order
      }))
    }
  })
  await build.close()

  const files = output.flatMap((file) => (file.type === "chunk" ? [file] : []))
  const runtime = files.find(({ name }) => name === "rolldown-runtime")
  const chunks = files.filter((file) => file !== runtime)
  const made = chunks.map(({ fileName }) => fileName)
  const wanted = parts.map(({ file }) => file)
  if (made.toSorted().join() !== wanted.toSorted().join()) throw new Error(`Made ${made.join()}, not ${wanted.join()}`)
  mkdirSync(folder, { recursive: true })
  // The first part contains the bundler's runtime, so that activation loads a single file, and lends it to the others.
  const inlined = `(exports.runtime=(()=>{const exports={};${runtime?.code.trim() ?? ""};return exports})())`
  const lent = `require("./${first.file}").runtime`
  /** The part, preceded by all parts that it requires. */
  const required = (file: string): ReadonlyArray<string> => {
    const { imports = [] } = chunks.find(({ fileName }) => fileName === file) ?? {}
    return [...new Set([...imports.filter((name) => made.includes(name)).flatMap(required), file])]
  }
  for (const { code, fileName } of chunks) {
    const whole = code
      .replaceAll(`require("./${runtime?.fileName}")`, () => (fileName === first.file ? inlined : lent))
      .replaceAll(copyOfApi, "$1")
    writeFileSync(join(folder, fileName), platform === "browser" ? withoutRequire(whole, fileName, required) : whole)
  }
  return new Map(chunks.map(({ fileName, moduleIds }) => [fileName, moduleIds]))
}

/**
 * Rolldown copies a namespace member by member. The editor's API has hundreds of members, so copying it takes a third
 * of the activation time.
 */
const copyOfApi = /\b((\w+)=require\("vscode"\));\2=\w+\.\w+\(\2,1\)/gu

/** Replaces `require`, which the web host does not provide for files, with the loader of host/WebParts.ts. */
const withoutRequire = (code: string, fileName: string, required: (file: string) => ReadonlyArray<string>) =>
  code.replaceAll(/\(\)=>require\("\.\/([^"]+)"\)/gu, (_, file: string) => {
    const files = JSON.stringify(required(file).map((name) => `./${name}`))
    return `()=>globalThis.threatExposure.load(${files},"./${fileName}",exports)`
  })
