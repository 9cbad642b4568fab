import { availableParallelism } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"

/** More than there are processors: many tests wait, for other processes or for a time to pass. */
const maxWorkers = availableParallelism() + 2

/** Milliseconds. It ends what hangs, and nothing else: forty busy processes make a test on two processors twenty times slower. */
const hangTimeout = 30 * 60_000

/** Test files that keep no global state share their modules: loading Effect for each file takes as long as many of the tests. */
const isolate = false

const build = join(import.meta.dirname, "tests/build.ts")

const project = (name: string, root: string, include = ["test/**/*.test.ts"], globalSetup = [build]) => ({
  name,
  root,
  include,
  exclude: Array<string>(),
  globalSetup,
  testTimeout: hangTimeout,
  hookTimeout: hangTimeout,
  isolate,
  maxWorkers,
  sequence: { groupOrder: 0 }
})

const unit = (name: string, root: string) => ({ test: project(name, root, undefined, []) })

/** Commands on a cluster that are killed, repeated and compared step by step: a minute or two each. */
const longTests = [
  "test/commands/monitoringKills.test.ts",
  "test/commands/opensearchBackup.test.ts",
  "test/commands/opensearchMigrate.test.ts",
  "test/commands/opensearchRotateKey.test.ts",
  "test/opensearch/ChangedDocuments.test.ts",
  "test/opensearch/EarlierCluster.test.ts",
  "test/opensearch/cluster/copies/ClusterUpgrade.test.ts",
  "test/opensearch/cluster/StrictLoad.test.ts"
]

/** The projects of `npm test`. */
const parts = [
  unit("core", "packages/core"),
  unit("detect", "packages/detect"),
  unit("leak-check", "packages/leak-check"),
  { test: { ...project("service", "apps/service"), exclude: longTests } },
  unit("action", "apps/action"),
  unit("cli", "apps/cli"),
  unit("vscode", "apps/vscode"),
  { test: project("tools", "tools") },
  { test: project("contract", "tests", ["contract/**/*.test.ts"]) },
  {
    test: {
      ...project("e2e", "tests", ["e2e/**/*.test.ts"]),
      exclude: ["e2e/vscode/**", "e2e/cluster/**"]
    }
  }
]

const below = (root: string, patterns: ReadonlyArray<string>) => patterns.map((pattern) => join(root, pattern))

/** All parts as one, for `npm test`: a worker loads Effect and the sources once, not once for each part. */
const partsInOne = {
  test: {
    ...project("parts", "."),
    include: parts.flatMap(({ test }) => below(test.root, test.include)),
    exclude: parts.flatMap(({ test }) => below(test.root, test.exclude))
  }
}

export default defineConfig({
  test: {
    globalSetup: ["tools/MemoryFolder.ts", "tools/programs/OpenSearchForRun.ts"],
    projects: [
      ...(process.env["PARTS_IN_ONE"] === "true" ? [partsInOne] : parts),
      {
        // With LONG_PROPERTIES=true, the last have many times the runs that they have in their own project.
        test: project("long", ".", [
          ...below("apps/service", longTests),
          "tests/contract/fuzz.test.ts",
          "apps/service/test/load/RecordChunks.test.ts",
          "apps/service/test/search/QueryString.test.ts",
          "packages/detect/test/LinearTime.test.ts",
          "packages/detect/test/scoring/RandomPrefixes.test.ts"
        ])
      },
      { test: { ...project("cluster", "tests", ["e2e/cluster/**/*.test.ts"]), isolate: true } },
      { test: project("deployment", "tests", ["deployment/**/*.test.ts"]) },
      { test: project("documents", "tests", ["documents/**/*.test.ts"]) },
      {
        test: {
          ...project("editor", "tests", ["e2e/vscode/**/*.test.ts"]),
          // Each with a browser that serves all of its files: a window waits more than it computes.
          maxWorkers: 2,
          sequence: { groupOrder: 1 }
        }
      }
    ]
  }
})
