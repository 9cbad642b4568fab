/** The program and its threads, without dependencies: Effect alone has 3,000 files, which take `npx` seconds. */
import { asciiOnly } from "@threat-exposure/bundling/AsciiOnly"
import { bundledLicenses, licenseComments } from "@threat-exposure/bundling/BundledLicenses"
import { defineConfig } from "rolldown"

export default defineConfig({
  platform: "node",
  // Node 22 has no `using`.
  transform: { target: "es2024" },
  input: {
    main: "src/main.ts",
    sqliteThread: "src/sqlite/sqliteThread.ts",
    clusterThread: "src/opensearch/clusterThread.ts"
  },
  plugins: [asciiOnly, bundledLicenses("licenses.txt")],
  output: {
    dir: "dist",
    cleanDir: true,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    // Names stay as they are: the log shows the stacks of faults.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
    comments: licenseComments
  }
})
