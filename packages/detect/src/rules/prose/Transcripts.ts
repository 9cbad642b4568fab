/** Finds passwords in commands, protocol dialogues and files whose form alone determines where the password is. */
import { isGitUser } from "../../text/Address.ts"
import { isSecretName } from "../SecretName.ts"
import { proseRule } from "./ProseRule.ts"

export const transcripts = proseRule((text) =>
  formats.flatMap(([part, pattern]) =>
    text.includes(part)
      ? [...text.matchAll(pattern)].flatMap(({ groups: { account, name } = {}, indices }) => {
          const [start, end] = indices?.groups?.["value"] ?? [0, 0]
          if (account !== undefined && isGitUser(account)) return []
          return name === undefined || isSecretName(name) ? [{ start, end, account }] : []
        })
      : []
  )
)

/**
 * A substring of every match, which may be empty, and an expression. Its group `value` is the secret; if it has a group
 * `name`, that must be the name of a secret. Most texts lack most substrings, and searching for one is much faster than
 * running an expression.
 */
const formats: ReadonlyArray<readonly [part: string, pattern: RegExp]> = [
  // The next argument of a call, or the next item of a list: `define('DB_PASSWORD', 'tiger')`.
  [",", /(["'])(?<name>[\w.-]{2,80})\1[ \t]{0,4},[ \t]{0,4}(["'])(?<value>[^"'\n]{1,256})\3/dg],
  // Options of a command: `-u jane -p tiger`, `/u:jane /p:tiger`. A number is a port.
  [
    "",
    /[ \t](?:-[ulU]|--user(?:name)?|\/u(?:ser)?)[ =:]?["']?[^\s"']{1,128}["']?[ \t](?:[^\n]{0,128}?[ \t])??(?:-[pP]|\/p(?:ass(?:word)?)?)[ =:]?["']?(?!\d{1,5}(?:\s|$))(?<value>[^\s"'-][^\s"']{2,256})/dg
  ],
  // `connect("localhost", "root", "tiger", "shop")`
  [
    "(",
    /connect\w{0,16}\([ \t]{0,8}(["'])[^"'\n]{0,256}\1,[ \t]{0,8}(["'])[^"'\n]{0,128}\2,[ \t]{0,8}(["'])(?<value>[^"'\n]{1,256})\3/dgi
  ],
  // The argument of a hash function: `user_pass = MD5('tiger')`.
  ["(", /(?<![\w.-])(?<name>[\w.-]{2,80})[ \t]{0,4}=[ \t]{0,4}\w{1,32}\([ \t]{0,4}(["'])(?<value>[^"'\n]{1,256})\2/dg],
  [
    "=",
    /\b(?:key|name|id|type)[ \t]{0,4}=[ \t]{0,4}(["'])(?<name>[\w.-]{2,80})\1[^<>]{0,256}?\bvalue[ \t]{0,4}=[ \t]{0,4}(["'])(?<value>[^"'\n]{1,256})\3/dgi
  ],
  // An input with its name after its value: `<input value="tiger" type="password">`.
  [
    "=",
    /\bvalue[ \t]{0,4}=[ \t]{0,4}(["'])(?<value>[^"'\n]{1,256})\1[^<>]{0,256}?\b(?:key|name|id|type)[ \t]{0,4}=[ \t]{0,4}(["'])(?<name>[\w.-]{2,80})\3/dgi
  ],
  // A line of `chap-secrets`: client, server, secret and address.
  [
    '"',
    /^[ \t]{0,8}\S{1,128}[ \t]{1,8}\S{1,128}[ \t]{1,8}"(?<value>[^\s"]{3,256})"[ \t]{1,8}(?:\*|\d{1,3}(?:\.\d{1,3}){3})[ \t]{0,8}$/dgm
  ],
  ["*", /^[ \t]{0,8}\S{1,128}[ \t]{1,8}\*[ \t]{1,8}(?<value>[^\s"']{3,256})[ \t]{1,8}\*[ \t]{0,8}$/dgm],
  // User and password of an OpenVPN configuration.
  ["<auth-user-pass>", /<auth-user-pass>\s{0,16}\S{1,128}[ \t]{0,8}\r?\n[ \t]{0,8}(?<value>\S{1,256})/dg],
  // A line of `.pgpass`: host, port, database, user and password.
  [
    ":",
    /^[ \t]{0,8}(?:[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}|localhost|\*):(?:\d{2,5}|\*):(?:[a-z_][\w-]{0,62}|\*):[^\s:]{1,64}:(?<value>\S{1,256})[ \t]{0,8}$/dgim
  ],
  // The answer to `Password:` in an SMTP dialogue.
  ["334 UGFzc3dvcmQ6", /^(?:S:[ \t]{0,8})?334 UGFzc3dvcmQ6[ \t]{0,8}\r?\n(?:C:[ \t]{0,8})?(?<value>\S{1,512})/dgm],
  // `AUTH tiger` in Redis, `AUTH PLAIN` in SMTP, `a1 LOGIN jane tiger` in IMAP.
  ["AUTH", /(?:^|[>#$])[ \t]{0,8}AUTH[ \t]{1,8}(?:\S{1,64}[ \t]{1,8})?(?<value>\S{3,4096})[ \t]{0,8}$/dgm],
  [
    "LOGIN",
    /^(?:C:[ \t]{0,8})?[\w.]{1,16}[ \t]{1,8}LOGIN[ \t]{1,8}["']?[^\s"']{1,128}["']?[ \t]{1,8}["']?(?<value>[^\s"']{3,256})["']?[ \t]{0,8}$/dgm
  ],
  // The QR code of a wireless network.
  ["WIFI:", /\bWIFI:(?:[TSHERAIP]{1,4}\d?:(?:\\.|[^;\\\n]){0,64};){0,6}?P:(?<value>(?:\\.|[^;\\\n]){1,128})/dg],
  // An `Authorization` header with any token.
  [
    "",
    /\bauthorization["']?[ \t]{0,8}[:=][ \t]{0,8}["']?(?:bearer|basic|token|apikey)[ \t]{1,8}(?<value>[^\s"'`<>]{6,4096})/dgi
  ],
  // `jane@example.com:tiger`, also with `;` or `|`; a value that is an address itself is another account.
  [
    "@",
    /(?<account>[^\s"'<>:;|@/]{1,64}@[^\s"'<>:;|@/]{1,253})[:;|](?!\/\/)(?![^\s"'<>]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}(?![^\s"'<>]))(?<value>[^\s"'<>]{1,512})/dgu
  ],
  ["@", /(?<![\w/:.-])(?<account>[\w.-]{2,64}):(?<value>[^\s:@/]{3,256})@(?=(?:\d{1,3}\.){3}\d)/dg]
]
