/**
 * The files from which a node of OpenSearch is started: jars of Maven Central in pinned versions with checked digests, and one compiled
 * class. They are kept in the user's cache folder, outside the repository.
 */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { type JavaRuntime, javaRuntime } from "./JavaRuntime.ts"
import { systemProgram } from "./SystemProgram.ts"

const run = promisify(execFile)
const sources = fileURLToPath(new URL("opensearch/", import.meta.url))
const logging = join(sources, "log4j2.properties")
/** A change of any of them leads to a new installation. */
const sourceFiles = [
  fileURLToPath(import.meta.url),
  ...["pom.xml", "jars.sha256", "OpenSearchNode.java"].map((name) => join(sources, name))
]

/** The compiler for Java runtimes that have none. */
const compiler = "org.eclipse.jdt:ecj:3.46.100"

export type OpenSearchJars =
  | {
      readonly java: string
      /** The options of `java` that name the class path. */
      readonly options: ReadonlyArray<string>
    }
  | { readonly missing: string }

type Java = Exclude<JavaRuntime, { readonly missing: string }>

export const openSearchJars = async (): Promise<OpenSearchJars> => {
  const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "threat-exposure")
  mkdirSync(cache, { recursive: true })
  const runtime = await javaRuntime(cache)
  if ("missing" in runtime) return { missing: `OpenSearch cannot run: ${runtime.missing}` }
  const version = createHash("sha256")
  for (const file of sourceFiles) version.update(readFileSync(file))
  const folder = join(cache, `opensearch-${version.digest("hex").slice(0, 16)}`)
  if (!existsSync(folder)) {
    const maven = await systemProgram(["mvn"], ["maven"])
    if ("missing" in maven) return { missing: `OpenSearch cannot be installed: ${maven.missing}` }
    const draft = mkdtempSync(`${folder}-`)
    try {
      await install(draft, maven.path, runtime)
      // Another process may have created it meanwhile.
      if (!existsSync(folder)) renameSync(draft, folder)
    } catch (error) {
      const reason = error instanceof Error ? error.message.slice(0, 500) : ""
      return { missing: `OpenSearch could not be installed: ${reason}` }
    } finally {
      rmSync(draft, { recursive: true, force: true })
    }
  }
  return { java: runtime.java, options: optionsFor(folder) }
}

const optionsFor = (folder: string): ReadonlyArray<string> => [
  "--enable-native-access=ALL-UNNAMED",
  `-Dlog4j.configurationFile=${logging}`,
  ...(existsSync(join(folder, archive)) ? [`-XX:SharedArchiveFile=${join(folder, archive)}`] : []),
  "-cp",
  `${join(folder, existsSync(join(folder, nodeJar)) ? nodeJar : "classes")}:${folder}/lib/*`
]

/** The classes that a start loads, in the form in which Java maps them into memory. It finds them in jars only. */
const archive = "node.jsa"
const nodeJar = "node.jar"

const install = async (folder: string, maven: string, { java, javac, version }: Java) => {
  const lib = join(folder, "lib")
  const classes = join(folder, "classes")
  // Maven finds its own Java. `-C` refuses a file whose checksum differs from the repository's.
  const options = ["--batch-mode", "--no-transfer-progress", "--quiet", "-C", "-f", join(sources, "pom.xml")]
  const copy = `-DoutputDirectory=${lib}`
  await run(maven, [...options, "dependency:copy-dependencies", "-DincludeScope=runtime", copy], largeOutput)
  checkDigests(lib)
  const source = join(sources, "OpenSearchNode.java")
  if (javac !== undefined) {
    await run(javac, ["--release", "21", "-cp", `${lib}/*`, "-d", classes, source], largeOutput)
    await run(join(dirname(javac), "jar"), ["--create", "--file", join(folder, nodeJar), "-C", classes, "."])
    await writeArchive(folder, java, version)
    return
  }
  await run(
    maven,
    [...options, "dependency:copy", `-Dartifact=${compiler}`, `-DoutputDirectory=${folder}`],
    largeOutput
  )
  const jars = readdirSync(lib).map((name) => join(lib, name))
  const ecj = join(folder, `${compiler.split(":").slice(1).join("-")}.jar`)
  await run(java, ["-jar", ecj, "-21", "-cp", jars.join(":"), "-d", classes, source], largeOutput)
}

/** Starts a node, which ends with its standard input: a start with the archive takes a third of the CPU time. */
const writeArchive = async (folder: string, java: string, version: number) => {
  const home = join(folder, "home")
  mkdirSync(join(home, "config"), { recursive: true })
  // The first also links the classes, which leaves two thirds of what a start takes with the second.
  const kind = version >= 25 ? "AOTCacheOutput" : "ArchiveClassesAtExit"
  const options = [`-XX:${kind}=${join(folder, archive)}`, "-XX:+UseSerialGC", ...optionsFor(folder)]
  const settings = ["discovery.type=single-node", "network.host=127.0.0.1", "http.port=0", "transport.port=0"]
  const running = run(java, [...options, "OpenSearchNode", home, ...settings], largeOutput)
  running.child.stdin?.end()
  await running
  rmSync(home, { recursive: true })
}

const largeOutput = { maxBuffer: 64 * 1024 * 1024 }

/** Exactly the jars of jars.sha256: neither another version nor one more. */
const checkDigests = (lib: string): void => {
  const expected = readFileSync(join(sources, "jars.sha256"), "utf8").trim()
  const found = readdirSync(lib)
    .toSorted()
    .map(
      (name) =>
        `${createHash("sha256")
          .update(readFileSync(join(lib, name)))
          .digest("hex")}  ${name}`
    )
  const known = new Set(expected.split("\n"))
  const different = found.filter((line) => !known.has(line))
  if (different.length > 0 || found.length !== known.size) {
    throw new Error(`the jars are not those of jars.sha256: ${different.join(", ") || "one is missing"}`)
  }
}
