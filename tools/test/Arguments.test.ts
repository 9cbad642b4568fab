import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"

const root = fileURLToPath(new URL("../../", import.meta.url))

it.each([
  [
    "tools/release.ts",
    ["--nonsense"],
    ["Unknown option '--nonsense'", "Usage: npm run release -- FOLDER [FILE…] [--tag TAG]"]
  ],
  [
    "tools/rebuild.ts",
    ["--against"],
    ["Option '--against <value>' argument missing", "Usage: npm run rebuild -- [COMMIT] [--against SHA256SUMS]"]
  ],
  [
    "tools/rebuild.ts",
    ["HEAD", "SHA256SUMS"],
    ["Unexpected argument 'SHA256SUMS'", "Usage: npm run rebuild -- [COMMIT] [--against SHA256SUMS]"]
  ],
  ["tools/vscode.ts", ["--port", "8080"], ["Unknown option '--port'", "Usage: npm run vscode"]],
  [
    "tests/e2e/cluster/soak.ts",
    ["--rounds", "many"],
    [
      "--rounds takes a number from 1, not 'many'",
      "Usage: npm run soak -- [--rounds 20] [--rows 100000] [--frozen 60] [--killed 5]"
    ]
  ]
])("%s refuses %j before it does anything, with one message and the usage", (program, args, message) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [program, ...args], { cwd: root, encoding: "utf8" })
  assert.deepStrictEqual([status, stdout, stderr], [2, "", `error: ${message.join("\n")}\n`])
})
