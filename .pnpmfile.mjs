/** What pnpm changes in the manifests that it packs. */
export const hooks = {
  beforePacking: (manifest) => {
    // In the repository the service runs from its sources; the package has all of its dependencies in its bundle.
    if (manifest.name === "@threat-exposure/service") delete manifest.dependencies
    return manifest
  }
}
