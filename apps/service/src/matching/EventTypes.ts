/**
 * The first name of a row is the event's own type, the second the `type` of a search item. Every name of its row finds
 * an event, in a filter and in `search_types`. The group comes last: `illicit_networks`, `open_web` or `leak`.
 */
const table: ReadonlyArray<readonly [type: string, shownAs: string, ...alsoFoundAs: ReadonlyArray<string>]> = [
  ["blog_post", "blog_post", "blog_content", "illicit_networks"],
  ["bot", "bot", "infected_devices", "illicit_networks"],
  ["bucket", "bucket", "buckets", "open_web"],
  ["bucket_object", "bucket_object", "buckets", "open_web"],
  ["chat_message", "chat_message", "illicit_networks"],
  ["cc", "financial_data", "illicit_networks"],
  ["credit_card", "financial_data", "illicit_networks"],
  ["docker_image", "source_code", "docker", "open_web"],
  ["docker_repository", "source_code", "docker", "open_web"],
  ["forum_post", "forum_content", "illicit_networks"],
  ["invalid_credential", "leak", "leaks"],
  ["valid_credential", "leak", "leaks"],
  ["mitigated_credential", "leak", "leaks"],
  ["leak", "leak", "leaks"],
  ["leaked_credential", "leak", "leaks"],
  ["listing", "listing", "illicit_networks"],
  ["lookalike", "domain", "domains"],
  ["lookalike_domain", "domain", "domains"],
  ["paste", "paste", "open_web"],
  ["ransomleak", "ransomleak", "illicit_networks"],
  ["ransom_leak", "ransomleak", "illicit_networks"],
  ["service", "service", "open_web"],
  ["social_media_account", "social_media", "profile", "open_web"],
  ["stealer_log", "stealer_log", "infected_devices", "illicit_networks"],
  // Types that occur only in filters.
  ["ad", "listing", "ads", "illicit_networks"],
  ["domain", "domain", "domains"],
  ["forum_profile", "profile", "forum_content", "illicit_networks"],
  ["forum_topic", "forum_content", "illicit_networks"],
  ["google", "google", "open_web"],
  ["profile", "profile", "illicit_networks"],
  ["seller", "profile", "illicit_networks"],
  ["social_media", "social_media", "open_web"],
  ["source_code", "source_code", "open_web"],
  ["source_code_files", "source_code_files", "source_code", "open_web"],
  ["source_code_secrets", "source_code", "open_web"],
  ["stack_exchange", "stack_exchange", "open_web"]
]

/** The `type` of a search item. */
export const shownType = (eventType: string): string => shown.get(eventType) ?? eventType

/** The event types that any of the names finds. Each name, also an unknown one, finds itself. */
export const typesFoundAs = (names: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(names.flatMap((name) => [name, ...typesWithName(name)]))
]

const typesWithName = (name: string) => table.flatMap(([type, ...names]) => (names.includes(name) ? [type] : []))

/** The largest group of types that contains every type which the name finds; undefined for an unknown name. */
export const groupOf = (name: string): string | undefined =>
  groups.find((group) => group === name || table.some((names) => names.includes(name) && names.at(-1) === group))

const groups = [...new Set(table.map((names) => names[names.length - 1]))]

const shown = new Map(table.map(([type, shownAs]) => [type, shownAs]))
