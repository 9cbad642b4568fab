/** The whole extension on a machine, loaded when any of it is first used. */
import { Layer } from "effect"
import * as App from "../App.ts"
import * as NodeWriteAt from "./NodeWriteAt.ts"
import * as NodeLeakEngine from "./NodeLeakEngine.ts"

export const layer = App.layer.pipe(Layer.provide([NodeLeakEngine.layer, NodeWriteAt.layer]))
