/** Shell scripts that complete commands, flags and values. */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import type * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { completionsFlag } from "@threat-exposure/command-line/ShellFlag"

/** `shared` are the global flags, which the description of the command does not include. */
export const completions = (
  shared: ReadonlyArray<{ readonly flag: Flag.Flag<unknown> }>,
  profiles: Effect.Effect<ReadonlyArray<string>>
) =>
  GlobalFlag.Action({
    flag: completionsFlag,
    run: Effect.fnUntraced(function* (shell, { command }) {
      if (Option.isNone(shell)) return
      const values = { ...(yield* knownValues), profile: yield* profiles }
      const { flags } = Completions.fromCommand(
        Command.make("shared", Object.fromEntries(shared.map(({ flag }, index) => [index, flag])))
      )
      yield* Console.log(
        Completions.generate(command.name, shell.value, withValues(Completions.fromCommand(command), values, flags))
      )
    })
  })

type Values = Readonly<Partial<Record<string, ReadonlyArray<string>>>>

/**
 * Suggested values of flags that also accept other values or lists. Imported on demand, because every command loads
 * this module.
 */
const knownValues = Effect.promise(async (): Promise<Values> => {
  const [{ outputFormats }, { tenantEventTypes }, { severities }] = await Promise.all([
    import("../check/CheckFlags.ts"),
    import("@threat-exposure/core/domain/Event"),
    import("@threat-exposure/core/domain/Severity")
  ])
  return { output: outputFormats, severity: severities, types: tenantEventTypes }
})

/**
 * Adds suggested values to the flags, and declares arguments as paths: zsh completes no flag of a command whose
 * argument has an unknown type.
 */
const withValues = (
  command: Completions.CommandDescriptor,
  values: Values,
  shared: ReadonlyArray<Completions.FlagDescriptor>
): Completions.CommandDescriptor => ({
  ...command,
  flags: [...command.flags, ...shared].map((flag): Completions.FlagDescriptor => {
    const known = flag.type._tag === "String" ? (values[flag.name] ?? []) : []
    return known.length === 0 ? flag : Object.assign({}, flag, { type: { _tag: "Choice" as const, values: known } })
  }),
  arguments: command.arguments.map((argument) =>
    argument.type._tag === "String" ? { ...argument, type: { _tag: "Path", pathType: "either" } } : argument
  ),
  subcommands: command.subcommands.map((subcommand) => withValues(subcommand, values, shared))
})
