/** Forty-eight kinds of secret, synthetic, and a search for what a text shows of one. */
import { createHash } from "node:crypto"

/** Deterministic text of `length` characters. */
const noise = (seed: string, length: number, encoding: "base64" | "base64url" | "hex" = "base64"): string => {
  let text = ""
  for (let i = 0; text.length < length; i++)
    text += createHash("sha256").update(`${seed}/${i}`).digest(encoding).replaceAll("=", "")
  return text.slice(0, length)
}

const lines = (text: string, width: number) => text.replaceAll(new RegExp(`.{${width}}`, "gu"), "$&\n")
const pem = (label: string, length: number) =>
  `-----BEGIN ${label}-----\n${lines(noise(label, length), 64)}\n-----END ${label}-----\n`
const rsa4096 = pem("PRIVATE KEY", 3160)
const jwt = (seed: string) =>
  [`{"alg":"HS256","typ":"JWT"}`, `{"sub":"${noise(seed, 20)}","iat":1}`]
    .map((part) => Buffer.from(part).toString("base64url"))
    .concat(noise(seed, 43, "base64url"))
    .join(".")

export const plantedSecrets: Readonly<Record<string, string>> = {
  "random password": "Zq8wKd72mXp9Lr9Uv4",
  "short password": "k9#Tz2vQ",
  "password with quotes": `a"b'c\`Zq8wKd72"m`,
  "password with a newline": "Zq8wKd72\nmXp9Lr9Uv4",
  "password with a tab and blanks": "Zq8w \t Kd72  mXp9",
  "password with percent signs": "50%41Zq8w%Kd72%25mXp9",
  "password with ampersands": "Zq8w&Kd72&amp;mXp9&lt;",
  "password with backslashes": String.raw`Zq8w\nKd72\\mXp9\u0041Lr`,
  "password with slashes and pluses": "Zq8w/Kd72+mXp9/Lr9+Uv4=",
  "password with angle brackets": "<Zq8wKd72>mXp9</Lr9Uv4>",
  "password with signs of patterns": "(Zq8w|Kd72)*[mXp9]{2}$^.?",
  "password with dollar signs": "$&Zq8w$1Kd72$`mXp9",
  "password of signs": "!@#$%^&*()_+-={}[]|:;<>?",
  "password with accents": "Zq8wÉtéKd72çàmXp9ñ",
  "password in Cyrillic": "Пароль-Ключ-Секрет-92",
  "password in Chinese": "密码安全钥匙令牌数据库九十二",
  "password with emoji": "Zq8w👍🏽Kd72🔑mXp9",
  "password with combining characters": "Zq8we\u0301Kd72n\u0303mXp9",
  "password beyond the basic plane": "𝔷𝔮𝟠𝔴𝔎𝔡𝟟𝟚𝔪𝔛𝔭𝟡",
  "password in capitals": "ZQ8WKD72MXP9LR9UV4",
  digits: "8302957461920385",
  passphrase: "plinth kazoo wombat quiver 7",
  "passphrase with dashes": "plinth-kazoo-wombat-quiver-tundra",
  UUID: "3f8c1b7e-52d4-4a09-9e6b-7c1d0f2a8b35",
  "hexadecimal key": noise("hex", 64, "hex"),
  "base64 key": `${noise("base64", 43)}=`,
  "base64url key": noise("base64url", 86, "base64url"),
  JWT: jwt("jwt"),
  "token with a prefix": `zzp_${noise("token", 36, "hex")}`,
  "access key and secret": `AKIA${noise("id", 16, "hex").toUpperCase()}:${noise("key", 40)}`,
  "database URL": `postgres://svc:${noise("db", 20, "base64url")}@db.example.com:5432/orders?sslmode=require`,
  "database URL with escapes": "mysql://root:Zq8w%40Kd72%2FmXp9@10.0.0.7/shop",
  "message queue URL": `amqps://worker:${noise("mq", 24, "hex")}@mq.example.com/vhost`,
  "connection string": `Server=tcp:db.example.com,1433;User ID=svc;Password=${noise("sql", 24)};Encrypt=True;`,
  webhook: `https://hooks.example.com/services/T0${noise("hook", 8, "hex")}/B0${noise("hook2", 8, "hex")}/${noise("hook3", 24, "hex")}`,
  "private key, RSA-4096": rsa4096,
  "private key, elliptic": pem("EC PRIVATE KEY", 164),
  "private key, OpenSSH": pem("OPENSSH PRIVATE KEY", 400),
  "private key on one line": rsa4096.replaceAll("\n", String.raw`\n`),
  "PGP key, 6.5 kB": pem("PGP PRIVATE KEY BLOCK", 6500),
  certificate: pem("CERTIFICATE", 1600),
  kubeconfig: `apiVersion: v1\nkind: Config\nusers:\n- name: admin\n  user:\n    client-key-data: ${noise("kube", 2200)}\n    token: ${jwt("kube")}\n`,
  "service account": JSON.stringify(
    { type: "service_account", private_key_id: noise("gcp", 40, "hex"), private_key: pem("PRIVATE KEY", 1600) },
    undefined,
    2
  ),
  "settings file": Array.from({ length: 30 }, (_, i) => `VALUE_${i}="${noise(`env${i}`, 30)}"`).join("\n"),
  "authorization header": `Basic ${Buffer.from(`svc:${noise("basic", 18)}`).toString("base64")}`,
  "value of 1 kB": noise("1 kB", 1024),
  "value of 20 kB in lines": lines(noise("20 kB", 20_000), 76),
  "value of 64 kB": noise("64 kB", 65_536)
}

/** The spellings in which a service may repeat a value. */
export const spellingsOf = (value: string): ReadonlyArray<string> => [
  value,
  value.toUpperCase(),
  JSON.stringify(value).slice(1, -1),
  JSON.stringify(JSON.stringify(value)).slice(3, -3),
  JSON.stringify(value)
    .slice(1, -1)
    .replaceAll("/", String.raw`\/`),
  encodeURIComponent(value),
  encodeURIComponent(value).replaceAll(/%../gu, (escape) => escape.toLowerCase()),
  encodeURIComponent(encodeURIComponent(value)),
  new URLSearchParams([["", value]]).toString().slice(1),
  value.replaceAll(/[&<>"']/gu, (character) => `&#${character.charCodeAt(0)};`),
  value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
  ...["", "?", "??"].flatMap((before) =>
    (["base64", "base64url"] as const).map((encoding) => Buffer.from(`${before}${value}`).toString(encoding))
  ),
  Buffer.from(value).toString("hex"),
  Buffer.from(value).toString("hex").toUpperCase()
]

/** Parts of a value that a service may repeat: it cuts long texts. */
export const partsOf = (value: string): ReadonlyArray<string> =>
  [value.slice(0, Math.ceil(value.length * 0.7)), value.slice(Math.floor(value.length * 0.4)), value.slice(2, -2)].map(
    (part) => part.toWellFormed()
  )

/** The parts of the values that are no secret: labels, and the scheme and host of addresses. */
const publicText = [
  "-----begin rsa private key-----",
  "-----end private key-----",
  " private key ",
  '{\n  "type": "service_account",\n  "private_key_id": "',
  '",\n  "private_key": "',
  " certificate-----",
  " certificates ",
  " service account ",
  "postgres://",
  "https://hooks.example.com/"
].join("\n")

/** Looks for runs of a value in texts: of eight characters, and of as many characters as eight encoded bytes take. */
export const makeShownIn = (value: string) => {
  const [plain = "", ...encoded] = spellingsOf(value)
  const [findPlain, findEncoded] = [makeRunSearch([plain], 8), makeRunSearch(encoded, 24)]
  return (text: string): string | undefined => {
    const lower = text.toLowerCase()
    return findPlain(lower) ?? findEncoded(lower)
  }
}

/** Finds the first run of that many characters that one of the values has, too. */
const makeRunSearch = (values: ReadonlyArray<string>, length: number) => {
  const lower = values.map((value) => value.toLowerCase())
  const known = new Set<number>()
  /** Answers for most runs of a text without the larger set. */
  const marks = new Uint8Array(0x10_0000)
  for (const value of lower) {
    findRun(value, length, (hash) => {
      known.add(hash)
      marks[hash & 0xf_ffff] = 1
      return false
    })
  }
  const isSecret = (run: string) => !publicText.includes(run) && lower.some((value) => value.includes(run))
  return (text: string): string | undefined =>
    findRun(text, length, (hash, at) => {
      return marks[hash & 0xf_ffff] === 1 && known.has(hash) && isSecret(text.slice(at, at + length))
    })
}

/** The first run that is looked for. A rolling hash (Rabin and Karp) tells runs apart without a string for each. */
const findRun = (text: string, length: number, isWanted: (hash: number, at: number) => boolean): string | undefined => {
  const base = 0x0100_0193
  let weight = 1
  for (let n = 0; n < length; n++) weight = Math.imul(weight, base)
  let hash = 0
  for (let end = 0; end < text.length; end++) {
    hash = (Math.imul(hash, base) + text.charCodeAt(end)) | 0
    const at = end + 1 - length
    if (at > 0) hash = (hash - Math.imul(weight, text.charCodeAt(at - 1))) | 0
    if (at >= 0 && isWanted(hash, at)) return text.slice(at, at + length)
  }
  return undefined
}
