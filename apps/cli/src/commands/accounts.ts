import { ApiClient } from "@threat-exposure/core/client/ApiClient"
import { type ApiError, isApiError, isNotServed } from "@threat-exposure/core/client/ApiError"
import { Credentials } from "@threat-exposure/core/client/Credentials"
import { Identifiers } from "@threat-exposure/core/client/Identifiers"
import { maxTenantCredentials } from "@threat-exposure/core/domain/Credential"
import { counted } from "@threat-exposure/leak-check/Counted"
import { failureText } from "@threat-exposure/leak-check/search/FailureText"
import { readablePages } from "@threat-exposure/leak-check/search/ReadablePages"
import * as Effect from "effect/Effect"
import * as Iterable from "effect/Iterable"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import { type Account, accountColumns, AccountCounts, accountRow, AccountTable } from "../accounts/Accounts.ts"
import { directoryColumns, readDirectory } from "../accounts/Directory.ts"
import { readKnown, writableBeside, writeKnown } from "../accounts/KnownAccounts.ts"
import { client } from "../connection/Client.ts"
import { callerPath } from "../request/CallerPath.ts"
import { csvLines } from "../output/Csv.ts"
import { durableFiles } from "../output/DurableFiles.ts"
import { writeFailure } from "../output/FileFailure.ts"
import { json, jsonText, printAll, progressLine, say, tableOptions } from "../output/Output.ts"
import { table, type TableOptions } from "../output/Table.ts"
import { domainsOf, listFlag, optionalText } from "../request/Flags.ts"
import { ItemsUnreadable } from "../request/ItemsUnreadable.ts"
import {
  makeSearchMeter,
  maxSearchesFlag,
  quotaReserveFlag,
  resultsPerSearch,
  type SearchMeter
} from "../request/SearchLimits.ts"
import { wrapMessage } from "../output/HelpText.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"

const flags = {
  domains: listFlag(
    "domains",
    "LIST",
    "Domains of the organisation: accounts with an address there are its employees. Without it and --login-domains: what the tenant's identifiers match, which costs no quota"
  ),
  loginDomains: listFlag(
    "login-domains",
    "LIST",
    "Domains where accounts were used to log in, whatever their address is"
  ),
  directory: optionalText("directory", "FILE", "CSV of the organisation's users: email, status, password_changed_at"),
  directoryColumns: listFlag("directory-columns", "FIELD=COLUMN", "Names of the columns, such as email=Mail"),
  to: optionalText("to", "FILE", "Write to a file instead; its name ends in .csv, .json or .ndjson"),
  newSinceLast: optionalText(
    "new-since-last",
    "FILE",
    "List only accounts that the last run with this file did not find; the file remembers all of them"
  ),
  maxSearches: maxSearchesFlag,
  quotaReserve: quotaReserveFlag
}

export const accounts = Command.make(
  "accounts",
  flags,
  Effect.fnUntraced(function* (given) {
    const domains = yield* domainsOf("domains", given.domains)
    const loginDomains = yield* domainsOf("login-domains", given.loginDomains)
    const isOfTenant = domains.length + loginDomains.length === 0
    const file = Option.isNone(given.to) ? undefined : yield* callerPath(given.to.value)
    if (file !== undefined && !/\.(?:csv|json|ndjson)$/u.test(file)) {
      return yield* new UsageInvalid({
        message: `--to: the name ${JSON.stringify(file)} must end in .csv, .json or .ndjson`
      })
    }
    const columns = yield* directoryColumns(given.directoryColumns)
    if (given.directoryColumns.length > 0 && Option.isNone(given.directory)) {
      return yield* new UsageInvalid({ message: "--directory-columns needs --directory" })
    }
    const directory = Option.isNone(given.directory)
      ? undefined
      : yield* Effect.flatMap(callerPath(given.directory.value), (path) => readDirectory(path, columns))
    const stateFile = Option.isNone(given.newSinceLast) ? undefined : yield* callerPath(given.newSinceLast.value)
    if (file !== undefined) yield* writableBeside("to", file)
    if (stateFile !== undefined) yield* writableBeside("new-since-last", stateFile)
    const known = stateFile === undefined ? new Set<string>() : yield* readKnown(stateFile)

    if (isOfTenant) yield* say("This run costs no searches: it lists the accounts that the tenant's identifiers match.")
    else
      yield* say(
        `This run costs one search per ${resultsPerSearch} credentials, and at least ${domains.length + loginDomains.length}${
          Option.isNone(given.maxSearches)
            ? "; --max-searches N limits it"
            : `; at most ${given.maxSearches.value} (--max-searches)`
        }.`
      )
    const found = new AccountTable(isOfTenant ? yield* monitoredDomains : domains)
    let unreadable = 0
    const { quota } = yield* ApiClient
    const { quotaReserve } = given
    const meter = makeSearchMeter({ maxSearches: Option.getOrUndefined(given.maxSearches), quotaReserve, quota })
    const reading = Effect.gen(function* () {
      if (isOfTenant) unreadable += yield* readTenant(found)
      // The budget would never allow a page that costs more than the limit.
      const limit = resultsPerSearch * Option.getOrElse(given.maxSearches, () => maxPageSize)
      const pages = { meter, pageSize: Math.min(maxPageSize, limit) }
      for (const fqdn of domains) unreadable += yield* readInto(found, { type: "domain", fqdn }, undefined, pages)
      for (const fqdn of loginDomains) unreadable += yield* readInto(found, { type: "auth_domain", fqdn }, fqdn, pages)
    })
    // List the accounts even if reading failed: the searches are already paid for.
    const read = yield* Effect.result(reading)
    const failure = Result.isFailure(read) ? read.failure : undefined
    if (failure !== undefined && failure._tag !== "SearchesStopped") {
      if (isOfTenant || found.size === 0) return yield* Effect.fail(failure)
      yield* say("The list is not complete, because the service could not be read to the end.")
    }
    const observed = yield* meter.observed
    if (observed !== undefined) yield* say(observed)

    const listed = Iterable.filter(found.accounts(directory), ({ account }) => !known.has(account))
    if (file !== undefined) yield* writeAccounts(listed, file)
    else {
      const printed = printAll(yield* linesOf(listed))
      // If printing fails, the accounts must stay new for the next run.
      yield* stateFile === undefined ? Effect.ignore(printed) : printed
    }
    if (stateFile !== undefined) yield* writeKnown(stateFile, new Set([...known, ...found.addresses]))
    if (failure !== undefined) return yield* Effect.fail(failure)
    if (unreadable > 0) return yield* new ItemsUnreadable({ noun: "credential", count: unreadable })
  }, Effect.provide(client))
).pipe(
  Command.withDescription("List the exposed accounts of an organisation, one row each, without passwords"),
  Command.withExamples([
    {
      command: "threat-exposure accounts --domains example.com --directory users.csv --to accounts.csv",
      description: "Which exposed users are still active and have not changed their password"
    }
  ])
)

/** Credentials per page. Decoding a page of the maximum size takes tens of megabytes. */
const maxPageSize = 500

/** Adds the credentials of a search to the table, and returns how many were unreadable. */
const readInto = Effect.fnUntraced(function* (
  found: AccountTable,
  query: { readonly type: "domain" | "auth_domain"; readonly fqdn: string },
  loginDomain: string | undefined,
  { meter, pageSize }: { readonly meter: SearchMeter; readonly pageSize: number }
) {
  const credentials = yield* Credentials
  const progress = yield* progressLine
  let all = 0
  yield* Stream.runForEach(
    meter.limit(readablePages(credentials.pages({ query, size: pageSize })), {
      pageSize,
      countOf: ({ items, unreadable }) => items.length + unreadable
    }),
    Effect.fnUntraced(function* ({ items, unreadable }) {
      all += unreadable
      for (const credential of items) found.add(credential, loginDomain)
      yield* progress.show(`${query.fqdn}: ${counted(found.size, "account")} so far`)
    })
  ).pipe(Effect.ensuring(progress.clear))
  return all
})

/** Like {@link readInto}, for the credentials that the tenant's identifiers match. */
const readTenant = Effect.fnUntraced(function* (found: AccountTable) {
  const credentials = yield* Credentials
  const progress = yield* progressLine
  let all = 0
  yield* Stream.runForEach(
    readablePages(credentials.pagesOfTenant({ size: maxTenantCredentials })),
    Effect.fnUntraced(function* ({ items, unreadable }) {
      all += unreadable
      for (const credential of items) found.add(credential, undefined)
      yield* progress.show(`${counted(found.size, "account")} so far`)
    })
  ).pipe(
    Effect.mapError((failure) => (isApiError(failure) && isNotServed(failure) ? notListed(failure) : failure)),
    Effect.ensuring(progress.clear)
  )
  return all
})

const notListed = (failure: ApiError) =>
  new UsageInvalid({
    message: `The service does not list the credentials of the tenant (${failureText(failure)}). Give --domains, which costs one search per ${resultsPerSearch} credentials`
  })

/**
 * Domains that the tenant monitors: accounts at these domains are its employees. Empty if the service does not list
 * identifiers.
 */
const monitoredDomains = Effect.gen(function* () {
  const identifiers = yield* Identifiers
  return yield* identifiers.list({ types: ["domain"] }).pipe(
    Stream.runCollect,
    Effect.map((found) => found.flatMap(({ data }) => (data.type === "domain" ? [data.fqdn.toLowerCase()] : []))),
    Effect.catchIf(isNotServed, () => Effect.succeed([]))
  )
})

type Listed = Iterable<Account>

const linesOf = Effect.fnUntraced(function* (listed: Listed) {
  if (yield* json) return Iterable.map(listed, (account) => jsonText(account))
  return tableOf([...listed], yield* tableOptions)
})

const tableOf = (accounts: ReadonlyArray<Account>, options: TableOptions): ReadonlyArray<string> => {
  const counts = new AccountCounts()
  for (const account of accounts) counts.add(account)
  const { width } = options
  const summary = width === undefined ? counts.lines : counts.lines.map((line) => wrapMessage(line, width))
  if (accounts.length === 0) return summary
  const isTerminal = width !== undefined
  const rows = accounts.map((account) =>
    accountColumns.map((name) => {
      const value = account[name]
      if (typeof value !== "string") return value.join(" ")
      // A terminal has limited width: show the day only.
      return isTerminal && (name === "first_seen" || name === "last_seen") ? value.slice(0, 10) : value
    })
  )
  const shown = accountColumns.flatMap((name, column) =>
    isTerminal && rows.every((row) => unsaid.has(row[column] ?? "")) ? [] : [[name, column] as const]
  )
  const columns = shown.map(([name]) => ({
    title: name.toUpperCase().replaceAll("_", " "),
    rank: columnRanks.indexOf(name),
    isFlexible: name === "sources" || name === "login_domains"
  }))
  const cells = rows.map((row) => shown.map(([, column]) => row[column] ?? ""))
  return [...summary, "", ...table(columns, cells, options)]
}

/** A terminal hides a column that contains only these values, as without `--directory`. */
const unsaid: ReadonlySet<string> = new Set(["", "unknown"])

/** By descending importance; the first column is never left out. */
const columnRanks: ReadonlyArray<keyof Account> = [
  "account",
  "password",
  "last_seen",
  "status",
  "changed_since",
  "class",
  "stealer_log",
  "first_seen",
  "sources",
  "login_domains",
  "domain"
]

const writeAccounts = Effect.fnUntraced(function* (listed: Listed, file: string) {
  const { replace } = yield* durableFiles
  const counts = new AccountCounts()
  yield* replace(file, formatChunks(listed, file, counts), { keepsMode: true }).pipe(
    Effect.mapError(({ reason }) => new UsageInvalid({ message: `--to: ${file} ${writeFailure(reason)}` }))
  )
  for (const line of counts.lines) yield* say(line)
  yield* say(`Written to ${file}.`)
})

/** Yields the file in chunks: the whole text may take more memory than everything else. */
function* formatChunks(listed: Listed, file: string, counts: AccountCounts) {
  const [head, formatAccount, between, end]: readonly [string, (account: Account) => string, string, string] =
    file.endsWith(".csv")
      ? [csvLines([accountColumns]), (account) => csvLines([accountRow(account)]), "", ""]
      : file.endsWith(".json")
        ? ["[\n", jsonText, ",\n", "\n]\n"]
        : ["", (account) => `${jsonText(account)}\n`, "", ""]
  yield head
  let isFirst = true
  for (const part of Iterable.chunksOf(listed, 500)) {
    let text = ""
    for (const account of part) {
      counts.add(account)
      text += `${isFirst ? "" : between}${formatAccount(account)}`
      isFirst = false
    }
    yield text
  }
  yield end
}
