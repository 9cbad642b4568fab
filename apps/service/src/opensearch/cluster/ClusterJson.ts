/** Decodes the JSON of a cluster's answers. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"
import { StoreRefusal } from "../../requests/StoreUnavailable.ts"

/**
 * The answer is not what OpenSearch documents: a proxy answered, or the version is unknown. The message contains no
 * value of the answer.
 */
export class AnswerUnreadable extends StoreRefusal {
  constructor(what: string, where: string) {
    super(
      "OpenSearch",
      `its answer to ${what} is not what it documents (${where}): check the URL, any proxy before the cluster, and its version`
    )
  }
}

/** `what` names the request in error messages. */
export const answerDecoder = <A>(what: string, schema: Schema.Decoder<A>) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (text: string): A => {
    const result = decode(parse(what, text))
    if (Result.isSuccess(result)) return result.success
    throw new AnswerUnreadable(what, `at ${pathOf(result.failure.issue).join(".") || "its root"}`)
  }
}

const parse = (what: string, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new AnswerUnreadable(what, "it is not JSON")
  }
}

/** The path to the first issue. */
const pathOf = (issue: SchemaIssue.Issue): ReadonlyArray<string> => {
  switch (issue._tag) {
    case "Pointer":
      return [...issue.path.map(String), ...pathOf(issue.issue)]
    case "Composite":
      return pathOf(issue.issues[0])
    case "Encoding":
      return pathOf(issue.issue)
    default:
      return []
  }
}
