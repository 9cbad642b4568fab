import type { FlagDoc, HelpDoc } from "effect/cli/HelpDoc"

/** Removes the choices beside a flag's name, because its description lists them, and the value of a switch. */
export const withoutChoices = (doc: HelpDoc): HelpDoc => ({
  ...doc,
  flags: doc.flags.map(withoutChoice),
  globalFlags: (doc.globalFlags ?? []).map(withoutChoice)
})

const withoutChoice = ({ aliases, description, name, required, type }: FlagDoc): FlagDoc => ({
  aliases,
  description,
  name,
  required,
  type: type === "[=boolean]" ? "boolean" : type
})
