/** The scripts by which shells complete commands, flags and values. */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Completions from "effect/cli/Completions"
import * as GlobalFlag from "effect/cli/GlobalFlag"

export const completions = GlobalFlag.Action({
  flag: GlobalFlag.Completions.flag,
  run: Effect.fnUntraced(function* (shell, { command }) {
    if (Option.isNone(shell)) return
    const values = yield* knownValues
    yield* Console.log(
      Completions.generate(command.name, shell.value, withValues(Completions.fromCommand(command), values))
    )
  })
})

type Values = Readonly<Partial<Record<string, ReadonlyArray<string>>>>

/** The values of flags that also take others, or several of them. Loaded when they are printed: every command loads this file. */
const knownValues = Effect.promise(async (): Promise<Values> => {
  const [{ outputFormats }, { tenantEventTypes }, { severities }] = await Promise.all([
    import("../check/CheckFlags.ts"),
    import("@threat-exposure/core/domain/Event"),
    import("@threat-exposure/core/domain/Severity")
  ])
  return { output: outputFormats, severity: severities, types: tenantEventTypes }
})

/** zsh completes no flag of a command with an argument of which it does not know what it is: a file, until told otherwise. */
const withValues = (command: Completions.CommandDescriptor, values: Values): Completions.CommandDescriptor => ({
  ...command,
  flags: command.flags.map((flag) => {
    const known = flag.type._tag === "String" ? values[flag.name] : undefined
    return known === undefined ? flag : { ...flag, type: { _tag: "Choice", values: known } }
  }),
  arguments: command.arguments.map((argument) =>
    argument.type._tag === "String" ? { ...argument, type: { _tag: "Path", pathType: "either" } } : argument
  ),
  subcommands: command.subcommands.map((subcommand) => withValues(subcommand, values))
})
