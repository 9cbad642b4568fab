/** Done, with nothing to say: the first is what this product's service answers, the others what deployed ones may. */
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"

export const done = [
  HttpApiSchema.Empty(200).annotate({ description: "Done" }),
  HttpApiSchema.Empty(202).annotate({ description: "Accepted" }),
  HttpApiSchema.Empty(204).annotate({ description: "Done" })
] as const
