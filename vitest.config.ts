import { defineConfig } from "vitest/config"

const project = (name: string, root: string) => ({
  test: { name, root, include: ["test/**/*.test.ts"] }
})

export default defineConfig({
  test: {
    projects: [
      project("core", "packages/core"),
      project("detect", "packages/detect"),
      project("leak-check", "packages/leak-check"),
      project("service", "apps/service"),
      project("action", "apps/action"),
      project("vscode", "apps/vscode"),
      project("tools", "tools"),
      { test: { name: "contract", root: "tests", include: ["contract/**/*.test.ts"], testTimeout: 120_000 } },
      {
        test: { name: "e2e", root: "tests", include: ["e2e/**/*.test.ts"], testTimeout: 300_000, hookTimeout: 300_000 }
      }
    ]
  }
})
