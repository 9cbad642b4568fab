/** A command that was not understood gets one error that names what is wrong, not the whole of the help. */
import * as Console from "effect/Console"
import * as Layer from "effect/Layer"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as GlobalFlag from "effect/cli/GlobalFlag"

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
