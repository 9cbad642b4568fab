/** Classifies the name of a variable, field or setting by the value that it suggests. */

import { standIns, wordsOf } from "../text/AssignedName.ts"

/**
 * The value of a `password` may be short and plain, that of a `token` is usually random. `key` is weaker evidence than
 * `token`, and with `perhaps` only a random value counts.
 */
export type SecretName = "password" | "token" | "key" | "perhaps" | "none"

/** Substrings of names to check further: every name of a secret contains one. */
export const nameParts: ReadonlyArray<string> =
  "pass pw psw swd swor swrd secret token key auth bearer _pat cred encrypt salt pepper psk snmp senha contrase kennwort motdepasse mdp wachtwoord haslo parola mot_de_passe mot-de-passe senord salasana lozinka heslo sifre clave chave schluessel cle_api jeton jwt otp fa_seed faseed cookie".split(
    " "
  )

/** The same in languages with other scripts. */
export const foreignNameParts = /парол|секрет|токен|ключ|密码|密碼|口令|密钥|密鑰|令牌|パスワード|비밀번호|암호/gi

/**
 * False if the part between two offsets belongs to another word, such as `pass` in `passenger` or `auth` in `author`.
 */
export const mayMeanSecret = (text: string, start: number, end: number): boolean => {
  const next = text.charCodeAt(end)
  return next < 97 || next > 122 || !otherWord.test(text.slice(start, end + 1).toLowerCase())
}

/**
 * A part and the letter after it, unless they begin a word for a secret, such as `passwd`, `passphrase` or `passcode`.
 */
const otherWord =
  /^(?:pass[^cpw]|pw[^d]|(?:secret|token|key)[^s]|auth[^t]|cred[^es]|(?:bearer|_pat|encrypt|salt|jwt|otp).)/

export const secretName = (name: string): SecretName => {
  const known = judged.get(name)
  if (known !== undefined) return known
  const judgement = judge(wordsOfSegments(name))
  if (judged.size > 20_000) judged.clear()
  judged.set(copyText(name), judgement)
  return judgement
}

/**
 * Whether a field, a variable or an option with this name, singular or plural, holds a secret, the hash of one or a
 * one-time code.
 */
export const isSecretName = (name: string): boolean => {
  const kind = secretName(name)
  return kind === "password" || kind === "token" || kind === "key" || otherSecretName.test(wordsOf(name).join("_"))
}

const otherSecretName =
  /^(?:hash(?:es)?|pass_(?:words?|codes?|phrases?))$|(?:^|_)(?:pins?|pin_?codes?|cvv2?|cvc|otp|passes|passcodes|pwds|cookies?|(?:password|credential)_?hash(?:es)?|seed_?phrase|mnemonic)$/

/** Whether the name means a property of a secret, such as its id, path or user. */
export const isAbout = (name: string): boolean => turnsItAway(wordsOf(name).at(-1) ?? "")

const turnsItAway = (word: string): boolean => turnsAway.has(word) || turnsAway.has(word.replace(/s$/, ""))

const judged = new Map<string, SecretName>()

/** Copies the string: V8 keeps the whole text alive as long as a slice of it, so a cache key must not be a slice. */
const copyText = (name: string): string => ` ${name}`.slice(1)

/**
 * In `encryptedObjects.key`, `encrypted` describes the other segment, not the key; in `encrypted.key` it describes the
 * key.
 */
const wordsOfSegments = (name: string): ReadonlyArray<string> => {
  const segments = name.split(".").map(wordsOf)
  const last = segments.length - 1
  return segments.flatMap((words, index) =>
    index === last || words.length === 1 ? words : words.filter((word) => !/^(?:encrypted|hashed)$/.test(word))
  )
}

const judge = (written: ReadonlyArray<string>): SecretName => {
  const words = joinPassword(written)
  for (let i = words.length - 1; i >= 0; i--) {
    const word = words[i] ?? ""
    const kind = kindOf(word, words[i - 1] ?? "", words[i - 2] ?? "")
    if (kind !== "none") {
      const after = words.slice(i + 1)
      if (word === "secret" && after.join() === "id") return "token"
      if (after.some(turnsItAway)) return "none"
      const before = words.slice(0, i)
      const isPublic = before.some(
        (one) => denies.has(one) || standIns.has(one) || (word.startsWith("token") && deniesTokens.has(one))
      )
      return isPublic ? "none" : kind
    }
  }
  return "none"
}

/** `PassWord` and `passCode` are two words with one meaning. */
const joinPassword = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.includes("pass")
    ? words.flatMap((word, index) =>
        words[index - 1] === "pass" && secondPart.test(word)
          ? []
          : [word === "pass" && secondPart.test(words[index + 1] ?? "") ? word + words[index + 1] : word]
      )
    : words

const secondPart = /^(?:words?|phrases?|codes?)\d*$/

const kindOf = (word: string, before: string, beforeThat: string): SecretName => {
  const plain = word.replace(/\d+$/, "")
  if (passwordWord.test(plain)) return ordinaryWords.has(plain) ? "none" : "password"
  if (foreignPassword.test(plain)) return foreignAbout.test(before) ? "none" : "password"
  if (foreignToken.test(plain)) return foreignAbout.test(before) ? "none" : "token"
  if (tokenWord.test(plain)) return "token"
  if (keyWord.test(plain)) return "key"
  if (plain === "passe") return before === "de" && beforeThat === "mot" ? "password" : "none"
  if (/^(?:chave|cle|schluessel)$/.test(plain)) return "perhaps"
  if (plain === "community") return before === "snmp" ? "password" : "none"
  if (plain === "pass") return notAPassBefore.has(before) ? "none" : "password"
  // `X-Amz-Credential` in a signed URL only names the key.
  if (plain === "credential") return before === "amz" || before === "goog" ? "none" : "key"
  if (/^[cx]srf\w*tokens?$/.test(plain)) return "none"
  if (/tokens?$/.test(plain)) return notATokenBefore.has(before) ? "none" : "token"
  if (plain === "key" || plain === "keys") {
    if (notAKeyBefore.has(before)) return before === "search" && beforeThat === "azure" ? "token" : "none"
    if (before === "" && plain === "key") return "perhaps"
    if (before === "preshared" || (before === "shared" && beforeThat === "pre")) return "password"
    return keyBefore.has(before) || (before === "base" && beforeThat === "key")
      ? plain === "key"
        ? "token"
        : "key"
      : "perhaps"
  }
  if (gluedKey.test(plain)) return "token"
  if (plain === "auth") return /^(?:|http|basic|user|proxy)$/.test(before) ? "key" : "perhaps"
  if (plain === "pat") return before === "" ? "none" : "perhaps"
  // On its own, the salt of one hash, which is public; with another word, a secret of the application.
  if (plain === "salt") return before === "" || keyDerivation.test(before) ? "none" : "key"
  if (oneTimePassword.has(plain)) return "token"
  if (plain === "seed") return oneTimePasswordBefore.has(before) ? "token" : "none"
  // `encrypt = "…"` is the gossip key of a cluster.
  if (plain === "encrypt") return before === "" ? "perhaps" : "none"
  if (plain === "base" && before === "key") return "token"
  // An Erlang or Akka cookie lets a node join the cluster.
  if (plain === "cookie") return /^(?:secure|erlang|node)$/.test(before) ? "token" : "none"
  return "none"
}

const passwordWord =
  /^(?:\w*(?:password|passwd|passphrase|passwort|kennwort|motdepasse|wachtwoord)s?|pwd|psw|pw|passcode|senha|contrase(?:[nñ]a)?|haslo|parola|l[oö]senord|salasana|lozinka|heslo|sifre|psk|masterauth|pa?s{1,2}w(?:o?rs?)?d|authtok|[a-z]{2,10}p(?:wd?|assw?))$/

/** Russian, Chinese, Japanese and Korean; Chinese and Japanese join several words of a name. */
const foreignPassword = /парол[ьяюе]м?$|(?:密码|密碼|口令|パスワード|비밀번호|암호)$/
const foreignToken = /токена?$|令牌$/
const tokenWord = /secret$|^(?:secrets|bearer|jetons?)$/
const keyWord = /^(?:clave|credentials|creds|pepper|passwordsalt|jwt|mdp|секрет(?:ный)?|ключа?)$|(?:密钥|密鑰)$/

/**
 * In Russian, the qualifier precedes the password: its description, length, field, name, file, path, type or period.
 */
const foreignAbout = /^(?:описание|длина|поле|имя|файл|путь|тип|срок)$/

const gluedKey =
  /(?:api|secret|access|private|auth)key$|^(?:encryption|crypt|signing|account|master|shared|client|app|service|storage|license|ssh|session|security|token)key$/

/** Functions whose hashes are stored with their own salt. */
const keyDerivation = /^(?:argon2(?:i|d|id)?|pbkdf2?|s?crypt|bcrypt|kdf)$/

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "))

const oneTimePassword = words("totp hotp otp")
const oneTimePasswordBefore = words("totp hotp otp mfa 2fa tfa")

/** Words that end in `pass`, but mean no password. */
const ordinaryWords = words(
  "bypass compass surpass trespass encompass overpass underpass bandpass lowpass highpass nopass nopasswd nopassword prepass namepass fieldpass tagpass metricpass"
)

const keyBefore = words(
  "api secret access private auth authentication authorization encryption decryption encrypt signing sign signature master account storage shared app application client service session jwt hmac aes crypto crypt cipher security admin root subscription integration maps gcm fcm server write deploy ssh pgp gpg webhook nonce in license cookie ingest management user functions function host system ikey skey project merchant publishable live test prod production dev staging sandbox stripe twilio sendgrid mailgun aws azure gcp google openai heroku datadog algolia cloudflare github gitlab npm slack sentry segment mixpanel amplitude firebase anthropic azureopenai dsa rsa ecdsa ed25519 wallet seed signer validator wireguard vpn wep wpa psk pre bot partner tenant portal rest graphql json xml"
)

const notAKeyBefore = words(
  "public pub site verify verification verifying restore primary foreign sort partition hash range cache object row index entity parent child group dedup idempotency translation i18n message lookup registry event hot shortcut type field route query local map property attribute composite natural surrogate unique candidate join search filter header metadata meta param parameter option config setting state label tag node item list array dict table column tree pixel modifier arrow enter escape tab any on by the of a is has get set no each next prev previous first last same new old per with from to for valid invalid missing unknown duplicate required known reserved special magic text i18nmessage title description error name display order sorting color style theme feature flag statistic metric log slot path file image media upload blob s3 bucket folder directory resource routing binding exchange topic queue stream redis memcache store atom cursor pagination page ref react vue component element section menu nav chart data model schema value id consumer instrumentation"
)

const notATokenBefore = words(
  "page next continuation cancel cancellation cancelation syntax lexer comma left right current previous prev first last parse parser punctuation keyword identifier string number operator comment end start eof close open sort cursor stop pad unk mask cls sep bos eos special max num min total prompt completion input output context sync design color theme css postman correlation idempotency transaction operation"
)

const notAPassBefore = words(
  "by first second two one single multi function loop module render all boarding fast season high low band shader depth color compute test tests did will can should must not pre post each mixed no com"
)

/** After the word for a secret, these words and their plurals make the name mean something about the secret. */
const turnsAway = words(
  "id name type url uri endpoint path file filename filepath dir directory folder field label title message error prompt hint placeholder help text description desc length len size count limit min max minimum maximum strength policy rule regex pattern regexp format validator validation validate validity required enabled enable disabled disable expired expire expiry expiration exp ttl lifetime age timeout date time at timestamp created updated version alg algorithm algo method mode strategy provider source store storage manager service client factory builder handler helper resolver repository repo generator encoder decoder hasher digest hash hashes hashed hashing class interface schema model entity dto request response form input page screen view component button icon link route router controller action event listener callback hook function fn func param parameter arg argument option opts config configuration setting header prefix suffix separator delimiter reset change changed update confirm confirmation forgot recovery verify verification verified check checker exist found missing invalid valid incorrect wrong match matches mismatch require requirement index position pos offset column col row table status state result flag test spec ref reference tag arn mount volume engine vault ring chain list map mapping set array bits usage scope issuer audience claim subject holder owner user username email login host port server domain realm group role permission rotation rotate revoked revoke encryption encrypted decrypt encrypt cipher iv nonce public pub fingerprint thumbprint checksum sha sha1 sha2 sha256 sha512 md5 less protected protection needed scheme crypt complexity by for from to as is has in of with using per via bucket queue topic stream cache code word board press pressed down up frame stroke pair space counter budget embedding embed vocab vocabulary tokenizer parser lexer kind symbol ize izer selector element el elem dom css style html attr attribute template example sample char character letters ui tip toggle visible visibility show hide hidden autocomplete meter score rate color price cost address contract balance amount supply decimals sale launch metadata info data detail eight four last4 last8 json xml body entry entries item block section step stage bag certificate cert csr ca crt algorithm_ payload env environment variable var property properties alias aliases mint"
)

/** Before the word for a secret, these words say that the value is not the secret itself. */
const denies = words(
  "encrypted sealed hashed no not without missing invalid wrong incorrect forgot reset is has should must expect expected public pub cancel"
)

/** A token of these kinds protects one page; their secret or key, however, signs all tokens. */
const deniesTokens = words("csrf xsrf antiforgery authenticity")

/** All lists by name, so that a test can find entries that never match. */
export const wordLists = {
  denies,
  deniesTokens,
  keyBefore,
  notAKeyBefore,
  notAPassBefore,
  notATokenBefore,
  oneTimePassword,
  oneTimePasswordBefore,
  ordinaryWords,
  turnsAway
}
