/** Whether the names of this machine and its user stand in stealer logs: these hold what malware copied from one machine. */
import { hostname } from "node:os"
import type { ApiError } from "@threat-exposure/core/client/ApiError"
import { Events } from "@threat-exposure/core/client/Events"
import { counted } from "@threat-exposure/leak-check/Counted"
import { environmentVariable } from "@threat-exposure/leak-check/EnvironmentVariable"
import { reportedFailure } from "@threat-exposure/leak-check/search/FailureText"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import { printable } from "../output/Output.ts"
import { textOfFile } from "../request/FileText.ts"

export interface MachineName {
  /** Stands for the name in messages, which do not show the name itself. */
  readonly title: string
  readonly value: string
}

/** Names that many machines share say nothing about this one. */
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
    const text = yield* Effect.option(textOfFile(paths.join(home, file), `~/${file}`))
    const [, email] = /^[ \t]*email[ \t]*=[ \t]*"?([^\s"]+@[^\s"]+)/mu.exec(Option.getOrElse(text, () => "")) ?? []
    if (email !== undefined) names.push({ title: `e-mail address in ~/${file}`, value: email })
  }
  return names.filter(({ value }) => !shared.test(value))
})

export interface StealerLogs {
  /** Sentences about the names that stand in stealer logs. */
  readonly found: ReadonlyArray<string>
  /** Why names could not be searched, one sentence each. */
  readonly gaps: ReadonlyArray<string>
}

/** One search for each name. */
export const searchStealerLogs = Effect.fnUntraced(function* (names: ReadonlyArray<MachineName>) {
  const events = yield* Events
  const found: Array<string> = []
  const gaps: Array<string> = []
  for (const { title, value } of names) {
    const search = {
      query: { type: "query_string", query_string: `"${value.replaceAll(/["\\]/gu, "\\$&")}"` },
      filters: { type: ["stealer_log"] },
      order: "desc"
    } as const
    const page = yield* Effect.result(Stream.runHead(events.pages(search)))
    if (page._tag === "Failure") gaps.push(gapOf(title, page.failure))
    else {
      const items = Option.match(page.success, { onNone: () => [], onSome: ({ items }) => items })
      if (items.length === 0) continue
      const uids = items.slice(0, 3).map(({ metadata }) => metadata.uid)
      found.push(
        `The ${title} of this machine stands in ${counted(items.length, "stealer log")}: ${uids.map(printable).join(", ")}. Malware may have copied its passwords and cookies: threat-exposure event UID shows what it took`
      )
    }
  }
  const logs: StealerLogs = { found, gaps }
  return logs
})

const gapOf = (title: string, failure: ApiError): string =>
  `Stealer logs were not searched for the ${title}: ${printable(reportedFailure(failure))}`
