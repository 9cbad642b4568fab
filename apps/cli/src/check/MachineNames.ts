/** Names of this machine and its user, which stealer logs contain if malware copied its files. */
import { hostname } from "node:os"
import { environmentVariable } from "@threat-exposure/leak-check/EnvironmentVariable"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { readTextFile } from "../request/FileText.ts"

export interface MachineName {
  /** Describes the name in messages, which must not show the name itself. */
  readonly title: string
  readonly value: string
}

/** Names that many machines share identify none of them. */
const shared =
  /^(?:.{0,3}|root|admin|administrator|user|guest|default|ubuntu|debian|runner|vagrant|node|docker|localhost|(?:macbook|imac|desktop|laptop)(?:[-.\w]{0,4}))(?:\.(?:local|localdomain|lan))?$/iu

/** The user name, the host name and the e-mail address that git uses. */
export const machineNames = Effect.fnUntraced(function* (home: string) {
  const paths = yield* Path.Path
  const user = (yield* environmentVariable("USER")) ?? (yield* environmentVariable("USERNAME"))
  const names: Array<MachineName> = [
    ...(user === undefined ? [] : [{ title: "user name", value: user }]),
    { title: "host name", value: hostname() }
  ]
  for (const file of [".gitconfig", ".config/git/config"]) {
    const text = yield* Effect.option(readTextFile(paths.join(home, file), `~/${file}`))
    const [, email] = /^[ \t]*email[ \t]*=[ \t]*"?([^\s"]+@[^\s"]+)/mu.exec(Option.getOrElse(text, () => "")) ?? []
    if (email !== undefined) names.push({ title: `e-mail address in ~/${file}`, value: email })
  }
  return names.filter(({ value }) => !shared.test(value))
})
