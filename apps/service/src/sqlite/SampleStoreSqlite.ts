import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { EventAnnotation } from "../events/EventAnnotations.ts"
import { SampleStore } from "../sample/SampleLoad.ts"
import { select } from "./database/Connection.ts"
import { Database } from "./database/Database.ts"
import { procedure } from "./database/Procedure.ts"
import { annotateEvent } from "./events/EventAnnotationsSqlite.ts"

export const SampleStoreSqlite = Layer.effect(
  SampleStore,
  Effect.map(Database, ({ lookUp, write }) =>
    SampleStore.of({
      hasPolicy: (uuid) => lookUp(({ connection }) => connection.first(policyByUuid, uuid) !== undefined),
      annotate: (tenantId, annotations) => write(annotate, { tenantId, annotations })
    })
  )
)

interface Annotated {
  readonly tenantId: number
  readonly annotations: ReadonlyArray<EventAnnotation>
}

const annotate = procedure("SampleStore.annotate", ({ connection }, { annotations, tenantId }: Annotated): void => {
  for (const annotation of annotations) annotateEvent(connection, tenantId, annotation)
})

const policyByUuid = select(Schema.Struct({ uuid: Schema.String }), "FROM matching_policies WHERE uuid = ?")
