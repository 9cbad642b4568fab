/** The whole extension in a web worker, loaded when any of it is first used. */
import { Layer } from "effect"
import * as App from "../App.ts"
import * as WebLeakEngine from "./WebLeakEngine.ts"

export const layer = App.layer.pipe(Layer.provide(WebLeakEngine.layer))
