import type { Rule } from "./Rule.ts"

const banned = /\/(utils?|helpers?|common|types|misc|index)\.[cm]?[jt]s$/iu

export const tellingFileNames: Rule = {
  meta: { type: "problem", docs: { description: "A file is named after the one thing it defines" } },
  create: (context) => ({
    Program(node) {
      const match = banned.exec(context.filename.replaceAll("\\", "/"))
      if (match !== null) {
        context.report({ node, message: `"${match[1]}" tells nothing: name the file after what it defines` })
      }
    }
  })
}
