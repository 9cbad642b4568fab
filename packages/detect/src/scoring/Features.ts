/** Computes features of a value, its context and its file: numbers that are multiplied by weights. */
import type { FileKind } from "../text/FileKind.ts"
import type { Source } from "../text/Source.ts"
import { maxValue } from "../text/StringLiteral.ts"
import type { DrawnForm, Evidence, Form, TypedForm } from "./Evidence.ts"
import {
  isCountedInPart,
  isGrouped,
  isMember,
  isPassphrase,
  isPlaceholder,
  isSecretsName,
  isSpacedRandom,
  isUuid,
  isWeak,
  isWord
} from "./Placeholder.ts"
import { randomness, surprise } from "./Randomness.ts"

/** The group of a value. Each feature has separate weights for passwords, tokens and values with a known format. */
export type Group = "typed" | "drawn" | "marked"

/** Features by name; an absent feature is 0. Most are 1 if present; the others are between -1 and 2. */
export type Features = ReadonlyArray<readonly [name: string, value: number]>

export const groupOf = (form: Form): Group => (isTyped(form) ? "typed" : isDrawn(form) ? "drawn" : "marked")

export const featuresOf = (source: Source, evidence: Evidence): Features => {
  const { bare, besideUser, form, indirect, localHost, name = "", start } = evidence
  const value =
    isGrouped(evidence.value) || isSpacedRandom(evidence.value) ? evidence.value.replaceAll(" ", "") : evidence.value
  const { kind, text } = source
  const group = groupOf(form)
  const features: Array<readonly [string, number]> = [[form, 1]]
  const add = (feature: string, weight: number | boolean | undefined) => {
    if (weight !== false && weight !== undefined && weight !== 0) features.push([`${group}.${feature}`, Number(weight)])
  }
  const inTestModule = isInTestModule(source, start)
  add("made-up", kind.madeUp || inTestModule)
  add("prose", kind.prose)
  const before = source.lineBefore(start, 120)
  add("example-nearby", example.test(before))
  const isComment =
    kind.format === "code" &&
    ((comment.test(before) && !isCommentedOut(source, before, evidence)) || isInDocstring(source, start))
  add("comment", isComment)
  if (group === "marked") {
    if (form === "provider-token" || form === "loose-format" || form === "key-id") {
      const parts = partsOf(value)
      add("counted", isCountedInPart(value) || sameDigits.test(value) || hasFrequentCharacter(value))
      add("not-random", form === "provider-token" && parts.every((part) => randomness(part) < 0.2))
      add(
        "placeholder",
        parts.some((part) => part.length > value.length / 2 && isPlaceholder(part))
      )
    }
    add("lone", form === "key-id" && kind.format !== "code" && !hasSecretBeside(text, start))
    // Keys and JSON Web Tokens in tests and documentation are invented. A key file, however, may be named an example
    // and still be in use.
    const inTest = isComment || inTestModule || kind.belowMadeUp || (kind.madeUp && kind.format === "code")
    add("key-in-made-up", inTest && (form === "private-key" || form === "jwt"))
    return features
  }

  const random = randomness(value)
  const shape = shapeOf(value, random)
  if (group === "typed" && kind.credentials) {
    // A value in such a file is in use, even a plain word.
    add("credentials", 1)
    add("credentials.word", shape === "word")
    return features
  }
  // A plain word after a user is a password, however simple it is.
  if (besideUser === true && (shape === "letters" || shape === "words")) {
    add("beside-user", 1)
    return features
  }
  add(shape, 1)
  add("counted", isCountedInPart(value))
  // Halfway between words of source code and random letters.
  if (shape === "letters" || shape === "words") add("surprise", Math.max(-1, Math.min(1, surprise(value) - 7)))
  // Signs instead of letters, as in `P@$$w0rd`, do not make a word random.
  if (shape !== "weak") add("randomness", random)
  add("length", random < 0.5 ? 0 : Math.max(-1, Math.min(2, Math.log2(value.length / 12))))
  const classes = classesOf(value)
  add("classes", (classes - 2) / 2)
  // Passwords that people choose to satisfy a policy.
  add("inner-digit", shape === "mixed" && /[A-Za-z]\d+[A-Za-z]/.test(value))
  add("chosen", shape === "mixed" && classes === 4)
  add("numbered", shape === "mixed" && numbered.test(value))
  add("padded", random >= 0.5 && value.length % 4 === 0 && /[^=]==?$/.test(value))
  add("indirect", indirect)
  add("bare", bare === true && !kind.settings)
  add("labels", kind.labels)
  add("local-host", localHost)
  if (kind.settings) {
    add("settings", 1)
    add(`settings.${shape}`, 1)
  }
  if (form === "password" || form === "token" || form === "key") {
    add("says-its-name", saysItsName(value, name) && !(kind.settings && /\d/.test(value)))
  }
  if (group === "drawn") {
    add("member", isMember(value))
    add("prefixed", form === "perhaps" && prefixed.test(name))
    add("hexadecimal", hexadecimal.test(value))
    add("uuids", shape === "uuid" && (form === "header" || drawsUuids(kind, name) || givesAccess.test(name)))
  } else {
    add("short", value.length < 6)
    add("capital", /^\p{Lu}\p{Ll}+$|^\p{Lu}+$/u.test(value))
    add("elsewhere", shape === "letters" && standsElsewhere(text, value, start))
  }
  return features
}

const typedForms: ReadonlySet<Form> = new Set<TypedForm>([
  "password",
  "login",
  "url",
  "column",
  "credential-file",
  "kubernetes"
])
const drawnForms: ReadonlySet<Form> = new Set<DrawnForm>(["token", "key", "perhaps", "header", "token-file"])
const isTyped = (form: Form) => typedForms.has(form)
const isDrawn = (form: Form) => drawnForms.has(form)

/** The appearance of a value, as a single label. */
type Shape = "uuid" | "weak" | "word" | "passphrase" | "phrase" | "digits" | "random" | "letters" | "words" | "mixed"

const shapeOf = (value: string, random: number): Shape => {
  if (isUuid(value)) return "uuid"
  if (isWeak(value)) return "weak"
  if (isWord(value) || isSecretsName(value)) return "word"
  if (isPassphrase(value)) return "passphrase"
  if (/\s/.test(value)) return "phrase"
  if (/^\d+$/.test(value)) return "digits"
  if (random >= 0.5) return "random"
  if (/^\p{Lu}?\p{Ll}+$|^\p{Lu}+$|^\p{Lo}+$/u.test(value)) return "letters"
  return /^[A-Za-z]+(?:[-_.: ][A-Za-z]+)*$/.test(value) ? "words" : "mixed"
}

const classesOf = (value: string): number =>
  Number(/[a-z]/.test(value)) +
  Number(/[A-Z]/.test(value)) +
  Number(/\d/.test(value)) +
  Number(/[^A-Za-z\d]/.test(value))

/** Whether the value is a name in code: `newPassword`, `password-input`, `user_pass`. */
export const isIdentifier = (value: string): boolean =>
  !isPassphrase(value) &&
  /^[a-z]+(?:[A-Z][a-z]+)+$|^[a-z]+(?:[_-][a-z]+)+$|^[A-Z][a-z]+(?:[A-Z][a-z]+)*$|^[a-z]+$|^[A-Z]+$/.test(value)

/** Whether the value repeats its name, perhaps with another word: `apiKey: "api-key"`, `token = "some_token"`. */
const saysItsName = (value: string, written: string): boolean => {
  const bare = (text: string) => text.toLowerCase().replace(/[^a-z]/g, "")
  const bareValue = bare(value)
  const last = bare(written.slice(written.lastIndexOf(".") + 1))
  if (bareValue.length < value.length * 0.75 || bareValue === "") return false
  if (bareValue.length >= 8 && last.endsWith(bareValue)) return true
  return bareValue === last || (last.length > 3 && bareValue.length <= last.length + 6 && bareValue.includes(last))
}

/**
 * Whether the word also occurs elsewhere in the text, as the name of a user, a database or an image: then it is a
 * default.
 */
const standsElsewhere = (text: string, value: string, from: number): boolean => {
  const near = text.slice(Math.max(0, from - neighbourhood), from + neighbourhood)
  let tries = 0
  for (let at = near.indexOf(value); at >= 0 && tries < 20; at = near.indexOf(value, at + value.length)) {
    const before = near.slice(Math.max(0, at - 40), at)
    const isItself = at === Math.min(from, neighbourhood)
    if (!isItself && !/pass|pwd|secret|token|key/i.test(before.slice(before.lastIndexOf("\n") + 1))) return true
    tries++
  }
  return false
}

/** How far before and after a value its other occurrences are searched, in characters. */
const neighbourhood = 10_000

/** Whether the offset is within triple quotes, in which Python and other languages write documentation. */
const isInDocstring = (source: Source, at: number): boolean => {
  if (!/\.(?:py|ex|exs|jl|nim)$/.test(source.kind.name)) return false
  const quotes = tripleQuotes(source)
  const to = firstAfter(quotes, at)
  const last = quotes[to - 1] ?? -maxDocstring
  const count = to - firstAfter(quotes, at - maxDocstring)
  const isOwn = at - last <= maxValue && ownQuotes.test(source.text.slice(Math.max(0, last - 40), at))
  return (count - (isOwn ? 1 : 0)) % 2 === 1
}

/** Whether the offset is in a Rust test: in a test module, or in a test function between other functions. */
const isInTestModule = (source: Source, at: number): boolean => {
  if (!source.kind.name.endsWith(".rs")) return false
  const { modules, functionEnds, functions } = rustTests(source)
  if (firstAfter(modules, at) > 0) return true
  // A function outside a module ends at the first line that begins with a brace.
  const test = functions[firstAfter(functions, at) - 1]
  return test !== undefined && firstAfter(functionEnds, test) === firstAfter(functionEnds, at)
}

/**
 * Computes a value once per source, at its first use: reading the whole text for each candidate takes quadratic time.
 */
const oncePerSource = <A>(compute: (text: string) => A): ((source: Source) => A) => {
  const known = new WeakMap<Source, A>()
  return (source) => {
    const value = known.get(source) ?? compute(source.text)
    known.set(source, value)
    return value
  }
}

const offsetsOf = (text: string, pattern: RegExp): ReadonlyArray<number> =>
  Array.from(text.matchAll(pattern), ({ index }) => index)

const tripleQuotes = oncePerSource((text) => offsetsOf(text, /"""|'''/g))

const rustTests = oncePerSource((text) => ({
  /** The `cfg(test)` attribute of each test module; other attributes may follow. */
  modules: offsetsOf(
    text,
    /#\[cfg\((?:test\)|all\(test[^\n]{0,100}\))\]\s{1,80}(?:#!?\[[^\n]{0,100}\]\s{1,80}){0,4}(?:pub(?:\([a-z]+\))?\s{1,80})?mod\s/g
  ),
  functions: offsetsOf(text, /\n#\[test\]/g),
  functionEnds: offsetsOf(text, /\n\}/g)
}))

/** The index of the first number that is not less than `limit`. */
const firstAfter = (ascending: ReadonlyArray<number>, limit: number): number => {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? limit) < limit) low = middle + 1
    else high = middle
  }
  return low
}

/** The opening triple quotes of the value itself, after a name, perhaps with other values on lines before it. */
const ownQuotes = /[=(:,]\s{0,20}[bru]?(?:"""|''')(?:[ \t]{0,40}(?:\S{1,200}[ \t]{0,40})?\r?\n){0,50}[ \t]{0,40}$/i

const maxDocstring = 20_000

/** Whether the comment is a statement that was commented out, not documentation. */
const isCommentedOut = (source: Source, before: string, { start, value }: Evidence): boolean => {
  if (!statement.test(before)) return false
  const { kind, lineEnd, lineStart, text } = source
  const end = start + value.length
  const after = text.slice(end, Math.min(lineEnd(start), end + 40))
  if (!(endsWithSemicolon.test(kind.name) ? endOfStatement : endOfLine).test(after)) return false
  let lineAt = lineStart(start)
  for (let lines = 0; lines < maxLinesAbove && lineAt > 0; lines++) {
    const from = Math.max(lineStart(lineAt - 1), lineAt - 200)
    const above = text.slice(from, lineAt - 1)
    if (introduction.test(above)) return false
    if (!comment.test(above)) break
    lineAt = from
  }
  return true
}

const statement =
  /^\s*(?:\/\/(?![/!])|\/\*(?!\*)|#|--)\s*(?:(?:export|const|let|var|val|final|private|public|protected|static|def|local|my|our|return|await|new|set|define|string|char|auto)\b.*|\$?[\w.$[\]"'()>-]{1,80}\s*(?::=|=>|=|:)\s*.*|[\w.$>-]{1,80}\(.*)$|^\s*<!--\s*<[a-z].*$/i
const endOfLine = /^["'`)\]};, \t]*(?:\*\/|\/?>.{0,20}-->)?\s*$/
const endOfStatement = /^["'`)\]} \t]*[;,][;,)\]} \t]*(?:\*\/)?\s*$/
const endsWithSemicolon = /\.(?:java|cs|c|h|cc|cpp|hpp|php|rs|m|mm|dart|pl|sol)$/
/** A line of the comment above the statement that is empty or introduces an example. */
const introduction = /^\s*(?:\/\/|\*|#|--)\s*(?:$|.*(?:example|e\.g\.|usage|such as|for instance|:\s*$))/i
const maxLinesAbove = 10

const comment = /^\s*(?:\/\/|\/?\*|#(?![\w{[])|--|;|<!--|"""|\(\*)/
const example = /example(?!\.[a-z])|sample|dummy|fake|placeholder|mock|(?:^|[^a-z])test(?:[^a-z]|$)/i

/**
 * Whether the secret of a key id is nearby: the word `secret`, or 30 to 40 characters, the length that AWS and Alibaba
 * use.
 */
const hasSecretBeside = (text: string, at: number): boolean =>
  /secret|(?<![\w/+])[\w/+]{30,40}(?![\w/+=])/i.test(text.slice(Math.max(0, at - besideId), at + besideId))

const besideId = 300

/** The whole token, its parts, and its end from the first digit on: the provider's prefix may look like a word. */
const partsOf = (value: string): ReadonlyArray<string> =>
  [value, ...value.split(/[-_.:]/), value.slice(Math.max(0, value.search(/\d/)))].filter((part) => part.length >= 6)

/** `acmeKey`, `acme_key`: a qualified name, which means more than `key` alone. */
const prefixed = /[a-z\d]{3}[_.-]?keys?$/i
/** Words and a number of at least three digits, perhaps with a sign: names in code rarely end like this. */
const numbered = /[A-Za-z]{4}[-_.@#]?\d{3,6}[!?.*#@$%&+=-]?$/
/** Six equal digits in a row, which are very rare in random tokens. */
const sameDigits = /(\d)\1{5}/
/**
 * Whether one character makes up more than a fifth of a long value, such as base64 of zeros that has the prefix of a
 * token.
 */
const hasFrequentCharacter = (value: string): boolean => {
  if (value.length < 60) return false
  const counts = new Map<string, number>()
  // The tokens of two providers have a run of one letter, at their beginning and before `SAZDO`.
  for (const character of value.replace(/^A{16,}|A{8,}(?=SAZDO)/, ""))
    counts.set(character, (counts.get(character) ?? 0) + 1)
  return Math.max(...counts.values()) * 5 > value.length
}
const hexadecimal = /^[\da-f]+$/i

/** Whether the name is that of a provider whose keys are UUIDs, or an environment variable, such as `ACME_KEY`. */
export const drawsUuids = ({ settings }: FileKind, name: string): boolean =>
  keysAreUuids.test(name) || (settings && keyVariable.test(name))

const keyVariable = /^(?!.*KMS)(?:[A-Z\d]+_)*[A-Z\d]{3,}_KEY$/
const keysAreUuids =
  /heroku|railway|render|fly_?io|linode|sentry_?dsn|postman|airbrake|honeybadger|pingdom|statuspage|vonage|mollie|zoom|snyk|hubspot|kucoin|squarespace|sendbird|messagebird|postmark|opsgenie|codacy|scaleway|scw|codecov|npm|consul|nomad|vault|mailjet|sauce|loggly|deepl|cloudmersive|elastic|blocknative|bugsnag|anypoint|urlscan|logz|onesignal|pubnub|launchdarkly|unleash|service[_-]?token|secret[_-]?id$/i
/** Names of UUIDs that are secrets, not just ids: `api_key`, `webhookSecret`, `auth-token`, an option `--token`. */
const givesAccess =
  /secret$|(?<!(?:request|client|correlation|idempotency|transaction|operation|lock|lease|upload|version)[_-]?)token$|(?:api|auth|access|secret|private|encryption|signing|master|subscription|license)[_-]?(?:key|token)s?$/i
