import type { KnipConfig } from "knip"

export default {
  ignoreExportsUsedInFile: true
} satisfies KnipConfig
