/** Recognizes values that are not secrets: references, placeholders, encrypted values, paths, digests. */
import { anyOf, isMatch } from "../text/MatchAt.ts"
import { randomness } from "./Randomness.ts"

/** Whether the value refers to the place of the secret, or is an expression that evaluates to it. */
export const isReference = (value: string): boolean =>
  // The long expressions need a character other than letters and digits; this check saves compiling them.
  !plain.test(value) && (reference.test(value) || upperCaseName.test(value))

const plain = /^[A-Za-z\d]*$/

/**
 * Whether the value is a member expression, such as `config.password` or `Settings::Token`, unless it ends like a
 * password that a person chose: `Falcon.river68`, `orange.cloud3148`.
 */
export const isMember = (value: string): boolean =>
  !isNumberedByPeople(value) &&
  !isPassphrase(value) &&
  /^[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+(?:[([].*)?[;,]?$/.test(value)

/** Whether the value ends in digits, other than the size of a key or a digest, as in `Algorithms.sha256`. */
const isNumberedByPeople = (value: string): boolean =>
  /\d\d[a-z]?$/.test(value) &&
  (/[A-Z]/.test(value) || /[A-Za-z]\d{3,6}$/.test(value)) &&
  !/[A-Za-z](?:128|160|192|224|256|384|512|1024|2048|4096)$/.test(value)

/**
 * Whether the value is four to eight words from a list, `umbrella-wizard-bramble-lake`, perhaps with a number at the
 * end. Unlike names and sentences, a passphrase has no words about secrets or forms, and no function words.
 */
export const isPassphrase = (value: string): boolean =>
  (wordsOfPassphrase.test(value) || capitalisedWords.test(value)) &&
  value.split(/[-_. ]|\d+$/).every((word) => !ofNames.test(word.toLowerCase()))

/**
 * Whether the value is two or three words, `velvet harbour`, `winter Palace9`. Only counts in positions where nothing
 * but a password is possible.
 */
export const isWordPair = (value: string): boolean =>
  wordPair.test(value) && value.split(/[ \d]/).every((word) => !ofNames.test(word.toLowerCase()))

const wordPair = /^[A-Za-z]{4,12}(?: [A-Za-z]{4,12}){1,2}\d{0,4}$/

/**
 * Whether the value is an app password as it is displayed, `xkqz bvtw pjmr hlfd`: at least four groups of four random
 * characters. With mixed case, as in WordPress, it needs a digit: `x9Qw Lm2V t7Kp 4RbZ hN3c Yd8s`.
 */
export const isGrouped = (value: string): boolean =>
  /^(?:[a-z\d]{4}(?: [a-z\d]{4}){3,7}|[A-Z\d]{4}(?: [A-Z\d]{4}){3,7}|(?=.*\d)[A-Za-z\d]{4}(?: [A-Za-z\d]{4}){3,7})$/.test(
    value
  ) && randomness(value.replaceAll(" ", "")) >= 0.5

/** Whether the value is several words, at least half of them random: `Vq7m Xt92LkPw`. */
export const isSpacedRandom = (value: string): boolean => {
  if (!value.includes(" ")) return false
  const parts = value.split(" ")
  if (parts.includes("") || /[:,;](?: |$)|[a-z]=/i.test(value)) return false
  const drawn = parts.filter((part) => /[A-Za-z]\d+[A-Za-z]|\d[A-Za-z]+\d/.test(part)).length
  const mixed = parts.filter((part) => /^[A-Z]*[a-z]+[A-Z]/.test(part)).length
  return drawn > 0 && (drawn + mixed) * 2 >= parts.length && randomness(parts.join("")) >= 0.5
}

const wordsOfPassphrase = /^[a-z]{3,12}([-_. ])[a-z]{3,12}(?:\1[a-z]{3,12}){2,6}\1?\d{0,4}$/
/** Only spaces may separate capitalized words: with other separators, they are a namespace or a header. */
const capitalisedWords = /^[A-Z][a-z]{2,11}(?: [A-Z][a-z]{2,11}){3,7} ?\d{0,4}$/
const ofNames =
  /pass|secret|token|auth|cred|user|admin|login|account|config|setting|input|button|title|message|error|invalid|valid|page|^(?:key|name|email|form|field|label|query|body|hash|header|client|access|api|session|signature|root|test|value|public|private|the|and|for|not|too|must|with|your|has|are|you|this|that|than|one|new|old|app|svc|com|org|net|dev|prod|staging|live|service|server|database|cluster|default|main|core|data|type|mode|file|text|list|item|view|row|col|size|min|max|long|short|strong|weak|least|characters?|empty|required)$/

/** Whether the value is a placeholder, to be replaced later or in an example. */
export const isPlaceholder = (value: string): boolean => isWord(value) || isTemplate(value)

/** Whether the value is a word for a secret, or a common default such as `admin`. */
export const isWord = (value: string): boolean => words.has(value.toLowerCase().replace(/[^a-z0-9]/g, ""))

/**
 * Whether the value is the name of a secret, `db_password`, `kafka-root-password`, `jiraToken`, `Tunnel-Password`, or
 * only the prefix of a token: `n8n_api_`.
 */
export const isSecretsName = (value: string): boolean => secretsName.test(value)

const secretsName =
  /^(?:[\w-]+:)?[a-z][a-z\d]*(?:[_-][a-z\d]+)*[_-](?:password|passwd|pass|pwd|pw|secrets?|token|key|credentials?)$|^[a-z]+\d?(?:[A-Z][a-z]+)*(?:Password|Passwd|Pwd|Secrets?|Token|Key|Credentials?)$|^[a-z][a-z\d]*(?:_[a-z\d]+)+_$|^[A-Z]\w*(?:[-.][A-Z\d]\w*)*[-.](?:Password|PW|Secret|Key)$/

/** Whether the value is a regular expression, as in configurations of scanners, validators and routers. */
export const isPattern = (value: string): boolean => pattern.test(value)

const pattern =
  /\[(?=\^?[^\]\s]{0,40}(?:\w-\w|\\[dws]))[^\]]{1,80}\](?:[+*?]|\{\d)|\(\?[a-zA-Z<:=!]|\\[dws](?:[+*?]|\{\d)|^\.\*|\.\*$|[.)]\{\d+(?:,\d*)?\}|^\^?\(?\[\^.+\][+*?]?\)?\$?$/

/** Whether the value has the form of a placeholder: `your-token`, `<password>`, `xxxx`, `abcdef123456`. */
export const isTemplate = (value: string): boolean => {
  const lower = value.toLowerCase()
  return (
    value.includes("EXAMPLE") ||
    placeholder.test(lower) ||
    /x{4,}|X{4,}/.test(value) ||
    beginsAsPlaceholder(value) ||
    isRepeated(value) ||
    isCounted(value) ||
    hasFewer(lower, Math.min(4, value.length / 2))
  )
}

/**
 * Whether the value begins with an instruction, `myapikey`, `your-token`. A random value may begin with the same
 * letters by chance.
 */
const beginsAsPlaceholder = (value: string): boolean => {
  const start = instruction.exec(value)?.[0]
  if (start === undefined) return false
  const rest = value.slice(start.length)
  return /[\W_]/.test(start) || rest.length < 10 || randomness(rest) < 0.5
}

const instruction =
  /^(?:your|my|the|some|any|insert|enter|put|replace|change|add|set|fill|use|paste|provide)[\W_]?(?:own|secret|super|real|new|actual|api|app|access|auth|aws|azure|db|database|client|private|github|gitlab|google|slack|stripe|user|pass|token|key|password|strong|random|me|this|here|it|in|with|value)/i

/** Whether the value is on common lists of weak passwords: it may be in use, but its leak says little. */
export const isWeak = (value: string): boolean => {
  const lower = value.toLowerCase()
  if (weak.has(lower)) return true
  const [, spelt = "", number = ""] = !isWord(lower) ? (wordAndNumber.exec(lower) ?? []) : []
  const word = spelt.replace(/[^a-z]/g, (sign) => letters.get(sign) ?? sign)
  return (
    word.length >= 3 &&
    words.has(word) &&
    ("1234567890".startsWith(number) ||
      /^(?:\d\d?|(\d)\1{2,3}|(?:19|20)\d\d|1433|1521|3306|5432|5672|6379|8080|9200|27017)$/.test(number))
  )
}

/**
 * A listed word, perhaps with signs for letters, and a short or consecutive number, or a port: `P@$$w0rd!`, `minio123`,
 * `Admin12345`.
 */
const wordAndNumber = /^([a-z@$01345]{1,40}?)[-_.@#]?(\d{0,40})[!?.*#=]?$/
const letters: ReadonlyMap<string, string> = new Map(
  ["@a", "$s", "0o", "1i", "3e", "4a", "5s"].map(([sign = "", letter = ""]) => [sign, letter])
)

/**
 * Whether the value is public: its vendor published it, for example for an emulator or a tutorial, or every web page
 * that uses it shows it.
 */
export const isPublic = (value: string): boolean =>
  beginningsOfPublished.has(value.slice(0, 3)) && published.some((start) => value.startsWith(start))

/** Whether the value is a fragment of code or of a sentence, which an unbalanced quote causes. */
export const isFragment = (value: string): boolean => (code.test(value) && hasWords(value)) || isSentence(value)

/** Whether the value has fewer than `least` different characters. */
const hasFewer = (value: string, least: number): boolean => {
  let seen = ""
  for (const character of value) {
    if (seen.includes(character)) continue
    seen += character
    if (seen.length >= least) return false
  }
  return true
}

const hasWords = (value: string): boolean =>
  (value.match(/[a-z]{4,}|\p{Lo}{2,}/gu)?.join("").length ?? 0) * 4 >= value.length

const isSentence = (value: string): boolean => {
  const parts = value.split(/\s+/)
  return (
    parts.length > 1 &&
    parts.filter((part) => /^["'(¿¡]*\p{L}[\p{L}'’]*["')]*[.,:;?!]*$/u.test(part)).length * 2 >= parts.length
  )
}

const code =
  /^(?:'\w+'|"\w+")\W*$|[)\]}]\s*[,;)?:&|{.]|=>|\(\)|[=!]==?(?!$|=$)|&&|\|\||["'`]\s*\+|\+\s*["'`]|^\s*\+ |^["']? ?\. ?\$\w|\$\w+ \. ["']?$|\s\|\s|\b(?:function|return|typeof|const|await)\b[ (]|^[A-Za-z_$]+(?:\.[\w$]+)*[:?](?!\d\d$)[A-Za-z_]*\d?$/

/** Prefixes of published values. Only prefixes, so that no file of this repository contains such a value. */
export const published = [
  "pk_live_",
  "pk_test_",
  // The public token of a map service: base64 of `{"u"` after the prefix.
  "pk.eyJ1Ijoi",
  "Eby8vdM02xNOcqFlqUwJPLlmEt",
  "C2y6yDjf5/R+ob0N8A7Cgv30VR",
  // The accounts of Ethereum development networks, which derive from a public seed.
  "0xac0974bec39a",
  "0x59c6995e998f",
  "0x5de4111afa1a",
  "0x7c852118294e",
  "0x47e179ec1974",
  "0x8b3a350cf5c3",
  "0x92db14e403b8",
  "0x4bbbf85ce337",
  "0xdbda1821b805",
  "0x2a871d0798f9",
  "0xf214f2b2cd39",
  "0x701b615bbdfb",
  "0xa267530f49f8",
  "0x47c99abed332",
  "0xc526ee95bf44",
  "0x8166f546bab6",
  "0xea6c44ac03bf",
  "0x689af8efa8c6",
  "0xde9be858da4a",
  "0xdf57089febba",
  "AKIAIOSFODNN7",
  "ASIAIOSFODNN7",
  "wJalrXUtnFEMI/K7MDENG",
  "JBSWY3DPEHPK3PXP",
  "GEZDGNBVGY3TQOJQ",
  // JSON Web Keys of RFC 7515, 7517 and 8037.
  "AyM1SysPpbyDfgZld3umj1qz",
  "jpsQnnGQmL-YBIffH1136csp",
  "870MB6gfuTJ4HtUnUvYMyJpr",
  "X4cTteJY_gn4FYPsXB8rdXix",
  "GawgguFyGrWKav7AX4VKUg",
  "nWGxne_9WmC6hEr0kuwsxERJ",
  // Tokens in the documentation of GitHub's API.
  "gho_16C7e42F292c6912E771",
  "ghu_16C7e42F292c6912E771",
  "ghp_16C7e42F292c6912E771",
  "ghr_1B4a2e77838347a7E420",
  "ghs_16C7e42F292c6912E771"
]

/** A quick check: few values have one of these beginnings. */
const beginningsOfPublished: ReadonlySet<string> = new Set(published.map((start) => start.slice(0, 3)))

/** Whether the value is encrypted, so that it is useless without the key. */
export const isEncrypted = (value: string): boolean => encrypted.test(value)

/** Whether the value has the length of a digest without a salt, such as MD5 or SHA-256. */
export const isDigest = (value: string): boolean =>
  /^[\da-f]+$/i.test(value) && [32, 40, 56, 64, 96, 128].includes(value.length)

export const isUuid = (value: string): boolean => uuid.test(value)

/** Whether the value is a path, a file, a URL without a password, a host, a version, an address, a date or a colour. */
export const isOrdinary = (value: string): boolean =>
  ordinary.test(value) ||
  publicKey.test(value) ||
  (relativePath.test(value) && randomness(value) < 0.8) ||
  (absolutePath.test(value) && (randomness(value) < 0.8 || wordInPath.test(value)))

/** Base64 also contains slashes, and may begin with one, so a path must consist of likely words. */
const relativePath = /^[\w.@-]+(?:\/[\w.@*-]+)+\/?$/
const absolutePath = /^(?:\.{0,2}|~|[A-Za-z]:)[\\/][\w.@\\/: -]*$/
const wordInPath = /(?:^|[\\/])[a-z]{3,}(?=[\\/]|$)/

/**
 * A recipient of age, a public key of NATS (private ones begin with other characters), a point on P-256, and a client
 * token of Datadog.
 */
const publicKey = /^age1[02-9ac-hj-np-z]{58}$|^[UAONCX][A-Z2-7]{55}$|^B[A-P][\w-]{85}=?$|^pub[\da-f]{32}$/

const uuid = /^\{?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\}?$/i

const reference = anyOf([
  /^["']?\\?\$[\w{([$]/,
  // A command, an interpolation, a mark of a deployment tool.
  /\$\([^)]*(?:[)\s]|$)|#\{[\w.@:'"[\]() -]+\}|^(?<mark>#{1,4}|~{2,4}|%{2})[\w.-]+\k<mark>$|^@Microsoft\.\w+\(|^\(\([\w./-]+\)\)$/,
  /^[$#@]?\{/,
  // A template such as `{{ name }}`, whole or cut off at a blank on either side.
  /\{\{[^{}]*\}\}|^["']?[\w.:/-]*\{\{[-~#^]?(?:[\w\s.$"']*|\s(?:(?!\}\}).)*)$|^\s*[\w.()$"']+\s*\}\}/,
  /\$\{[#!]?[\w.-]+(?:[:?+=[(|,/^%@"'*&\s-][^}]*)?\}|\$\{[\w.]+\[?$/,
  /^new \$?[\w.]+\(|^["']?\s*\.\s*\$\w/,
  // An element: `sys.argv[2]`, `params["token"]`.
  /^[A-Za-z_]\w*(?:\.\w+)*\[(?:\d{1,2}|["'][\w-]+["'])\]$/,
  // An element of a list of arguments or fields, possibly with a variable index or cut off at a blank.
  /^(?:[\w.]+\.)?(?:argv|ARGV|args|Args|arguments|params|parts|fields|values|lines|tokens|words|matches|row|argument_list)\[[\w.$+-]*\]?$/,
  // A type: `list[Name]`, `Optional<Name>`.
  /^(?:[Ll]ist|[Dd]ict|[Mm]ap|[Aa]rray|[Ss]et|[Tt]uple|[Oo]ptional|Option|Vec|Sequence|Iterable|Record|Promise)(?:\[[\w.,\s[\]]+\]|<[\w.,\s<>]+>)$/,
  /^%(?:[\w.-]+|env\([\w:.-]+\))%|^%[\w.]+\(|%\(\w+\)s|^%\(\w+\)|^%[svd]$|^%\w?[{[]/,
  /^<[%?]/,
  // A field with an empty default, `16s=b""`, and the beginning of one.
  /=[bru]?(?:""|'')$|^\w+=["']$/,
  // A type assertion of Go.
  /^\w+(?:[.[][\w"\]]+)*\.\([\w.*]+\)?$/,
  /^<<?[\w\s.:|/-]+>?>$/,
  // A name in square brackets, whole or cut off at a blank.
  /^\[\[?[\w\s.-]+\]\]?$|^-?\[[a-z]+$/,
  /^__\w+__$|^@@?[\w.-]+@@?$/,
  /^(?:process\.env|os\.environ|os\.getenv|getenv|env|ENV|Env|System\.getenv|import\.meta|secrets?|vars?|local|module|data|config|settings|self|this|params?|args?|options|opts|props|req|request|ctx|context|github|inputs|steps|matrix|Deno\.env|cfg|conf|values?|attributes|node|input|state)[.[(]/,
  /^(?:vault|ssm|arn|aws-?sm|secretsmanager|gcpsm|azurekv|akv|kms|op|keyring|keychain|file|env|ref\+?\w*|secret|sops|awsssm|lookup|resolve|doppler|bws|pass|gopass|sm|jdbc|npm):/,
  /^\(?(?:Get|Read|New|Import|ConvertTo|ConvertFrom|Invoke|Select|Join|Unprotect)-[A-Z][A-Za-z]+$/,
  // A user and the variable of the password: `ci:$GH_TOKEN`.
  /[\w.-]:\$[A-Z][A-Z_]{2,}$/,
  // An argument or a call in a script of Vim: `a:2`, `s:Ask(1)`.
  /^[abglstvw]:(?:\d+$|[A-Za-z_][\w#]*\()/,
  // The format of a text: `STRING - '%s'`.
  /[ ][^%]*%[dqsvx](?![\w%])|%[dqsvx][ ]/,
  /^\$\(|^!(?:Ref|Sub|GetAtt|ImportValue|vault|reference|secret|env|encrypted|Join|FindInMap|Select)\b/,
  /^[A-Za-z_][\w.:>-]*\([\w"'$&*., ()[\]{}:-]*\)[;,]?$|^[A-Za-z_]\w*(?:(?:\.|::|->)\w+)*\([A-Za-z_"'$&*., ([{:-]*[;,]?$/,
  // An anchor or an alias of YAML, and an operator between two members.
  /^[&*][a-z_-]+$|^[A-Za-z_.]+(?:\|\||&&|\?\?)[A-Za-z_.]+$|^[A-Z]\w+\[$/,
  /^`[^`]*`$/
])

/** `DB_PASSWORD`: the name of an environment variable. */
const upperCaseName = /^[A-Z][A-Z]*(?:_[A-Z0-9]+)+$|^[A-Z]{3,}(?:[@!=:/][A-Z]{3,})+$|^[A-Z]+(?:-[A-Z]+)+-\d{1,2}$/

const encrypted =
  /^(?:eyJpdiI6|A35C(?:[\dA-F]{2}){8,}$|zxx[\da-f]{8,}$|[0-6]\.[\w+/]{16,}={0,2}\|[\w+/=|]{20,}$|hex(?:\([\da-f]+\))?:[\da-f]{2},|ENC[([]|\{AQAA[A-Za-z0-9+/ ]|\{cipher\}|\{(?:AES|aes)[\w-]*\}|vault:v\d+:|\$ANSIBLE_VAULT|Ag[A-D][A-Za-z0-9+/]{100}|AQICAH[a-z]|-----BEGIN (?:PGP MESSAGE|AGE ENCRYPTED)|age-encryption\.org|ENCRYPTED|BAMSCRT@|-AQ==[\w+/]{20}|\{xor\}|secure:|encrypted:|kms:|CfDJ8|U2FsdGVkX1|@ByteArray\(|AQAAANCMnd8BFdERjHoAwE\/Cl|(?:\d\d:b:)?01000000[Dd]08[Cc]9[Dd][Dd][Ff]0115[Dd]1118[Cc]7[Aa]00)|^!\[[\w+/]{8,}={0,2}\]$/

/**
 * Whether the value is a password hash in a format of password files, directories, frameworks or databases. A hash does
 * not reveal the password.
 */
export const isPasswordHash = (value: string): boolean => isMatch(passwordHash, value, 0)

/** A sticky expression for all formats. */
export const passwordHash = anyOf(
  [
    // crypt(5), and the formats that PHP and Python have added.
    /\$2[abxy]?\$\d\d\$[\w./]{53}|\$apr1\$[\w./]{1,8}\$[\w./]{22}/,
    /\$[156]\$(?:rounds=\d+\$)?[\w./]{1,16}\$[\w./]{22,86}/,
    /(?:argon2:)?\$argon2(?:id?|d)\$(?:v=\d+\$)?[\w=,]+\$[\w+/]{11,100}\$[\w+/]{16,200}/,
    /\$[PH]\$[\w./]{31}|\$S\$[\w./]{52}|\$[89]\$[\w./]{14}\$[\w./]{43}/,
    /\$(?:g?y|7|scrypt|pbkdf2(?:-sha\d+)?|bcrypt-sha\d+|md5|sha1)\$[\w./+=,$-]{40,200}/,
    // RFC 2307, Dovecot, Spring Security.
    /\{(?:s?sha(?:-?\d{3})?|s?md5|(?:[a-z\d]{1,10}-)?crypt|bcrypt|scrypt|argon2(?:id?)?|pbkdf2[\w-]{0,12})(?:\.b64|\.hex)?\}[\w./+=,$-]{13,200}/,
    // ZNC: the digest and its salt.
    /(?:md5|sha256)#[\da-f]{32,64}#[^#\s]{1,40}#/,
    // Tomcat: the salt, the count of iterations, the digest.
    /[\da-z-]{1,64}\$\d{1,7}\$[\da-f]{40,128}(?!\w)/,
    // Django, Werkzeug.
    /(?:(?:pbkdf2|bcrypt)_sha\d{1,3}|argon2|scrypt|pbkdf2:sha\d{1,3}:\d+|scrypt:\d+:\d+:\d+)\$[\w./+=,$-]{30,300}/,
    // PostgreSQL, MySQL, SQL Server, the Identity of ASP.NET Core.
    /SCRAM-SHA-\d{1,3}\$\d+:[\w./+=,$-]{16,100}\$[\w./+=,$-]{20,100}:[\w./+=,$-]{20,100}/,
    // wpa_supplicant: the hash of NT.
    /hash:[\da-f]{32}(?!\w)/,
    /md5[\da-f]{32}(?!\w)|\*[\dA-F]{40}(?!\w)|0x0[12]00[\dA-F]{48,140}(?!\w)|AQAAAA[EI]AA[\w+/]{60,100}={0,2}(?![\w+/])/
  ],
  "iy"
)

const placeholder = anyOf([
  /(?:^|[\W_])(?:your|here|example|sample|dummy|placeholder|redacted|removed|masked|hidden|censored|sanitized|changeme|fixme|todo|tbd|foo|bar|foobar|invalid|wrong|incorrect|bogus|notasecret|not[\W_]a|fake|mock|lorem|ipsum|goes|omitted|undefined|unused)(?:$|[\W_])/,
  /^(?:example|sample|dummy|placeholder|fake|mock|foo|bar|fixme|todo|redacted|changeme|change[\W_]me|replaceme)(?:$|[\W_]|\d{1,4}$|key|token|pass(?:word)?|secret|value|user|api|client|string|test)/,
  /(?:example|placeholder|changeme|change_me|replace_?me|redacted|changeit|notsecret|notreal)(?:key)?$/,
  /\*{3,}|\.{3,}|(?<!\w{20})_{4,}|-{4,}(?!begin)|#{4,}|^\?{3,}$|…|•|·{3}/,
  /<(?:your|my|the|insert)?[\s_-]?(?:[a-z]+[\s_-])?(?:key|token|secret|password|user(?:name)?|id|value|name|host)>|^<.*>$|^\(.*\)$|^\[.*\]$|^\{.*\}$|^&lt;.*&gt;$/,
  /^some[a-z]+$|^(?:some|any|my|our|your|the|a|test|fake|dummy|demo|example|strong|very|super|first|second|another|default|initial)[a-z_-]{0,12}(?:key|secret|token|pass|passwd|password|credentials?)$/,
  // A mark that a program sets for itself, or a template fills: `__BLANK_VALUE__`.
  /^__[a-z]/,
  /^(?:null|none|nil|undefined|true|false|yes|no|on|off|empty|default|string|str|text|bytes?|int|number|boolean|object|array|required|optional|n\/?a|never|auto|unset|disabled|enabled|prompt|ask|not[\W_]?set|void)$/,
  /deadbeef|cafebabe|0badc0de|badcafe|c0ffee/
])

/**
 * Whether the value repeats one to four characters, or is mostly one character. A long random value may contain such a
 * run, especially base64.
 */
const isRepeated = (value: string): boolean =>
  /^(.{1,4})\1{2,}$/.test(value) || (/(.)\1{5,}/.exec(value)?.[0].length ?? 0) * 3 > value.length

const ordinary = anyOf(
  [
    /^--?[a-z]{1,20}(?:-[a-z\d]{1,20})*$/,
    /^(?:utf-?\d+|base\d\d|hex|latin1|ascii|sha-?\d+|md5|rsa\d*|aes-?(?:128|192|256)(?:[-_.][a-z\d]{1,12})*|[hrep]s\d{3})$/,
    /^[\w./\\@-]+\.(?:pem|key|crt|cer|p7[bc8]|p8|p12|pfx|ppk|jks|keytab|kdbx|json|ya?ml|txt|properties|xml|env|js|ts|py|java|php|html?|conf|cfg|ini|png|svg|jpe?g|gif|s?css|sass|less|map|wasm|woff2?|go|rb|sh|md|sql|lock|log|zip|gz|gpg|asc|pub)$/,
    /^(?:[a-z][a-z0-9+.-]*:\/\/|unix:\/)\S*$/,
    // A name with a version, such as that of a licence: `GFDL-1.1-or-later`, `WordPiece-v1`.
    /^[a-z][\w+]*(?:-[\w+]+)*-v?\d+(?:\.\d+)+(?:-[a-z-]+)?$|^[a-z]{3,}(?:-[a-z]{2,})*-v\d$/,
    // A connection string: the password in it is found by itself.
    /^\w+=[^\s=]+(?: \w+=[^\s=]*)+$/,
    // Codes of a terminal, and of troff.
    /^\\(?:033|x1b|e|u001b)\[|^\\f(?:[BIRP]|\[)/,
    /^(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|local|internal|example|test|gov|edu|cloud|app|co)(?::\d+)?(?:\/.*)?$/,
    /^[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}$/,
    /^[\w.[\]-]{1,60}(?:[=~<>!]=|@[~^]?)v?\d+(?:\.[\dx*]+)+[\w.+-]*$/,
    /^(?:npm:|workspace:|\d:)?[~^<>=v ]*\d+(?:\.[\dx*]+){1,20}(?:[-+~][\w.]{1,20}){0,3}(?:[-+][\w.]+)?(?:\(.+\))?$/,
    // A region or a zone of a cloud.
    /^(?:[a-z]{2}|[a-z]{4,12})-(?:gov-|iso[a-z]?-)?(?:north|south|east|west|central){1,2}(?:-?\d)(?:-?[a-f])?$/,
    // A host and its port, and a rule of a scanner with a line in its ignore file.
    /^[a-z\d]+(?:-[a-z]+)+:\d{1,5}$/,
    /^[a-z][\w-]*\.[\w.-]+(?::[\w.-]+){1,4}(?:@[a-z]{2,8})?$/,
    // An artifact of Maven with its packaging, perhaps behind its group: `api:jar:1.2`.
    /^(?:[\w.-]+:){1,2}(?:jar|war|pom|aar|bundle|zip)(?::[\w.-]+)+$/,
    // A type of a module of a package, `aws:ec2/vpc:Vpc`: words, and a digit in few of them.
    /^[a-z]+\d{0,2}[a-z]*(?::[a-z]+\d{0,2}[a-z]*){1,2}\/[a-z]+\d{0,2}[a-z]*(?:[/:][a-z]+\d{0,2}[a-z]*)*$/,
    // Ports that a container publishes, a time.
    /^(?:[\d.]+:)?\d{1,5}:\d{1,5}(?:\/(?:tcp|udp))?$/,
    // A list of ciphers for OpenSSL.
    /^[!+-]?[\w-]+(?::[!+-][\w-]+)+:?$/,
    // The name of a header.
    /^x(?:-[a-z\d]+){2,}$/,
    // A command and its options.
    /^[a-z][\w./-]*(?:[ ][a-z][\w./-]*){0,2}[ ]--?[a-z][\w-]*(?:[ =]|$)/,
    /^(?:cn|uid|ou|dc|o|c)=[^=,]+(?:,\s*\w+=[^=,]+)*$/,
    /^\d{4}-\d\d-\d\d(?:[T ].*)?$/,
    /^#[0-9a-fA-F]{3,8}$/,
    // A number, and the address of an account or a contract of Ethereum: a key there has 64 digits.
    /^0x(?:[\da-f]{1,16}[lu]{0,3}|[\da-f]{40})$/,
    /^(?:sha(?:1|224|256|384|512)|md5)[-:]/,
    /^\{?(?:s?sha\d{0,3}|s?md5|blf|bcrypt|argon2id?|pbkdf2|scrypt|plain)(?:[_-]?crypt)?\}?$/,
    /^(?:application|text|image|audio|video|multipart|font)\//,
    /^(?:arn:aws|urn:|tag:|did:|spiffe:|projects\/)/,
    /^data:[\w/+.-]*[;,]/,
    // A product key of Windows: a license, in letters without vowels.
    /^(?:[b-df-hjkmnp-rtv-y\d]{5}(?:-|$)){5}/,
    // PEM in base64: a private key has a rule of its own.
    /^LS0tLS1CRUdJT/,
    /^ssh-(?:rsa|dss|ed25519) |^ecdsa-sha2|^AAAA(?:[BC]3NzaC1|E2VjZHNhLXNoYTIt)/,
    // A public key (RFC 5280, SubjectPublicKeyInfo): EC, Ed25519, RSA. A scope of OAuth.
    /^(?:MFkwEwYHKoZIzj0|MHYwEAYHKoZIzj0|MIGbMBAGByqGSM49|MCowBQYDK2VwAyEA|MIGfMA0GCSqGSIb3DQEB|MII[BCD]IjANBgkqhkiG9w0B)|\/\.default$/,
    // A private key has a rule of its own here, too.
    /^-----BEGIN /
  ],
  "i"
)

/**
 * Whether the value is a Fernet token or a JWE (RFC 7516). In place of a password, it is an encrypted one, which its
 * reader decrypts. In place of a token, it may be a session, which needs no key.
 */
export const isEncryptedToken = (value: string): boolean => encryptedToken.test(value)

const encryptedToken = /^(?:gAAAAA[\w-]{60,}={0,2}|eyJ[\w-]{10,}\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+)$/

/** Consecutive characters of keyboards and alphabets. */
export const runs = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890123456789",
  "qwertyuiop",
  "asdfghjkl",
  "zxcvbnm",
  "qwertzuiop",
  "zyxwvutsrqponmlkjihgfedcba",
  "98765432109876543210",
  "1q2w3e4r5t6y7u8i9o0p",
  "fedcba9876543210",
  "0123456789abcdef"
]

/** The rest of a run by its first three characters, from every position in it. */
const runsFrom = new Map<string, Array<string>>()
for (const run of runs) {
  for (let i = 0; i + 3 <= run.length; i++) {
    const rest = run.slice(i)
    const start = rest.slice(0, 3)
    runsFrom.set(start, [...(runsFrom.get(start) ?? []), rest])
  }
}

/** Whether the value contains seven consecutive characters, `1234567` or `gfedcba`, which random values do not have. */
export const isCountedInPart = (value: string): boolean => {
  let step = 0
  let length = 1
  for (let i = 1; i < value.length; i++) {
    const difference = value.charCodeAt(i) - value.charCodeAt(i - 1)
    if (Math.abs(difference) !== 1) length = 1
    else if (difference === step) length++
    else length = 2
    step = difference
    if (length === 7) return true
  }
  return false
}

/**
 * Whether such runs make up most of the value, `abcd1234`, `0123456789abcdef`, or its bytes are counted, or its
 * characters sorted: `00010203…`, `346789ABCD…`.
 */
export const isCounted = (value: string): boolean => {
  if (
    value.length >= 16 &&
    (isAscending(value) || (bytes.test(value) && isAscending(value.replace("0x", "").match(/../g) ?? [])))
  )
    return true
  const lower = value.toLowerCase()
  let covered = 0
  for (let i = 0; i < lower.length;) {
    let longest = 0
    for (const rest of runsFrom.get(lower.slice(i, i + 3)) ?? []) {
      let length = 3
      while (i + length < lower.length && lower.charAt(i + length) === rest.charAt(length)) length++
      if (length > longest) longest = length
    }
    covered += longest
    i += Math.max(1, longest)
  }
  return covered >= lower.length * 0.75
}

const bytes = /^(?:0x)?(?:[\da-f]{2})+$/i

const isAscending = (parts: ArrayLike<string>): boolean => {
  for (let at = 1; at < parts.length; at++) if ((parts[at - 1] ?? "") >= (parts[at] ?? "")) return false
  return true
}

/** Words for a secret, and passwords on common lists of weak passwords: a leak of one says nothing about this code. */
export const words: ReadonlySet<string> = new Set(
  `access accesskey accesstoken admin administrator anonymous api apikey apitoken auth authkey authtoken authorization
  basic bearer client clientid clientsecret cookie credential credentials csrf csrftoken email encryptionkey guest hash
  header hello hmac id idtoken jwt key login master mypassword mysecret mytoken name newpassword newpass oauth oauth2
  oldpassword oldpass passcode passphrase passwd password pass passwords passwort privatekey public publickey pwd qwerty
  refreshtoken root rootpassword secret secretkey secrets secrettoken session sessionid sessiontoken signature
  supersecret supersecretpassword sessionsecret superuser system sys temp temporary test tester testing testpass
  testpassword testsecret testtoken testkey testuser thepassword token tokens toor user username userpass userpassword
  value verysecret letmein welcome monkey dragon iloveyou abc asdf adminadmin postgres postgresql demo mysql mongo
  mongodb redis rabbitmq oracle mssql elastic elasticsearch kibana grafana jenkins minio minioadmin nginx tomcat vagrant
  ubuntu docker changeit changeme changethis correcthorsebatterystaple sekret sekrit secrete pw passwordpassword
  somepassword somesecret sometoken somekey anothersecret anotherpassword xyz wrongpassword badpassword invalidpassword
  confirmpassword passwordconfirm resetpassword forgotpassword currentpassword one two three blah baz qux quux nope
  topsecret opensesame confidential hidden private encrypted decrypted plaintext plain sha1 sha256 sha512 md5 rsa aes
  hs256 rs256 query body form formdata input field label
  `.split(/\s+/)
)

/** Well-known passwords that are not a word with a number. */
export const weak: ReadonlySet<string> = new Set(["hunter2", "qwe123", "zaq12wsx", "1q2w3e", "1q2w3e4r"])
