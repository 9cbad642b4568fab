import type { Comment, Rule } from "./Rule.ts"

/** Beginnings of comments that have no subject, or whose subject the reader has to find. */
const beginning = /^[\s*]*(Of|What|None|As before|Those|Whether of|Its|It|They|And|Or|But|So)\b/u

export const sentenceComments: Rule = {
  meta: { type: "problem", docs: { description: "A comment is a sentence with a subject" } },
  create: (context) => ({
    Program: () => {
      let before: Comment | undefined
      for (const comment of context.sourceCode.getAllComments()) {
        const match = beginning.exec(comment.value)
        if (match !== null && !continues(before, comment)) {
          context.report({
            node: comment,
            message: `"${match[1]}" begins no sentence that can be read alone: name the subject first`
          })
        }
        before = comment
      }
    }
  })
}

/** Whether a line comment continues the one on the line above. */
const continues = (before: Comment | undefined, { loc, type }: Comment): boolean =>
  type === "Line" && before?.type === "Line" && before.loc.end.line === loc.start.line - 1
