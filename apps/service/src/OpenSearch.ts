/** Assembles the distributed engine: the one module that knows both the cluster and the stores. */
import { type ClusterOptions, clusterLayer } from "./opensearch/ClusterStart.ts"

/** Every index of the stores. */
const indices = [] as const

export const openSearch = (options: ClusterOptions) => clusterLayer(options, indices)
