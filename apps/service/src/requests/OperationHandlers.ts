import * as Effect from "effect/Effect"
import type { Handlers } from "@threat-exposure/core/api/Endpoints"
import type { CursorInvalid } from "../crypto/Cursor.ts"
import type { RequestCheck } from "./RequestDecoder.ts"
import { type Answer, jsonAnswer } from "./ServedRequest.ts"

/** The handlers of all operations, some with a check for requests whose schemas do not detect every fault. */
export type OperationHandlers = {
  readonly [Group in keyof HandlersInGroups]: {
    readonly [Name in keyof HandlersInGroups[Group]]:
      | WithCursor<HandlersInGroups[Group][Name]>
      | { readonly check: RequestCheck; readonly handle: WithCursor<HandlersInGroups[Group][Name]> }
  }
}

type HandlersInGroups = Handlers<{ readonly tenantId: number }, EncodedAnswer>

/** A handler returns the result of the contract, or an answer that it has already encoded. It may refuse the cursor. */
type WithCursor<H> = H extends (request: infer Request, caller: infer Caller) => Effect.Effect<infer A, infer E>
  ? (request: Request, caller: Caller) => Effect.Effect<A, CursorInvalid | E>
  : never

export class EncodedAnswer {
  readonly answer: Answer

  constructor(answer: Answer) {
    this.answer = answer
  }
}

export const answerJson = (body: Answer["body"]) => new EncodedAnswer({ status: 200, body })

export const answerEncoded = (encoded: unknown) => new EncodedAnswer(jsonAnswer(encoded))
