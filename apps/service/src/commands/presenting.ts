/** A command that was not understood gets one error that names what is wrong, not the whole of the help. */
import { Console, Layer } from "effect"
import { CliConfig, CliOutput, GlobalFlag } from "effect/cli"

export const presenting = Layer.mergeAll(
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }),
  CliOutput.layerPresenter({
    present: (event) => {
      if (event._tag !== "InvalidInvocation") return CliOutput.defaultPresenter.present(event)
      const reasons = event.errors.map(({ message }) => `error: ${message}`)
      return Console.error([...new Set(reasons), `See ${event.commandPath.join(" ")} --help`].join("\n"))
    }
  })
)
