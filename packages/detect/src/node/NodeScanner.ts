/** Scanners for Node, with git and files of this machine. */
import * as NodeChildProcessSpawner from "@effect/platform-node/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { Layer } from "effect"
import { Git } from "../git/Git.ts"
import { Scanner } from "../Scanner.ts"
import * as NodeFiles from "./NodeFiles.ts"

/** Runs git as a child process. */
export const gitLayer: Layer.Layer<Git> = Git.layerNoDeps.pipe(
  Layer.provide(NodeChildProcessSpawner.layer),
  Layer.provide(Layer.merge(NodeFileSystem.layer, NodePath.layer))
)

/** Reads files of this machine; the caller provides git. */
export const layerNoDeps: Layer.Layer<Scanner, never, Git> = Scanner.layerNoDeps.pipe(Layer.provide(NodeFiles.layer))

/** Scans in the current thread. */
export const layer: Layer.Layer<Scanner> = Layer.provide(layerNoDeps, gitLayer)
