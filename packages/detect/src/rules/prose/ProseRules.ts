/** Rules for free text, in addition to those for files. */
import type { Rule } from "../Rule.ts"
import { brokenKeys } from "./BrokenKeys.ts"
import { credentialLines } from "./CredentialLines.ts"
import { passwordHashes } from "./PasswordHashes.ts"
import { passwordPhrases } from "./PasswordPhrases.ts"
import { randomRuns } from "./RandomRuns.ts"
import { transcripts } from "./Transcripts.ts"

export const proseRules: ReadonlyArray<Rule> = [
  transcripts,
  brokenKeys,
  credentialLines,
  passwordHashes,
  passwordPhrases,
  randomRuns
]
