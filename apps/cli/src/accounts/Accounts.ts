/** The exposed accounts of an organisation: leaked credentials, grouped by address. */
import { type Credential, passwordFormOf } from "@threat-exposure/core/domain/Credential"
import { fromMicroseconds, toMicroseconds } from "@threat-exposure/core/domain/Timestamp"
import type { CsvValue } from "../output/Csv.ts"
import { AddressIndex } from "./AddressIndex.ts"
import type { Directory } from "./Directory.ts"

/** One account, without its password. */
export interface Account {
  readonly account: string
  /** Empty if the account is a user name without a domain. */
  readonly domain: string
  /** The domains of the search (`--login-domains`) at which the account logs in. */
  readonly login_domains: ReadonlyArray<string>
  readonly class: "employee" | "customer"
  readonly status: "active" | "gone" | "unknown"
  /** When its credentials were imported, RFC 3339. Empty if no time can be read. */
  readonly first_seen: string
  readonly last_seen: string
  /** Ids of sources. */
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

/**
 * Interns texts as single characters, so that a set of texts is a short string: arrays would take several times the
 * memory.
 */
class InternedTexts {
  readonly #texts: Array<string> = []
  readonly #characters = new Map<string, string>()

  /** Adds the text to the set and returns the new set; an empty text adds nothing. */
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

/** Surrogates are skipped: a lone surrogate is not a character. */
const [firstSurrogate, surrogates] = [0xd800, 0x800]
const characterOf = (number: number): string =>
  String.fromCodePoint(number < firstSurrogate ? number : number + surrogates)
const numberOf = (character: string): number => {
  const point = character.codePointAt(0) ?? 0
  return point < firstSurrogate ? point : point - surrogates
}

/**
 * Aggregates credentials as they are read. Addresses are compared without regard to case. With hundreds of thousands of
 * accounts, one array per field takes less memory than one object per account.
 */
export class AccountTable {
  readonly #addresses = new AddressIndex()
  /** Times in microseconds since 1970; infinite if none can be read. */
  readonly #first: Array<number> = []
  readonly #last: Array<number> = []
  readonly #passwords: Array<Account["password"]> = []
  readonly #inStealerLog: Array<boolean> = []
  readonly #sourcesOf: Array<string> = []
  readonly #loginDomainsOf: Array<string> = []
  readonly #sources = new InternedTexts()
  readonly #loginDomains = new InternedTexts()
  readonly #domains: ReadonlyArray<string>

  /** `domains` are those of the organisation, in lower case. */
  constructor(domains: ReadonlyArray<string>) {
    this.#domains = domains
  }

  get size(): number {
    return this.#addresses.size
  }

  /** `loginDomain` is the domain of the search that found the credential; undefined for a search by address. */
  add(credential: Credential, loginDomain: string | undefined): void {
    const row = this.#addresses.add(credential.identity_name.toLowerCase())
    const seen = toMicroseconds(credential.imported_at)
    const form = passwordFormOf(credential)
    const known = this.#passwords[row] ?? "none"
    // NaN, for an unreadable time, is neither less nor greater.
    const first = this.#first[row] ?? Infinity
    const last = this.#last[row] ?? -Infinity
    this.#first[row] = seen < first ? seen : first
    this.#last[row] = seen > last ? seen : last
    this.#passwords[row] = form === "clear" || known === "none" ? form : known
    this.#inStealerLog[row] = this.#inStealerLog[row] === true || isStealerLog(credential)
    this.#sourcesOf[row] = this.#sources.include(this.#sourcesOf[row] ?? "", credential.source_id)
    this.#loginDomainsOf[row] = this.#loginDomains.include(this.#loginDomainsOf[row] ?? "", loginDomain ?? "")
  }

  /**
   * Sorted by last seen, newest first. A generator, because an array of all accounts would take as much memory as the
   * table.
   */
  *accounts(directory: Directory | undefined): Generator<Account> {
    const lastOf = (row: number) => this.#last[row] ?? -Infinity
    const newestFirst = Uint32Array.from({ length: this.size }, (_, row) => row).toSorted((a, b) => {
      const [last, other] = [lastOf(a), lastOf(b)]
      return last === other ? this.#addresses.compare(a, b) : last < other ? 1 : -1
    })
    for (const row of newestFirst) {
      const account = this.#addresses.addressOf(row)
      const domain = account.includes("@") ? account.slice(account.lastIndexOf("@") + 1) : ""
      const user = directory?.get(account)
      yield {
        account,
        domain,
        login_domains: this.#loginDomains.textsOf(this.#loginDomainsOf[row] ?? ""),
        class: this.#domains.some((own) => domain === own || domain.endsWith(`.${own}`)) ? "employee" : "customer",
        status: user?.status ?? "unknown",
        first_seen: fromMicroseconds(this.#first[row] ?? Infinity),
        last_seen: fromMicroseconds(lastOf(row)),
        sources: this.#sources.textsOf(this.#sourcesOf[row] ?? ""),
        password: this.#passwords[row] ?? "none",
        stealer_log: this.#inStealerLog[row] === true ? "yes" : "no",
        changed_since: changedSince(user?.passwordChangedAt, lastOf(row))
      }
    }
  }

  /** Addresses in lower case. */
  get addresses(): Iterable<string> {
    return this.#addresses
  }
}

const isStealerLog = ({ event_uid, source }: Credential): boolean =>
  (event_uid ?? "").startsWith("stealer_log/") ||
  /stealer/iu.test(`${source?.id ?? ""} ${source?.name ?? ""} ${source?.description_en ?? ""}`)

/** `changedAt` is in milliseconds since 1970, `last` in microseconds. */
const changedSince = (changedAt: number | undefined, last: number): Account["changed_since"] => {
  if (changedAt === undefined || !Number.isFinite(last)) return "unknown"
  return changedAt > Math.floor(last / 1000) ? "yes" : "no"
}

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
