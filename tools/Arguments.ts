/** The arguments of the programs that `npm run` starts. */
import { parseArgs, type ParseArgsOptionsConfig } from "node:util"

/**
 * Parses the arguments: flags, and at most `most` others. A wrong one ends the program with its usage, such as
 * `npm run rebuild -- [COMMIT]`.
 */
export const argumentsOf = <const Options extends ParseArgsOptionsConfig>(
  usage: string,
  { most = 0, options }: { readonly most?: number; readonly options: Options }
) => {
  const parsed = parsedOr(options, (problem) => refuse(problem, `Usage: ${usage}`))
  const unexpected = parsed.positionals[most]
  return unexpected === undefined ? parsed : refuse(`Unexpected argument '${unexpected}'`, `Usage: ${usage}`)
}

const parsedOr = <const Options extends ParseArgsOptionsConfig>(
  options: Options,
  refused: (problem: string) => never
) => {
  try {
    return parseArgs({ allowPositionals: true, options })
  } catch (error) {
    // The rest of Node's message is about arguments that begin with a hyphen.
    return refused(error instanceof Error ? error.message.replace(/\. .*$/su, "") : String(error))
  }
}

/** Ends the program, because of how it was called. */
export function refuse(...lines: ReadonlyArray<string>): never {
  console.error(`error: ${lines.join("\n")}`)
  process.exit(2)
}
