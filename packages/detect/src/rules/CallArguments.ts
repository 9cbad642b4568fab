/** Finds secrets in arguments of calls that log in, sign, encrypt or create a client. */
import { isGrouped, isOrdinary, isPassphrase, isUuid } from "../scoring/Placeholder.ts"
import { randomness } from "../scoring/Randomness.ts"
import { matchAt } from "../text/MatchAt.ts"
import type { Source } from "../text/Source.ts"
import { type StringLiteral, stringLiteralAt } from "../text/StringLiteral.ts"
import type { Rule } from "./Rule.ts"

/** The keywords of calls of functions. */
const callsOf = (names: string): ReadonlyArray<string> => names.split(" ").map((name) => `${name}(`)

/**
 * Calls that take a user and then a password, perhaps after a server: `smtp.login("somebody", "password")`,
 * `HTTPBasicAuth("somebody", "password")`. Anything may precede the name.
 */
export const credentialCalls: Rule = {
  id: "credential-call",
  keywords: [
    ...callsOf(
      "login withpassword login_user log_in signin sign_in authenticate authentication authenticator auth auth.basic authtokens.basic credential credentials credentials.basic credentials.new credentials::new credential]::new connect connection mysqli pdo sequelize fromdrivermanager database.forurl sql.newinstance setdblogin directoryentry add_password username_pw_set ldap.bind ldap_bind simple_bind_s wifi.begin ftp net::ftp.open imap_open ssh2_auth_password smtp.start newdialer plainclient plainauthprovider passwordauthenticationmethod authenticationtoken usmuserdata credentialsimpl changeuserpassword key_set_with_value keyring.set_password worker.worker auth="
    ),
    "fromdrivermanager[",
    "newhikaritransactor[",
    "mapnetworkdrive ",
    "basic_auth ",
    "auth = (",
    'fill("#pass',
    "fill('#pass",
    'type("#pass',
    "type('#pass"
  ],
  find: (source, start, end, report) => {
    const call = source.kind.madeUp ? null : matchAt(opening, source.text, start)
    // Arguments in tests and examples are invented.
    if (call === null) return end
    const open = start + call[0].length
    const { list, next } = argumentsAt(source, open)
    const users = new Set(list.map(({ literal, position }) => (position === 0 ? literal?.value : undefined)))
    const password = list
      .flatMap(({ literal, position }) =>
        position === 0 || literal === undefined || users.has(literal.value) || !mayBePassword(literal) ? [] : [literal]
      )
      .reduce<StringLiteral | undefined>(
        (best, literal) => (best === undefined || looksDrawn(literal) >= looksDrawn(best) ? literal : best),
        undefined
      )
    if (password === undefined) return end
    const { value } = password
    // A password of letters alone only counts in a call named login that also takes a user.
    const isLogin = /^login/i.test(call[0]) && list[0]?.literal !== undefined
    if (!isLogin && /^[A-Za-z_.-]+$/.test(value) && randomness(value) < 0.5 && !isPassphrase(value)) return end
    report({ form: "login", value, besideUser: isLogin, start: password.start, end: password.end })
    return Math.max(next, end)
  }
}

/** `jwt.sign(payload, "key")`, `new Twilio(account, "token")`: any argument that looks random. */
export const keyCalls: Rule = {
  id: "key-call",
  keywords: [
    ...callsOf(
      "client client.run client.start client.login bot.run bot.start bot.login client::new client.new cookiestore securecookie.new api::new twilio oauthhandler cookieparser fernet hmac256 hmac384 hmac512 createhmac hmac.new createcipheriv createdecipheriv jwt.sign jwt.encode jwt.verify signwith openssl_encrypt openssl_decrypt aes.new secretkeyspec hmacshakeyfor securitykey getbytes nkey aes.encrypt aes.decrypt"
    ),
    "provider :",
    "omniauth :",
    "return []byte("
  ],
  find: (source, start, end, report) => {
    if (source.kind.madeUp) return end
    const call = source.text.slice(start, end)
    const { list, next } = argumentsAt(source, end)
    // The first argument is the plaintext, not a key.
    const literals = list.flatMap(({ literal, position }) =>
      literal === undefined || literal.composed || (position === 0 && encryption.test(call)) ? [] : [literal]
    )
    // A client id precedes the secret.
    for (const { end, start, value } of identified.test(call) && literals.length > 1 ? literals.slice(1) : literals) {
      if (value.length < 16 || !drawn.test(value) || accountId.test(value) || isUuid(value)) continue
      if (randomness(value) >= 0.5) report({ form: "token", value, kind: "generic-secret", start, end })
    }
    const key = signing.test(call) ? list.at(/^jwt/i.test(call) ? 1 : 0)?.literal : undefined
    if (key !== undefined && isChosen(key))
      report({ form: "login", value: key.value, kind: "generic-secret", start: key.start, end: key.end })
    return Math.max(next, end)
  }
}

const encryption = /encrypt|decrypt/i
const identified = /^(?:provider|omniauth|twilio|oauthhandler)/i
/** An argument of these calls, the second one for a JWT, is a key, possibly one that a person chose. */
const signing = /^(?:jwt\.|cookieparser)/i
const isChosen = (literal: StringLiteral): boolean =>
  mayBePassword(literal) && (isPassphrase(literal.value) || !/^[A-Za-z_.-]+$/.test(literal.value))

/** `Convert.FromBase64String("…")`: a key in source code, recognized by its length. */
export const decodedKeys: Rule = {
  id: "decoded-key",
  keywords: callsOf("frombase64string getdecoder().decode b64decode decode_base64 base64_decode decodestring"),
  find: (source, _start, end, report) => {
    const literal = source.kind.madeUp ? undefined : stringLiteralAt(source.text, end, source.kind)
    if (literal === undefined || literal.composed || !keyInBase64.test(literal.value)) return end
    const { next, start, value } = literal
    if (randomness(value) >= 0.5) report({ form: "token", value, kind: "generic-secret", start, end: literal.end })
    return next
  }
}

/** Base64 of 16, 24, 32, 48 or 64 bytes. */
const keyInBase64 = /^(?:[\w+/]{22}==|[\w+/]{32}|[\w+/]{43}=|[\w+/]{64}|[\w+/]{86}==)$/

/**
 * The name of a call, perhaps with type arguments, up to its first argument; Ruby allows a space instead of the
 * parenthesis.
 */
const opening =
  /(?<!o(?=auth))[\w.:\]]{1,40}(?:\[[\w, ]{0,40}\]|[ \t]?=[ \t]?)?(?:\(|[ \t]+(?=["'][^"'\n]*["'],))[ \t]*/iy

/** Characters that occur in keys. */
const drawn = /^[\w+/=.~:!@#$%^&*-]+$/
/** Public ids: a Twilio account, a GitHub app. */
const accountId = /^[A-Z]{2}[\da-f]{32}$|^Iv(?:1\.|23)\w{16}$|^Ov23\w{16}$/

/**
 * Whether the literal may be a password: one word, groups or a passphrase, but no host, address or content type, which
 * may be other arguments of the call.
 */
const mayBePassword = ({ composed, value }: StringLiteral): boolean =>
  !composed &&
  value.length >= 4 &&
  value.length <= 64 &&
  (!/\s|^jdbc:/.test(value) || isGrouped(value) || isPassphrase(value)) &&
  !isOrdinary(value)

const looksDrawn = ({ value }: StringLiteral): number =>
  randomness(value) + (/\d/.test(value) ? 1 : 0) + (/[^A-Za-z\d]/.test(value) ? 0.5 : 0)

interface Argument {
  readonly position: number
  /** Undefined if the argument is an expression or a named argument. */
  readonly literal: StringLiteral | undefined
}

/** The first arguments of a call; `open` is the offset after its parenthesis. */
const argumentsAt = (
  { kind, text }: Source,
  open: number
): { readonly list: ReadonlyArray<Argument>; readonly next: number } => {
  const list: Array<Argument> = []
  let next = open
  for (let position = 0; position < maxArguments; position++) {
    next += matchAt(wrapping, text, next)?.[0].length ?? 0
    const literal = stringLiteralAt(text, next, kind)
    if (literal !== undefined) next = literal.next
    list.push({ position, literal })
    next += matchAt(rest, text, next)?.[0].length ?? 0
    if (text.charAt(next) !== ",") return { list, next }
    next++
  }
  return { list, next }
}

const maxArguments = 7
/** Spaces, comments and a call that only converts the literal. */
const wrapping =
  /(?:\s|\/\/[^\n]{0,120}(?=\n)){0,60}(?:(?:Some|String|str|bytes|Buffer\.from|\[\]byte|new String|(?:[\w.]+\.)?(?:decode|FromBase64String))\(\s{0,10}(?=[bru@]?["'`]))?/y
/** The rest of an argument: an expression without commas in parentheses, an object, or a conversion of the literal. */
const rest = /(?:[^,()"'`\n;{}]|\([^(),"'`\n]{0,60}\)|\)(?=[,)]|\.\w)|\{[^{}\n]{0,200}\}){0,120}/y
