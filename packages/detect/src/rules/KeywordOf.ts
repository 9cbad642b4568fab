/** The literal that a pattern begins with, in lower case: a rule that starts there needs no other keyword. */
export const keywordOf = ({ source }: RegExp): string =>
  (literalBeginning.exec(source)?.[0] ?? "").replaceAll("\\", "").toLowerCase()

/** A quantifier behind a character makes it no part of the literal. */
const literalBeginning = /^(?:[\w :=~<>"-]|\\[./$+{}[\]])+(?![?*+{|])/
