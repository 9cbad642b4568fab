/** What pnpm changes in the manifests that it packs. */

/** In the repository the service runs from its sources; the package has all of its dependencies in its bundle. */
const bundled = "@threat-exposure/service"

export const hooks = {
  beforePacking: ({ dependencies, ...manifest }) =>
    manifest.name === bundled || dependencies === undefined ? manifest : { ...manifest, dependencies }
}
