import type { KnipConfig } from "knip"

const tests = "test/**/*.test.ts"

export default {
  ignoreExportsUsedInFile: true,
  workspaces: {
    ".": {
      entry: ["tools/with-node.mjs"],
      // Put on the PATH of every script: the Node and the pnpm that the repository brings along.
      ignoreDependencies: ["node", "pnpm", "@effect/tsgo"]
    },
    "packages/*": { entry: [tests, "src/testing/*.ts"] },
    "apps/service": { entry: ["src/main.ts", "src/sql/worker.ts", tests] },
    "apps/action": { entry: ["src/main.ts", tests] },
    "apps/vscode": { entry: ["src/extension.ts", "src/web/extension.ts", "scripts/*.ts", tests] },
    bench: { entry: ["[a-z]*.ts"] },
    examples: { entry: ["*.ts"] },
    tests: { entry: ["contract/**/*.test.ts", "e2e/**/*.test.ts"] },
    tools: { entry: ["demo.ts", "test.ts", "vscode.ts", "lint/house.ts", tests] }
  }
} satisfies KnipConfig
