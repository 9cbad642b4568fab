/**
 * The keyring of the system: the Secret Service of Linux desktops, through `secret-tool` of libsecret. Other systems
 * have none.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"

export class Keyring extends Context.Service<
  Keyring,
  {
    readonly get: (profile: string) => Effect.Effect<Option.Option<Redacted.Redacted>>
    /** Returns whether the keyring stored the secret. */
    readonly set: (profile: string, secret: Redacted.Redacted) => Effect.Effect<boolean>
    readonly remove: (profile: string) => Effect.Effect<void>
  }
>()("@threat-exposure/cli/connection/Keyring") {
  static readonly layer = Layer.effect(
    Keyring,
    Effect.gen(function* () {
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
      const secretTool = (args: ReadonlyArray<string>, input = "") =>
        Effect.scoped(
          Effect.gen(function* () {
            const child = yield* spawner.spawn(
              // The secret is written to standard input: process lists show arguments.
              ChildProcess.make("secret-tool", args, { stdin: Stream.make(new TextEncoder().encode(input)) })
            )
            const output = yield* Stream.mkString(Stream.decodeText(child.stdout))
            return { output, isDone: (yield* child.exitCode) === 0 }
          })
        ).pipe(
          // A locked keyring prompts for its password, and nobody may be there to answer.
          Effect.timeout(secretToolTimeout),
          Effect.orElseSucceed(() => ({ output: "", isDone: false }))
        )
      const attributes = (profile: string) => ["service", "threat-exposure", "profile", profile]

      return Keyring.of({
        get: Effect.fn("Keyring.get")(function* (profile) {
          const { isDone, output } = yield* secretTool(["lookup", ...attributes(profile)])
          return isDone && output !== "" ? Option.some(Redacted.make(output)) : Option.none()
        }),
        set: Effect.fn("Keyring.set")(function* (profile, secret) {
          const args = ["store", `--label=Threat Exposure (${profile})`, ...attributes(profile)]
          return (yield* secretTool(args, Redacted.value(secret))).isDone
        }),
        remove: Effect.fn("Keyring.remove")((profile) => Effect.asVoid(secretTool(["clear", ...attributes(profile)])))
      })
    })
  )
}

const secretToolTimeout = Duration.seconds(30)
