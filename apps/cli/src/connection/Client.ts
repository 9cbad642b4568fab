/** The client of the service, over the resolved connection. */
import { layerNoDeps } from "@threat-exposure/core/client/services"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Connection, resolveConnection } from "./Connection.ts"
import { serviceHttp } from "./NodeHttp.ts"
import { layer as noticeLayer } from "./WaitNotice.ts"

/** All services of the client. Prints a notice while the service does not answer. */
export const client = Layer.unwrap(
  Effect.map(resolveConnection, ({ options }) =>
    layerNoDeps(options).pipe(Layer.provide(noticeLayer), Layer.provide(serviceHttp))
  )
)

/** Like {@link client}, but without notices, for a hook whose standard error is read by a program. */
export const silentClient = ({ options }: Connection) => layerNoDeps(options).pipe(Layer.provide(serviceHttp))
