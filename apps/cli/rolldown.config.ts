/** One file without dependencies, for `npx` and for copying into an image. */
import { bundledLicenses } from "@threat-exposure/tools/BundledLicenses"
import { defineConfig } from "rolldown"

export default defineConfig({
  platform: "node",
  input: "src/main.ts",
  plugins: [bundledLicenses("licenses.txt")],
  output: {
    file: "dist/threat-exposure.mjs",
    format: "esm",
    // A command's modules are evaluated when it runs, not when the program starts.
    codeSplitting: false,
    minify: true,
    comments: { legal: true, annotation: false, jsdoc: false }
  }
})
