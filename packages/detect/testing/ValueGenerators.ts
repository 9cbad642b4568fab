/** Generates the values that Corpus.ts plants: secrets as people and programs create them, and look-alikes. */

export const secretKinds = [
  "password",
  "token",
  "key",
  "json-web-key",
  "url",
  "command-line",
  "sql",
  "one-time-password",
  "private-key",
  "jwt",
  "provider-token"
] as const
export type SecretKind = (typeof secretKinds)[number]

export interface ValueGenerator {
  readonly kind: SecretKind | "look-alike"
  readonly weak?: true
  generate(random: Random): string
}

export interface Random {
  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number
  /** An integer between two numbers, both inclusive. */
  between(least: number, most: number): number
  pick<A>(list: ArrayLike<A>): A
  /** Random characters of an alphabet. */
  from(alphabet: string, length: number): string
}

/** A pseudo-random generator (mulberry32), which returns the same numbers for the same seed. */
export const seededRandom = (seed: number): Random => {
  let state = seed | 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  const pick = <A>(list: ArrayLike<A>): A => {
    const chosen = list[between(0, list.length - 1)]
    if (chosen === undefined) throw new Error("Nothing can be picked from an empty list")
    return chosen
  }
  const from = (alphabet: string, length: number) => Array.from({ length }, () => pick(alphabet)).join("")
  return { next, between, pick, from }
}

const lower = "abcdefghijklmnopqrstuvwxyz"
const upper = lower.toUpperCase()
const digits = "0123456789"
const letters = lower + upper
const base62 = letters + digits
const base64Alphabet = `${base62}+/`
const base64UrlAlphabet = `${base62}-_`
const base32 = `${upper}234567`
const hexDigits = "0123456789abcdef"
/** Punctuation that needs no escape in quotes of any language. */
const marks = "!@#%^&*-_=+.,:;?~"

const words =
  "amber basalt cobalt dagger ember falcon gravel harbor island jigsaw kettle lantern meadow nickel orchid pepper quartz raven saddle timber umbrella velvet walnut xenon yonder zephyr anchor bridge copper dragon engine feather glacier hammer iron jungle kernel ladder marble needle ocean planet rocket silver thunder valley winter yellow".split(
    " "
  )

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
const leet = (word: string) => word.replaceAll("a", "4").replaceAll("e", "3").replaceAll("o", "0")

/** Passwords as people choose them to satisfy a policy. */
const typed = (random: Random): string => {
  const one = capital(random.pick(words))
  const other = random.pick(words)
  return random.pick([
    () => `${one}${random.pick("!@#-_.")}${random.between(10, 99)}${capital(other)}`,
    () => `${one}${capital(other)}${random.between(100, 9999)}${random.pick("!@#?*")}`,
    () => `${leet(one)}_${other}${random.between(10, 99)}`,
    () => `${other}.${one}.${random.between(100, 999)}`,
    () => `${one}${random.pick(["", "-", "_", "."])}${capital(other)}${random.between(100, 9999)}`,
    () => `${one}@${other}#${random.between(1, 9)}`
  ])()
}

/** Passwords as a password manager generates them. */
const generated = (random: Random): string => {
  const length = random.between(12, 24)
  const body = random.from(base62 + marks, length - 4)
  // Punctuation at an end would be taken for the end of a sentence, or for another token.
  return random.pick(letters) + random.pick(digits) + body + random.pick(digits) + random.pick(letters)
}

/** Like `generated`, without punctuation that unquoted values of some formats cannot contain. */
const generatedPlain = (random: Random): string =>
  random.pick(letters) +
  random.pick(digits) +
  random.from(`${base62}!@*-_=+.`, random.between(8, 18)) +
  random.pick(digits)

const alphanumeric = (random: Random): string => random.from(base62, random.between(14, 22)) + random.pick(digits)

/** Random bytes in base64, with padding. */
const padded = (random: Random, bytes: number): string => {
  const whole = random.from(base64Alphabet, Math.floor(bytes / 3) * 4)
  if (bytes % 3 === 1) return `${whole}${random.pick(base64Alphabet)}${random.pick("AQgw")}==`
  if (bytes % 3 === 2) return `${whole}${random.from(base64Alphabet, 2)}${random.pick("AEIMQUYcgkosw048")}=`
  return whole
}

const hex = (random: Random, length: number) => random.from(hexDigits, length)

const token = (random: Random): string =>
  random.pick([
    () => hex(random, random.pick([32, 40, 64])),
    () => random.from(base62, random.between(24, 48)),
    () => padded(random, random.between(18, 48)),
    () => random.from(base64UrlAlphabet, random.pick([27, 32, 43]))
  ])()

const pemOf = (random: Random, label: string, first: string, lines: number): string =>
  [
    `-----BEGIN ${label}-----`,
    first + random.from(base64Alphabet, 64 - first.length),
    ...Array.from({ length: lines }, () => random.from(base64Alphabet, 64)),
    `${random.from(base64Alphabet, 30)}==`,
    `-----END ${label}-----`
  ].join("\n")

const url64 = (text: string) => btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")

const jwt = (random: Random, expires: number): string =>
  [
    url64('{"alg":"HS256","typ":"JWT"}'),
    url64(`{"sub":"svc-${hex(random, 8)}","iss":"auth.${random.pick(words)}.internal","exp":${expires}}`),
    random.from(base64UrlAlphabet, 43)
  ].join(".")

/** The years 2040 and 2019, in seconds since 1970. */
const later = 2_208_988_800
const before = 1_546_300_800

const uuid = (random: Random): string => {
  const part = (length: number) => hex(random, length)
  return `${part(8)}-${part(4)}-4${part(3)}-${random.pick("89ab")}${part(3)}-${part(12)}`
}

const generator =
  (kind: ValueGenerator["kind"], weak?: true) =>
  (generate: (random: Random) => string): ValueGenerator => ({
    kind,
    generate,
    ...(weak === undefined ? {} : { weak })
  })

const password = generator("password")
const secret = generator("token")
const key = generator("key")
const provider = generator("provider-token")
const lookAlike = generator("look-alike")

/** The first word of each letter in the English list of BIP 39. */
const seedWords =
  "abandon bachelor cabbage dad eager fabric gadget habit ice jacket kangaroo lab machine naive oak pact quality rabbit sad table ugly vacant wage yard zebra absorb balance cactus damage eagle".split(
    " "
  )

export const secretGenerators: Readonly<Partial<Record<string, ValueGenerator>>> = {
  password: password((random) => random.pick([typed, generated, generated, alphanumeric])(random)),
  typed: password(typed),
  leet: password(
    (random) => `${leet(random.pick(words))}${random.between(1, 9)}${random.pick("-_.")}${random.pick(lower)}`
  ),
  generated: password(generated),
  "generated-plain": password(generatedPlain),
  alphanumeric: password(alphanumeric),
  twenty: password((random) => random.from(base62, 19) + random.pick(digits)),
  /** An app password: only random letters. */
  letters: password((random) => random.from(lower, 16)),
  /** A password with non-ASCII letters and punctuation. */
  beyond: password((random) => `${random.from(base62, 6)}${random.pick("£§€ßéø")}${random.from(base62 + marks, 7)}4`),
  /** 10, 13 or 16 bytes, whose base64 ends in `==`. */
  padded: password((random) => padded(random, random.pick([10, 13, 16]))),
  passphrase: password(
    (random) =>
      Array.from({ length: 4 }, () => random.pick(words)).join(random.pick(["-", ".", "_"])) + random.between(1, 99)
  ),
  /** A passphrase that only has words of a list. */
  diceware: password((random) =>
    Array.from({ length: random.between(4, 6) }, () => random.pick(words)).join(random.pick("-_. "))
  ),
  weak: generator(
    "password",
    true
  )((random) =>
    random.pick([
      () => `${random.pick(words)}${random.between(1, 99)}`,
      () => random.pick(["hunter2", "letmein", "passw0rd"])
    ])()
  ),
  token: secret(token),
  hex32: secret((random) => hex(random, 32)),
  HEX40: secret((random) => hex(random, 40).toUpperCase()),
  hex40: secret((random) => hex(random, 40)),
  hex64: secret((random) => hex(random, 64)),
  base62: secret((random) => random.from(base62, random.between(24, 40))),
  "base62-32": secret((random) => random.from(base62, 32)),
  "base62-40": secret((random) => random.from(base62, 40)),
  "base62-52": secret((random) => random.from(base62, 52)),
  "base64-32": secret((random) => padded(random, 32)),
  "base64-48": secret((random) => padded(random, 48)),
  "base64-64": secret((random) => padded(random, 64)),
  "upper-hex": secret((random) => hex(random, 64).toUpperCase()),
  base64: secret((random) => padded(random, random.pick([24, 32, 48]))),
  base64url: secret((random) => random.from(base64UrlAlphabet, 43)),
  uppercase: secret((random) => random.from(upper + digits, random.between(20, 32))),
  "uuid-token": secret(uuid),
  key: key((random) => random.pick([() => padded(random, 32), () => hex(random, 64), () => random.from(base62, 32)])()),
  "laravel-key": key((random) => `base64:${padded(random, 32)}`),
  "jwk-member": generator("json-web-key")((random) => random.from(base64UrlAlphabet, 43)),
  "jwk-rsa-member": generator("json-web-key")((random) => random.from(base64UrlAlphabet, 342)),
  otp: generator("one-time-password")((random) => random.from(base32, random.pick([16, 26, 32]))),
  pem: generator("private-key")((random) =>
    random.pick([
      () => pemOf(random, "RSA PRIVATE KEY", "MIIEpAIBAAKCAQEA", 23),
      () => pemOf(random, "EC PRIVATE KEY", "MHcCAQEEI", 1),
      () => pemOf(random, "PRIVATE KEY", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", 24)
    ])()
  ),
  openssh: generator("private-key")((random) =>
    pemOf(random, "OPENSSH PRIVATE KEY", "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB", 5)
  ),
  jwt: generator("jwt")((random) => jwt(random, later)),
  "expired-jwt": generator("jwt", true)((random) => jwt(random, before)),
  github: provider((random) => `gh${random.pick("pos")}_${random.from(base62, 36)}`),
  gitlab: provider((random) => `glpat-${random.from(base62, 20)}`),
  slack: provider((random) => `xoxb-${random.from(digits, 12)}-${random.from(digits, 12)}-${random.from(base62, 24)}`),
  stripe: provider((random) => `sk_live_${random.from(base62, 24)}`),
  sendgrid: provider((random) => `SG.${random.from(base62, 22)}.${random.from(base62, 43)}`),
  "aws-id": provider((random) => `AKIA${random.from(base32, 16)}`),
  "alibaba-id": provider((random) => `LTAI5t${random.from(base62, 18)}`),
  npm: provider((random) => `npm_${random.from(base62, 36)}`),
  google: provider((random) => `AIza${random.from(base62, 35)}`),
  "seed-phrase": generator("private-key")((random) =>
    Array.from({ length: 12 }, () => random.pick(seedWords)).join(" ")
  ),
  discord: provider(
    (random) => `${btoa(random.from("123456789", 18))}.${random.from(base62, 6)}.${random.from(base64UrlAlphabet, 38)}`
  ),
  "nats-seed": provider((random) => `SUA${random.pick("ABCDEFGHIJKLMNOP")}${random.from(base32, 54)}`),
  digitalocean: provider((random) => `dop_v1_${hex(random, 64)}`),
  huggingface: provider((random) => `hf_${random.from(letters, 34)}`),
  pypi: provider((random) => `pypi-AgEIcHlwaS5vcmcC${random.from(base64UrlAlphabet, 150)}`),
  vault: provider((random) => `hvs.${random.from(base62, 24)}`),
  telegram: provider((random) => `${random.from("123456789", 10)}:AA${random.from(base64UrlAlphabet, 33)}`)
}

export const lookAlikeGenerators: Readonly<Partial<Record<string, ValueGenerator>>> = {
  uuid: lookAlike(uuid),
  md5: lookAlike((random) => hex(random, 32)),
  sha1: lookAlike((random) => hex(random, 40)),
  sha256: lookAlike((random) => hex(random, 64)),
  integrity: lookAlike((random) => `sha512-${padded(random, 64)}`),
  "object-id": lookAlike((random) => hex(random, 24)),
  /** Invented for a test, or shown in documentation. */
  "sample-password": lookAlike((random) => secretGenerators["generated-plain"]?.generate(random) ?? ""),
  "sample-token": lookAlike((random) => random.from(base62, 40)),
  "sample-seed": lookAlike((random) => random.from(base32, 32)),
  /** A token in the URL of a badge, which only gives access to one picture. */
  badge: lookAlike((random) => random.from(upper + digits, 10)),
  /** The id of a key, in a log or a list of keys; it gives no access. */
  "key-id": lookAlike((random) => `${random.pick(["AKIA", "ASIA"])}${random.from(base32, 16)}`),
  placeholder: lookAlike((random) =>
    random.pick([
      () =>
        `your-${random.pick(["api-key", "password", "token", "secret-key", "db-password"])}${random.pick(["", "-here"])}`,
      () => `<${random.pick(["YOUR_TOKEN", "password", "insert key here", "api-key"])}>`,
      () =>
        random.pick([
          "changeme",
          "CHANGE_ME",
          "change-me-please",
          "REPLACE_ME",
          "replace-with-your-key",
          "TODO",
          "FIXME"
        ]),
      () => "x".repeat(random.between(8, 40)),
      () => "*".repeat(random.between(6, 20)),
      () =>
        random.pick(["insert_password_here", "my-secret-token", "MY_API_KEY", "ENTER-YOUR-TOKEN", "put_your_key_here"])
    ])()
  ),
  environment: lookAlike((random) => {
    const name = random.pick(["DB_PASSWORD", "API_TOKEN", "SMTP_PASS", "ACCESS_KEY", "SESSION_SECRET"])
    return random.pick([`\${${name}}`, `$${name}`, `\${${name}:?missing}`, `\${env.${name}}`, `%${name}%`])
  }),
  expression: lookAlike((random) => {
    const name = random.pick(["DbPassword", "apiToken", "smtpPassword", "signingKey", "clientSecret"])
    return random.pick([
      `$(${name})`,
      `#{${name}}`,
      `#{${name}}#`,
      `###${name.toUpperCase()}###`,
      `@@${name}@@`,
      `__${name}__`,
      `{{ ${name} }}`,
      `{{${name}}}`,
      `<%= ${name} %>`,
      `[[${name}]]`,
      `@Microsoft.KeyVault(SecretUri=https://vault-${name.toLowerCase()}.vault.azure.net/secrets/${name}/)`,
      `\${{ secrets.${name.toUpperCase()} }}`,
      `((${name}))`,
      `op://vault/${name}/password`,
      `vault:secret/data/app#${name}`,
      `arn:aws:secretsmanager:eu-west-1:${random.from(digits, 12)}:secret:${name}-${random.from(letters, 6)}`
    ])
  }),
  command: lookAlike((random) =>
    random.pick([
      "$(openssl rand -hex 32)",
      "$(cat /run/secrets/db_password)",
      "`cat /etc/app/password`",
      "$(vault kv get -field=password secret/app)",
      "$(aws ssm get-parameter --name /app/key --query Parameter.Value)"
    ])
  ),
  identifier: lookAlike((random) =>
    random.pick([
      "userPassword",
      "password_hash",
      "getAccessToken",
      "accessTokenValue",
      "self.password",
      "config.apiKey",
      "options.secretKey",
      "request.token",
      "hashedPassword",
      "args.password",
      "newPassword"
    ])
  ),
  name: lookAlike((random) =>
    random.pick([
      "db-password",
      "api-token",
      "tls-private-key",
      "jwt_signing_key",
      "smtp-credentials",
      "app-secret-key"
    ])
  ),
  word: lookAlike((random) =>
    random.pick(["password", "secret", "token", "admin", "test", "root", "guest", "default", "example"])
  ),
  label: lookAlike((random) =>
    random.pick([
      "Enter your password",
      "Forgot password?",
      "Passwort vergessen",
      "Mot de passe",
      "Invalid token",
      "API key copied"
    ])
  ),
  "test-value": lookAlike((random) =>
    random.pick([
      "test1234",
      "password123",
      "foobar",
      "secret123",
      "abc123",
      "dummy-token",
      "fake-api-key",
      "test-token-1",
      "s3cr3t"
    ])
  ),
  image: lookAlike((random) => `iVBORw0KGgoAAAANSUhEUgAA${random.from(base64Alphabet, random.between(200, 900))}==`),
  "public-key": lookAlike(
    (random) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${random.from(base64Alphabet, 43)} ops@host`
  ),
  "jwk-public": lookAlike((random) => random.from(base64UrlAlphabet, 43)),
  certificate: lookAlike((random) => pemOf(random, "CERTIFICATE", "MIIDXTCCAkWgAwIBAgIJA", 16)),
  "encrypted-pem": lookAlike((random) =>
    pemOf(random, "ENCRYPTED PRIVATE KEY", "MIIFHDBOBgkqhkiG9w0BBQ0wQTApBgkqhkiG9w0BBQww", 26)
  ),
  encrypted: lookAlike((random) =>
    random.pick([
      () => `ENC[AES256_GCM,data:${padded(random, 24)},iv:${padded(random, 32)},tag:${padded(random, 16)},type:str]`,
      () => `{cipher}${hex(random, 96)}`,
      () => `ENC(${padded(random, 32)})`,
      () => `AQICAHh${random.from(base64Alphabet, 160)}`
    ])()
  ),
  path: lookAlike(
    (random) => `/etc/${random.pick(words)}/${random.pick(["token", "password.txt", "private.key", "secret.json"])}`
  ),
  url: lookAlike((random) => `https://${random.pick(words)}.example.net/oauth/token`),
  "text-in-base64": lookAlike((random) =>
    btoa(`${capital(random.pick(words))} and ${random.pick(words)} are in the ${random.pick(words)}`)
  ),
  number: lookAlike((random) => random.from(digits, random.between(5, 12))),
  version: lookAlike((random) => `${random.between(0, 9)}.${random.between(0, 40)}.${random.between(0, 9)}`),
  camel: lookAlike((random) => `${random.pick(words)}${capital(random.pick(words))}${capital(random.pick(words))}`),
  /** The name of a resource or a text, with as many words as a passphrase. */
  "long-name": lookAlike((random) => {
    const parts = [random.pick(words), random.pick(["prod", "app", "eu", "main"]), random.pick(words)]
    return [...parts, random.pick(["db", "credentials", "secret", "user", "label", "error"])].join(random.pick("-_."))
  }),
  /** An id from a list. */
  licence: lookAlike((random) => `${capital(random.pick(words))}-${random.between(10, 99)}`),
  "name-and-version": lookAlike(
    (random) =>
      `${random.pick(words).toUpperCase()}-${random.between(1, 9)}.${random.between(0, 9)}${random.pick(["", "-only", "-or-later"])}`
  ),
  dashed: lookAlike((random) => Array.from({ length: 3 }, () => random.pick(words)).join("-")),
  regex: lookAlike((random) =>
    random.pick(["^[A-Za-z0-9]{32}$", "(?i)token[:=]\\s*", "[0-9a-f]{40}", "sk_[a-z]{4}_\\w{24}"])
  ),
  /** A value with a real format, but in documentation or invented for a test. */
  shown: lookAlike((random) => random.pick([typed, typed, generatedPlain, alphanumeric])(random)),
  "shown-token": lookAlike(token),
  translation: lookAlike((random) =>
    random.pick([
      "Jelszó",
      "Hasło",
      "Slaptažodis",
      "Contraseña-nueva",
      "Salasõna",
      "Şifre",
      "Wachtwoord",
      "Adgangskode2",
      "Passwort-Wiederholung",
      "Mot-de-passe",
      "Пароль",
      "パスワード"
    ])
  ),
  constant: lookAlike(
    (random) =>
      `${random.pick(["_", "__", "x-", ""])}${random.pick(words)}_${random.pick(words)}${random.pick(["", "2", "_v1"])}`
  ),
  upper: lookAlike((random) => `${random.pick(words)}_${random.pick(words)}`.toUpperCase()),
  dotted: lookAlike(
    (random) => `${random.pick(words)}.${random.pick(words)}.${random.pick(["key", "access", "token", "field1"])}`
  ),
  "class-name": lookAlike(
    (random) =>
      `${capital(random.pick(words))}${random.pick(["", "\\", "."])}${capital(random.pick(words))}${random.pick(["Token", "Field", "Handler", "Kind"])}`
  ),
  selector: lookAlike(
    (random) => `${random.pick("#.")}${random.pick(words)}-${random.pick(["input", "field-1", "form > input"])}`
  ),
  format: lookAlike((random) => `${random.pick(words)}.%s.${random.pick(words)}`),
  upperlist: lookAlike((random) => `${random.pick(words)}_def,${random.pick(words)}_def`.toUpperCase()),
  resource: lookAlike(
    (random) => `${random.pick(["classpath:", "file:", "res/"])}${random.pick(words)}/${random.pick(words)}/client`
  ),
  range: lookAlike((random) => `^${random.between(1, 9)}.${random.between(0, 9)}|^${random.between(1, 9)}.0`),
  alphabet: lookAlike(() => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
}
