/** The changes that pnpm makes to the manifests that it packs. */
export const hooks = {
  beforePacking: (manifest) => {
    // Their bundles contain all of their dependencies.
    if (["@threat-exposure/service", "@threat-exposure/cli"].includes(manifest.name)) delete manifest.dependencies
    return manifest
  }
}
