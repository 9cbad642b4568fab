import type { KnipConfig } from "knip"

export default {
  ignoreExportsUsedInFile: true,
  workspaces: {
    ".": {
      // Started by tools/test.ts, put on the PATH by tools/with-node.mjs, or read by people (effect's own documentation).
      ignoreDependencies: ["effect", "oxfmt", "pnpm", "turbo", "@effect/language-service"]
    },
    "packages/core": { entry: ["test/**/*.test.ts", "testing/*.ts"] },
    "packages/detect": { entry: ["test/**/*.test.ts", "test/writeWeights.ts", "testing/*.ts"] },
    "packages/leak-check": {
      entry: ["test/**/*.test.ts", "test/writeSchemas.ts", "testing/*.ts"],
      ignoreBinaries: ["mkfifo"]
    },
    "apps/service": { entry: ["bin/*.mjs", "testing/*.ts", "test/**/*.test.ts", "test/fixtures/write*.ts"] },
    "apps/action": { entry: ["test/**/*.test.ts"], ignore: ["dist/**"] },
    "apps/cli": { entry: ["bin/*.mjs", "test/**/*.test.ts"] },
    "apps/vscode": {
      entry: ["src/extension.ts", "src/web/extension.ts", "media/*.js", "scripts/*.ts", "test/**/*.test.ts"],
      ignoreDependencies: ["@vscode/vsce", "ovsx"]
    },
    // Capital letters: parts of a measurement, some of them run in processes of their own.
    // `vscode` is there in an extension host.
    bench: {
      entry: ["*.ts"],
      ignoreDependencies: ["secretlint", "@secretlint/secretlint-rule-preset-recommend", "vscode"]
    },
    examples: { entry: ["*.ts"] },
    tests: {
      entry: ["**/*.test.ts", "e2e/cluster/soak.ts", "e2e/vscode/probe/extension.cjs"],
      // The runtimes that the packed package is run in.
      ignoreDependencies: ["vscode", "bun", "deno"],
      // From util-linux: runs a program at a terminal.
      ignoreBinaries: ["mkfifo", "script"]
    },
    tools: { entry: ["test/**/*.test.ts"], ignoreBinaries: ["script"] }
  }
} satisfies KnipConfig
