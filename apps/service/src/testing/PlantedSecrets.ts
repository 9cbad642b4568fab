/** Events with a secret in each of many contexts: what people, dumps, stealers and configuration files write. */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { loadEventsJob } from "../events/EventLoader.ts"
import type { StoredEvent } from "../events/EventStore.ts"
import type { DatabaseFiles } from "../sqlite/Database.ts"
import type { OpenDatabase } from "../sqlite/Procedure.ts"

export interface PlantedSecret {
  readonly context: string
  readonly secret: string
  readonly event: StoredEvent
}

/** Each secret stands in one event, and its letters nowhere else. */
export const plantedSecrets = (): ReadonlyArray<PlantedSecret> =>
  contexts.flatMap(([context, dataOf], number) =>
    styles.map((style, index) => {
      const secret = style(
        stem(number * styles.length + index),
        stem((number + contexts.length) * styles.length + index)
      )
      const data = dataOf(secret)
      return {
        context,
        secret,
        event: {
          event_type: "paste",
          metadata: {
            uid: `planted/${number}/${index}`,
            severity: "medium",
            estimated_created_at: new Date(Date.UTC(2026, 0, 1, 0, number, index)).toISOString()
          },
          data: typeof data === "string" ? { content: data } : data
        }
      }
    })
  )

/**
 * Stores the planted secrets and looks for them in the bytes of every file of the database and in the words of its index:
 * those that can be read there. A secret counts as read when any run of at least six of its letters and digits is.
 */
export const readableSecrets = (
  { connection, vault }: OpenDatabase,
  files: DatabaseFiles,
  planted: ReadonlyArray<PlantedSecret>
): ReadonlyArray<PlantedSecret> => {
  connection.transaction(() =>
    loadEventsJob.run({ connection, vault }, { events: planted.map(({ event }) => event), now: "2026-02-01T00:00:00Z" })
  )
  // The index stores only how a word differs from the one before it.
  connection.exec("CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'event_index', 'row')")
  const words = connection.prepare("SELECT group_concat(term, ' ') AS words FROM temp.words").get()?.["words"]
  const bytes = readdirSync(dirname(files.file)).map((name) =>
    readFileSync(join(dirname(files.file), name), "latin1").toLowerCase()
  )
  const readable = [String(words), ...bytes]
  return planted.filter(({ secret }) =>
    [secret, Buffer.from(`${user}:${secret}`).toString("base64")]
      .flatMap((form) => form.toLowerCase().match(/[a-z0-9]{6,}/g) ?? [])
      .some((part) => readable.some((text) => text.includes(part)))
  )
}

/** Ten letters that no word has. */
const stem = (number: number): string => {
  let letters = ""
  for (let rest = number * 7_919 + 15_485_863, at = 0; at < 10; at += 1) {
    letters += (at % 2 === 0 ? "bcdfghjklmnpqrstvwxz" : "aeiouy").charAt(rest % (at % 2 === 0 ? 20 : 6))
    rest = Math.floor(rest / 3) + number * (at + 1) * 31
  }
  return letters
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

const styles: ReadonlyArray<(stem: string, other: string) => string> = [
  (stem) => `${capital(stem)}2024!`,
  (stem) => `${stem}99`,
  (stem) => stem,
  (stem, other) => `${stem}-${other}-7`,
  (stem) => `${capital(stem)}#${stem.slice(0, 2).toUpperCase()}1`,
  (stem, other) => `${stem.slice(0, 7)}${other.slice(0, 7).toUpperCase()}4${stem.slice(2, 5)}`
]

const user = "jane.doe"
const host = "portal.example.com"
const pem = (body: string) =>
  `-----BEGIN RSA PRIVATE KEY-----\n${body.repeat(6).slice(0, 60)}\n${body.repeat(3).slice(0, 40)}\n-----END RSA PRIVATE KEY-----`

const contexts: ReadonlyArray<readonly [string, (secret: string) => string | Record<string, unknown>]> = [
  ["user:pass:host", (s) => `fresh today\n${user}:${s}:${host}\n`],
  ["url:user:pass", (s) => `https://${host}/login:${user}:${s}`],
  ["email:pass", (s) => `${user}@example.com:${s}`],
  ["email pass, a space between", (s) => `combo list\n${user}@example.com ${s}\nsomebody@example.com another1pass`],
  ["user|pass|host", (s) => `${user}|${s}|${host}`],
  ["host;user;pass", (s) => `${host};${user};${s}`],
  ["host, user and pass, tabs between", (s) => `${host}\t${user}\t${s}`],
  ["user:pass lines", (s) => `admin:letmein1\n${user}:${s}\nroot:toor99\nguest:guest12`],
  ["password is", (s) => `Their admin panel is open, the password is ${s} so have fun`],
  ["password for … is", (s) => `the password for the vpn is ${s}.`],
  ["password was changed to", (s) => `admin password was changed to ${s} last night`],
  ["pw:", (s) => `vpn access, pw: ${s}`],
  ["login: … pass: …", (s) => `login: ${user} pass: ${s}`],
  ["pass ->", (s) => `user ${user} pass -> ${s}`],
  ["creds: user / pass", (s) => `creds: ${user} / ${s}`],
  ["use … as the password", (s) => `just use "${s}" as the password`],
  ["stealer block", (s) => `URL: https://${host}/login\nUSER: ${user}\nPASS: ${s}\n===============`],
  ["stealer block with other names", (s) => `SOFT: Chrome\nHOST: https://${host}\nUsername: ${user}\nPassword: ${s}`],
  ["PEM", pem],
  ["field pw", (s) => ({ title: "panel", pw: s })],
  ["field passwort in a list", (s) => ({ accounts: [{ login: user, passwort: s }] })],
  ["field user_password", (s) => ({ victim: { user_password: s } })],
  ["list field passwords", (s) => ({ passwords: [s] })],
  ["environment variable", (s) => `DB_HOST=10.0.0.5\nDB_PASSWORD=${s}\nDB_NAME=shop`],
  ["YAML", (s) => `database:\n  user: shop\n  password: "${s}"\n`],
  ["JSON", (s) => `{"user":"shop","password":"${s}","port":5432}`],
  ["URL with password", (s) => `postgres://shop:${encodeURIComponent(s)}@db.example.com/shop`],
  ["mysql -p", (s) => `mysql -u root -p'${s}' shop`],
  ["curl -u", (s) => `curl -u ${user}:${s} https://${host}/api`],
  ["connection string", (s) => `Server=db.example.com;Database=shop;User Id=sa;Password=${s};`],
  ["PHP define", (s) => `define('DB_PASSWORD', '${s}');`],
  ["SQL IDENTIFIED BY", (s) => `CREATE USER 'shop'@'%' IDENTIFIED BY '${s}';`],
  [".netrc", (s) => `machine ${host} login ${user} password ${s}`],
  ["XML", (s) => `<user>${user}</user><password>${s}</password>`],
  ["Basic authorization", (s) => `Authorization: Basic ${Buffer.from(`${user}:${s}`).toString("base64")}`],
  ["Bearer authorization", (s) => `Authorization: Bearer ${s}`],
  ["--password", (s) => `deploy --user ${user} --password ${s} --force`],
  ["sshpass", (s) => `sshpass -p ${s} ssh root@${host}`],
  ["mot de passe", (s) => `identifiant : ${user}, mot de passe : ${s}`],
  ["contraseña", (s) => `usuario: ${user} contraseña: ${s}`],
  ["пароль", (s) => `логин: ${user} пароль: ${s}`],
  ["Passwort", (s) => `Benutzer: ${user}, Passwort: ${s}`],
  ["access key", (s) => `aws_secret_access_key = ${s}${s}`],
  ["table", (s) => `| user | password |\n| --- | --- |\n| ${user} | ${s} |\n`],
  ["CSV with a header", (s) => `email,password,ip\n${user}@example.com,${s},192.0.2.7\n`],
  ["C#", (s) => `var password = "${s}";`],
  ["shell login", (s) => `ftp> user ${user}\nPassword required\nPASS ${s}\n230 Login successful`],
  ["HTML input", (s) => `<input type="password" name="pass" value="${s}">`],
  ["query of a URL", (s) => `GET /login?user=${user}&password=${encodeURIComponent(s)} HTTP/1.1`],
  ["Wi-Fi", (s) => `SSID: office, WPA key: ${s}`],
  ["her password (S) works", (s) => `her password (${s}) works`],
  ["Pass=S&user", (s) => `POST user=jane&Pass=${s}&x=1`],
  ["py dict", (s) => `conf = {'user': 'x', 'pw': '${s}'}`],
  ["redis -a", (s) => `redis-cli -h 10.0.0.1 -a ${s} ping`],
  ["from-literal", (s) => `kubectl create secret generic x --from-literal=password=${s}`],
  ["add key", (s) => `<add key="Password" value="${s}" />`],
  ["password S works", (s) => `password ${s} still works on the admin panel`],
  ["S is the password", (s) => `${s} is the password for root`],
  ["root password S", (s) => `root password ${s}`],
  ["email / S", (s) => `jane@example.com / ${s}`],
  ["user=;pwd=", (s) => `user=jane;pwd=${s}`],
  ["login jane pw S", (s) => `login jane pw ${s}`],
  ["backup codes", (s) => `2fa backup code: ${s}`],
  ["logged in with", (s) => `i logged in with jane / ${s}`],
  ["u: p:", (s) => `u: jane p: ${s}`],
  ["U/P", (s) => `U/P: jane/${s}`],
  ["user:pass@host", (s) => `ssh jane:${s}@10.0.0.5`],
  ["ip:port;login;pass", (s) => `192.0.2.5:3389;administrator;${s}`],
  ["email:hash:pass", (s) => `jane@example.com:5f4dcc3b5aa765d61d8327deb882cf99:${s}`],
  ["list numbered", (s) => `1. jane@example.com:${s}\n2. b@example.com:x`],
  ["md bold", (s) => `**Password:** ${s}`],
  ["code tick", (s) => "password is `" + s + "`"],
  ["client_secret json", (s) => `"client_secret": "${s}"`],
  ["docker -e", (s) => `docker run -e MYSQL_ROOT_PASSWORD=${s} mysql`],
  ["git remote", (s) => `https://jane:${s}@github.com/x/y.git`],
  ["net use", (s) => `net use z: \\\\srv\\share ${s} /user:jane`]
]
