import { availableParallelism } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"

/** One more than there are processors: many tests wait for other processes. By itself, vitest leaves a processor idle. */
const maxWorkers = availableParallelism() + 1

/** Milliseconds. It ends what hangs, and nothing else: forty busy processes make a test on two processors twenty times slower. */
const hangTimeout = 30 * 60_000

/** Not where no file keeps global state: loading Effect anew for each file takes as long as many of the tests. */
const isolate = false

const build = join(import.meta.dirname, "tests/build.ts")

const unit = (name: string, root: string, globalSetup: ReadonlyArray<string> = []) => ({
  test: {
    name,
    root,
    globalSetup: [...globalSetup],
    include: ["test/**/*.test.ts"],
    testTimeout: hangTimeout,
    hookTimeout: hangTimeout,
    isolate,
    maxWorkers,
    sequence: { groupOrder: 0 }
  }
})

export default defineConfig({
  test: {
    globalSetup: ["tools/programs/OpenSearchForRun.ts"],
    projects: [
      unit("core", "packages/core"),
      unit("detect", "packages/detect"),
      unit("leak-check", "packages/leak-check"),
      unit("service", "apps/service", [build]),
      unit("action", "apps/action"),
      unit("cli", "apps/cli"),
      unit("vscode", "apps/vscode"),
      unit("tools", "tools", [build]),
      {
        test: {
          name: "contract",
          root: "tests",
          include: ["contract/**/*.test.ts"],
          globalSetup: [build],
          testTimeout: hangTimeout,
          hookTimeout: hangTimeout,
          isolate,
          maxWorkers,
          sequence: { groupOrder: 0 }
        }
      },
      {
        test: {
          name: "cluster",
          root: "tests",
          include: ["e2e/cluster/**/*.test.ts"],
          globalSetup: [build],
          testTimeout: hangTimeout,
          hookTimeout: hangTimeout,
          maxWorkers,
          sequence: { groupOrder: 0 }
        }
      },
      {
        test: {
          // With LONG_PROPERTIES=true, each of them has many times the runs that it has in its own project.
          name: "properties",
          root: ".",
          include: ["tests/contract/fuzz.test.ts", "apps/service/test/search/QueryString.test.ts"],
          globalSetup: [build],
          testTimeout: hangTimeout,
          hookTimeout: hangTimeout,
          isolate,
          maxWorkers,
          sequence: { groupOrder: 0 }
        }
      },
      {
        test: {
          name: "deployment",
          root: "tests",
          include: ["deployment/**/*.test.ts"],
          globalSetup: [build],
          testTimeout: hangTimeout,
          hookTimeout: hangTimeout,
          isolate,
          maxWorkers,
          sequence: { groupOrder: 0 }
        }
      },
      {
        test: {
          name: "e2e",
          root: "tests",
          include: ["e2e/**/*.test.ts"],
          exclude: ["e2e/vscode/**", "e2e/cluster/**"],
          globalSetup: [build],
          testTimeout: hangTimeout,
          hookTimeout: hangTimeout,
          isolate,
          maxWorkers,
          sequence: { groupOrder: 0 }
        }
      },
      {
        test: {
          name: "editor",
          root: "tests",
          include: ["e2e/vscode/**/*.test.ts"],
          globalSetup: [build],
          testTimeout: hangTimeout,
          hookTimeout: hangTimeout,
          fileParallelism: false,
          // One browser serves all files.
          isolate,
          // A browser on a busy machine can drop a click; what is broken fails twice.
          retry: process.env["CI"] === "true" ? 1 : 0,
          sequence: { groupOrder: 1 }
        }
      }
    ]
  }
})
