/** The literal prefix of a pattern, in lower case: a rule that matches there needs no other keyword. */
export const keywordOf = ({ source }: RegExp): string =>
  (literalBeginning.exec(source)?.[0] ?? "").replaceAll("\\", "").toLowerCase()

/** A character with a quantifier is not part of the prefix. */
const literalBeginning = /^(?:[\w :=~<>"-]|\\[./$+{}[\]])+(?![?*+{|])/
