/** The exposed accounts of an organisation: leaked credentials, grouped by address. */
import { type Credential, passwordFormOf } from "@threat-exposure/core/domain/Credential"
import { toDateTime, toSortable, toUtc } from "@threat-exposure/core/domain/Timestamp"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type { CsvValue } from "../output/Csv.ts"
import type { Directory } from "./Directory.ts"

/** One account. Holds no password. */
export interface Account {
  readonly account: string
  /** Empty for a user name without one. */
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

/** The facts known about one address. Kept small: there may be hundreds of thousands. */
interface Exposure {
  /** Times as {@link toSortable} writes them. */
  first: string
  last: string
  password: Account["password"]
  isStealerLog: boolean
  /** Characters of {@link InternedTexts}: an array takes several times the memory. */
  sources: string
  loginDomains: string
}

/** Interns texts as single characters, so that a set of them is a short string. */
class InternedTexts {
  readonly #texts: Array<string> = []
  readonly #characters = new Map<string, string>()

  /** The set with the text in it; an empty text adds nothing. */
  include(set: string, text: string): string {
    if (text === "") return set
    const character = this.#characters.get(text) ?? this.#add(text)
    return set.includes(character) ? set : set + character
  }

  textsOf(set: string): ReadonlyArray<string> {
    return Array.from(set, (character) => this.#texts[numberOf(character)] ?? "")
  }

  #add(text: string): string {
    const character = characterOf(this.#texts.length)
    this.#texts.push(text)
    this.#characters.set(text, character)
    return character
  }
}

/** Surrogates are skipped: one alone is not a character. */
const [firstSurrogate, surrogates] = [0xd800, 0x800]
const characterOf = (number: number): string =>
  String.fromCodePoint(number < firstSurrogate ? number : number + surrogates)
const numberOf = (character: string): number => {
  const point = character.codePointAt(0) ?? 0
  return point < firstSurrogate ? point : point - surrogates
}

/** Aggregates credentials as they are read. Addresses are compared without regard to case. */
export class AccountTable {
  readonly #exposures = new Map<string, Exposure>()
  readonly #sources = new InternedTexts()
  readonly #loginDomains = new InternedTexts()
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
    const seen = toSortable(credential.imported_at)
    const exposure = this.#exposures.get(address) ?? {
      first: seen,
      last: seen,
      password: "none",
      isStealerLog: false,
      sources: "",
      loginDomains: ""
    }
    if (seen < exposure.first) exposure.first = seen
    if (seen > exposure.last) exposure.last = seen
    const form = passwordFormOf(credential)
    if (form === "clear" || exposure.password === "none") exposure.password = form
    exposure.isStealerLog ||= isStealerLog(credential)
    exposure.sources = this.#sources.include(exposure.sources, credential.source_id)
    exposure.loginDomains = this.#loginDomains.include(exposure.loginDomains, loginDomain ?? "")
    this.#exposures.set(address, exposure)
  }

  /** Sorted by last seen, newest first. Created one at a time: all at once would take as much memory as the table. */
  *accounts(directory: Directory | undefined): Generator<Account> {
    const lastOf = (account: string) => this.#exposures.get(account)?.last ?? ""
    const newestFirst = [...this.#exposures.keys()].toSorted((a, b) => {
      const [last, other] = [lastOf(a), lastOf(b)]
      return last === other ? (a < b ? -1 : 1) : last < other ? 1 : -1
    })
    for (const account of newestFirst) {
      const exposure = this.#exposures.get(account)
      if (exposure === undefined) continue
      const domain = account.includes("@") ? account.slice(account.lastIndexOf("@") + 1) : ""
      const user = directory?.get(account)
      yield {
        account,
        domain,
        login_domains: this.#loginDomains.textsOf(exposure.loginDomains),
        class: this.#domains.some((own) => domain === own || domain.endsWith(`.${own}`)) ? "employee" : "customer",
        status: user?.status ?? "unknown",
        first_seen: toUtc(exposure.first),
        last_seen: toUtc(exposure.last),
        sources: this.#sources.textsOf(exposure.sources),
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

/** The counts shown above a table. */
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
      `password in clear: ${text(this.#clear)}; from stealer logs: ${text(this.#stealerLogs)}; active, password not changed since: ${text(this.#unchanged)}`
    ]
  }
}
