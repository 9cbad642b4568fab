/** The exposed accounts of an organisation: leaked credentials, summed up by address. */
import type { Credential } from "@threat-exposure/core/domain/Credential"
import { toDateTime, toSortable } from "@threat-exposure/core/domain/Timestamp"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type { CsvValue } from "../output/Csv.ts"
import { utcTime } from "../output/Csv.ts"
import type { Directory } from "./Directory.ts"

/** One account. Holds no password. */
export interface Account {
  readonly account: string
  readonly domain: string
  /** The domains among the given ones that it logs in to. */
  readonly login_domains: ReadonlyArray<string>
  readonly class: "employee" | "customer"
  readonly status: "active" | "gone" | "unknown"
  /** When its credentials were imported, RFC 3339. */
  readonly first_seen: string
  readonly last_seen: string
  /** Ids. */
  readonly sources: ReadonlyArray<string>
  readonly password: "clear" | "hashed" | "none"
  readonly stealer_log: "yes" | "no"
  /** Whether the password was changed after `last_seen`. */
  readonly changed_since: "yes" | "no" | "unknown"
}

export const accountColumns = [
  "account",
  "domain",
  "login_domains",
  "class",
  "status",
  "first_seen",
  "last_seen",
  "sources",
  "password",
  "stealer_log",
  "changed_since"
] as const satisfies ReadonlyArray<keyof Account>

export const accountRow = (account: Account): ReadonlyArray<CsvValue> => accountColumns.map((name) => account[name])

/** What is known of one address. Kept small: there may be hundreds of thousands. */
interface Exposure {
  first: string
  last: string
  password: Account["password"]
  isStealerLog: boolean
  /** Most accounts have few: a list is smaller than a set. */
  readonly sources: Array<string>
  readonly loginDomains: Array<string>
}

/** Sums up credentials as they are read. Addresses are compared without regard to case. */
export class AccountTable {
  readonly #exposures = new Map<string, Exposure>()
  /** Interns strings, which otherwise each page would hold anew. */
  readonly #known = new Map<string, string>()
  readonly #domains: ReadonlyArray<string>

  /** `domains` are those of the organisation, in lower case. */
  constructor(domains: ReadonlyArray<string>) {
    this.#domains = domains
  }

  get size(): number {
    return this.#exposures.size
  }

  /** `loginDomain` is the domain that the credential was searched by, undefined for a search by address. */
  add(credential: Credential, loginDomain: string | undefined): void {
    const address = credential.identity_name.toLowerCase()
    const seen = credential.imported_at
    const exposure = this.#exposures.get(address) ?? {
      first: seen,
      last: seen,
      password: "none",
      isStealerLog: false,
      sources: [],
      loginDomains: []
    }
    if (toSortable(seen) < toSortable(exposure.first)) exposure.first = seen
    if (toSortable(seen) > toSortable(exposure.last)) exposure.last = seen
    if (credential.hash !== null && exposure.password !== "clear") {
      exposure.password = credential.hash_type === null || credential.hash_type === "unknown" ? "clear" : "hashed"
    }
    exposure.isStealerLog ||= isStealerLog(credential)
    this.#include(exposure.sources, credential.source_id)
    if (loginDomain !== undefined) this.#include(exposure.loginDomains, loginDomain)
    this.#exposures.set(address, exposure)
  }

  #include(list: Array<string>, text: string): void {
    if (text === "" || list.includes(text)) return
    const known = this.#known.get(text) ?? text
    this.#known.set(text, known)
    list.push(known)
  }

  /** The last seen first. Made one at a time: all at once would take as much memory as the table. */
  *accounts(directory: Directory | undefined): Generator<Account> {
    const newestFirst = [...this.#exposures].toSorted(([a, { last }], [b, { last: other }]) =>
      toSortable(last) === toSortable(other) ? (a < b ? -1 : 1) : toSortable(last) < toSortable(other) ? 1 : -1
    )
    for (const [account, exposure] of newestFirst) {
      const domain = account.slice(account.lastIndexOf("@") + 1)
      const user = directory?.get(account)
      yield {
        account,
        domain,
        login_domains: exposure.loginDomains,
        class: this.#domains.some((own) => domain === own || domain.endsWith(`.${own}`)) ? "employee" : "customer",
        status: user?.status ?? "unknown",
        first_seen: utcTime(exposure.first),
        last_seen: utcTime(exposure.last),
        sources: exposure.sources,
        password: exposure.password,
        stealer_log: exposure.isStealerLog ? "yes" : "no",
        changed_since: changedSince(user?.passwordChangedAt, exposure.last)
      }
    }
  }

  /** In lower case. */
  get addresses(): Iterable<string> {
    return this.#exposures.keys()
  }
}

const isStealerLog = ({ event_uid, source }: Credential): boolean =>
  (event_uid ?? "").startsWith("stealer_log/") ||
  /stealer/iu.test(`${source?.id ?? ""} ${source?.name ?? ""} ${source?.description_en ?? ""}`)

const changedSince = (changedAt: number | undefined, last: string): Account["changed_since"] => {
  const seen = Option.getOrUndefined(Option.map(toDateTime(last), DateTime.toEpochMillis))
  if (changedAt === undefined || seen === undefined) return "unknown"
  return changedAt > seen ? "yes" : "no"
}

/** The counts that stand above a table. */
export class AccountCounts {
  #all = 0
  #employees = 0
  #clear = 0
  #stealerLogs = 0
  #unchanged = 0

  add(account: Account): void {
    this.#all += 1
    if (account.class === "employee") this.#employees += 1
    if (account.password === "clear") this.#clear += 1
    if (account.stealer_log === "yes") this.#stealerLogs += 1
    if (account.status === "active" && account.changed_since === "no") this.#unchanged += 1
  }

  get lines(): ReadonlyArray<string> {
    const text = (count: number) => count.toLocaleString("en-US")
    return [
      `${text(this.#all)} exposed accounts: ${text(this.#employees)} employees, ${text(this.#all - this.#employees)} customers`,
      `password in clear: ${text(this.#clear)}; from stealer logs: ${text(this.#stealerLogs)}; active and not changed since: ${text(this.#unchanged)}`
    ]
  }
}
