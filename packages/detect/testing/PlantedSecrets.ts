/**
 * Data of events with one secret in each of many contexts: what people, dumps, stealers and configuration files
 * contain.
 */

export interface PlantedSecret {
  readonly context: string
  readonly secret: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Each item contains one secret, whose letters occur nowhere else in it. */
export const plantedSecrets = (): ReadonlyArray<PlantedSecret> =>
  contexts.flatMap(([context, dataOf], number) =>
    styles.map((style, index) => {
      const secret = style(
        stem(number * styles.length + index),
        stem((number + contexts.length) * styles.length + index)
      )
      const data = dataOf(secret)
      return { context, secret, data: typeof data === "string" ? { content: data } : data }
    })
  )

/**
 * Whether a lower-case text contains a run of at least six letters and digits of the secret, in plain text or base64.
 */
export const reveals = (text: string, secret: string): boolean =>
  [secret, Buffer.from(`${user}:${secret}`).toString("base64")]
    .flatMap((form) => form.toLowerCase().match(/[a-z0-9]{6,}/g) ?? [])
    .some((part) => text.includes(part))

/** Ten letters that occur in no word. */
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
  ["net use", (s) => `net use z: \\\\srv\\share ${s} /user:jane`],
  ["combo colon", (s) => `anna.larsen@example.com:winterA1\nbo.lind@example.com:${s}\ncarl@example.com:hunterB2`],
  ["combo semicolon", (s) => `anna.larsen@example.com;zebra11\nbo.lind@example.com;${s}`],
  ["combo pipe", (s) => `bo.lind@example.com | ${s} | Sweden | premium`],
  ["combo user", (s) => `bolind:${s}\nannal:qwertz99`],
  ["combo url first", (s) => `https://login.example.com/signin:bolind:${s}`],
  ["combo android", (s) => `android://AbC==@com.example.app/:bolind:${s}`],
  [
    "checker capture",
    (s) => `bo.lind@example.com:${s} | Name = Bo Lind | Country = SE | Plan = Premium | Expires = 2026-12-01`
  ],
  ["combo space", (s) => `bo.lind@example.com ${s}\nanna.larsen@example.com zebra11`],
  ["combo tab", (s) => `bo.lind@example.com\t${s}\nanna.larsen@example.com\tzebra11`],
  [
    "stealer block",
    (s) => `SOFT: Chrome Default (120.0)\nURL: https://shop.example/login\nUSER: bolind\nPASS: ${s}\n===============`
  ],
  ["stealer block 2", (s) => `Host: https://shop.example/\nLogin: bolind\nPassword: ${s}\nApplication: Firefox`],
  [
    "stealer fields",
    (s) => ({
      victim_information: { username: "bo" },
      malware_information: { malware_family: "owl" },
      credentials: [{ url: "https://a.example", username: "bo", password: s }]
    })
  ],
  ["unknown pw", (s) => ({ victim_information: { username: "bo", pw: s } })],
  ["unknown passwd", (s) => ({ name: "b", passwd: s })],
  ["unknown key value", (s) => ({ name: "b", properties: [{ key: "password", value: s }] })],
  ["unknown name value", (s) => ({ name: "b", env: [{ name: "API_SECRET", value: s }] })],
  ["unknown creds", (s) => ({ name: "b", logins: [["https://a.example", "bo", s]] })],
  ["unknown secret answer", (s) => ({ name: "b", secret_answer: s })],
  ["unknown pwd camel", (s) => ({ name: "b", userPwd: s })],
  ["unknown access key", (s) => ({ url: "https://b.example/x", accessKey: s })],
  ["json in text", (s) => `{"id":4,"user":"bo","pw":"${s}","active":true}`],
  ["json pretty", (s) => `{\n  "username": "bo",\n  "password": "${s}"\n}`],
  ["yaml", (s) => `database:\n  host: db.example\n  user: app\n  db_password: ${s}\n`],
  ["env file", (s) => `APP_ENV=prod\nMAIL_PASSWORD=${s}\nMAIL_PORT=25`],
  ["url userinfo", (s) => `DATABASE_URL=postgres://app:${encodeURIComponent(s)}@db.example:5432/main`],
  ["sql insert", (s) => `INSERT INTO users (id, email, password) VALUES (7, 'bo.lind@example.com', '${s}');`],
  [
    "sql insert no columns",
    (s) => `INSERT INTO \`members\` VALUES (7,'bolind','bo.lind@example.com','${s}','10.0.0.7');`
  ],
  ["sql alter", (s) => `CREATE USER 'app'@'%' IDENTIFIED BY '${s}';`],
  [
    "csv header",
    (s) => `id,email,password,ip\n1,anna@example.com,zebra11,10.0.0.1\n2,bo.lind@example.com,${s},10.0.0.7`
  ],
  ["markdown table", (s) => `| user | password |\n| --- | --- |\n| bo | ${s} |`],
  ["chat pw for", (s) => `the vpn pw for bo is ${s}, please do not share`],
  ["chat slash", (s) => `admin creds: bo / ${s}`],
  ["chat as password", (s) => `log in with bo and ${s} as the password`],
  ["chat arrow", (s) => `pwd for staging -> ${s}`],
  ["chat temporary", (s) => `Your temporary password is: ${s} Please change it at the first sign-in.`],
  ["chat changed", (s) => `I changed the root password to ${s} yesterday`],
  ["chat quotes", (s) => `try the password \u201c${s}\u201d on the old box`],
  ["chat backticks", (s) => `use \`${s}\` as passphrase`],
  ["chat no separator", (s) => `Username bolind Password ${s}`],
  ["german", (s) => `Das Passwort lautet ${s}`],
  ["german kennwort", (s) => `Benutzer: bo\nKennwort: ${s}`],
  ["french", (s) => `identifiant : bo\nmot de passe : ${s}`],
  ["spanish", (s) => `usuario: bo contrase\u00f1a: ${s}`],
  ["portuguese", (s) => `usu\u00e1rio: bo\nsenha: ${s}`],
  ["russian", (s) => `\u043b\u043e\u0433\u0438\u043d: bo \u043f\u0430\u0440\u043e\u043b\u044c: ${s}`],
  ["chinese", (s) => `\u7528\u6237\u540d\uff1abo \u5bc6\u7801\uff1a${s}`],
  ["curl user", (s) => `curl -u bo:${s} https://api.example/v1/me`],
  ["mysql dash p", (s) => `mysqldump -u root -p${s} --all-databases > dump.sql`],
  ["sshpass", (s) => `sshpass -p '${s}' ssh root@10.0.0.7`],
  ["long flag", (s) => `tool login --username bo --password ${s} --host a.example`],
  ["net user", (s) => `net user bolind ${s} /add`],
  ["docker login", (s) => `docker login -u bo -p ${s} registry.example`],
  ["bearer", (s) => `GET /v1/me HTTP/1.1\nHost: api.example\nAuthorization: Bearer ${s}`],
  ["api key header", (s) => `X-Api-Key: ${s}\nAccept: */*`],
  ["xml element", (s) => `<user><name>bo</name><password>${s}</password></user>`],
  ["xml attribute", (s) => `<add key="SmtpPassword" value="${s}" />`],
  ["html input", (s) => `<input type="password" name="p" value="${s}">`],
  ["php define", (s) => `define( 'DB_PASSWORD', '${s}' );`],
  ["php array", (s) => `'password' => '${s}',`],
  ["python assign", (s) => `PASSWORD = "${s}"\nUSER = "bo"`],
  ["python keyword", (s) => `client = connect(host="a.example", user="bo", password="${s}")`],
  ["jdbc", (s) => `jdbc:mysql://db.example/main?user=root&password=${encodeURIComponent(s)}&ssl=true`],
  ["connection string", (s) => `Server=db.example;Database=main;User Id=sa;Password=${s};Encrypt=True`],
  ["redis conf", (s) => `bind 0.0.0.0\nrequirepass ${s}\nport 6379`],
  ["netrc", (s) => `machine api.example login bo password ${s}`],
  ["ini client", (s) => `[client]\nuser = root\npassword = ${s}\n`],
  ["log line", (s) => `2026-01-02 03:04:05 DEBUG auth attempt user=bo pass=${s} ip=10.0.0.7 result=ok`],
  ["telnet", (s) => `router login: admin\nPassword: ${s}\nWelcome to router`],
  ["wifi", (s) => `SSID: Northwind\nPSK: ${s}`],
  ["sudo echo", (s) => `echo '${s}' | sudo -S systemctl restart nginx`],
  ["cracked hash", (s) => `5f4dcc3b5aa765d61d8327deb882cf99:${s}`],
  ["reset token", (s) => `https://app.example/reset?token=${encodeURIComponent(s)}&user=bo`],
  [
    "title of paste",
    (s) => ({ url: "https://paste.example/x", title: `root password: ${s}`, content: "nothing here" })
  ],
  [
    "description",
    (s) => ({
      url: "https://m.example/1",
      title: "vpn access",
      content: `VPN of a bank, login bo pass ${s}`,
      actor: { id: "1", name: "kestrel" }
    })
  ],
  ["old new", (s) => `old password was Sommer2019x, new one is ${s}`],
  ["smtp tuple", (s) => `smtp.example.com|587|bo.lind@example.com|${s}`],
  ["ftp url", (s) => `ftp://bo:${encodeURIComponent(s)}@files.example.com/pub`],
  ["rdp", (s) => `10.0.0.7:3389@CORP\\bo;${s}`],
  ["cpanel", (s) => `https://host.example:2083|bolind|${s}`],
  ["powershell", (s) => `$cred = ConvertTo-SecureString "${s}" -AsPlainText -Force`],
  ["ansible", (s) => `web1 ansible_host=10.0.0.7 ansible_user=bo ansible_ssh_pass=${s}`],
  ["terraform", (s) => `variable "db" {\n  master_password = "${s}"\n}`],
  ["properties", (s) => `spring.datasource.password=${s}`],
  ["logs 1", (s) => `[+] 10.0.0.7:445 - SMB - Success: 'CORP\\bo:${s}' Administrator`],
  ["hydra", (s) => `[22][ssh] host: 10.0.0.7   login: root   password: ${s}`],
  ["mimikatz", (s) => `\t * Username : bo\n\t * Domain   : CORP\n\t * Password : ${s}`],
  ["lazagne", (s) => `[+] Password found !!!\nURL: https://mail.example\nLogin: bo\nPassword: ${s}\n`],
  ["raccoon", (s) => `URL: https://a.example/\nLogin: bo@example.com\nPassword: ${s}\nBrowser: Edge`],
  ["redline", (s) => `URL: https://a.example/\nUsername: bo\nPassword: ${s}\nApplication: Google_[Chrome]_Default`],
  ["keepass", (s) => `"Group","Title","Username","Password","URL"\n"Root","vpn","bo","${s}","https://vpn.example"`],
  ["browser csv", (s) => `name,url,username,password\nshop.example,https://shop.example,bo@example.com,${s}`],
  ["lastpass", (s) => `url,username,password,extra,name\nhttps://a.example,bo,${s},,a`],
  ["bitwarden json", (s) => `{"items":[{"name":"a","login":{"username":"bo","password":"${s}","totp":null}}]}`],
  ["sql update", (s) => `UPDATE wp_users SET user_pass = MD5('${s}') WHERE user_login = 'admin';`],
  ["php my connect", (s) => `$db = mysqli_connect("localhost", "root", "${s}", "shop");`],
  ["java props", (s) => `jdbc.username=root\njdbc.password=${s}`],
  ["node config", (s) => `module.exports = { user: 'bo', pass: '${s}', host: 'smtp.example' }`],
  ["go struct", (s) => `cfg := Config{User: "bo", Password: "${s}", Addr: ":8080"}`],
  ["ruby yaml", (s) => `production:\n  adapter: mysql2\n  username: bo\n  password: '${s}'`],
  ["docker compose", (s) => `environment:\n  - POSTGRES_USER=bo\n  - POSTGRES_PASSWORD=${s}`],
  ["helm set", (s) => `helm upgrade x ./x --set auth.password=${s}`],
  ["tomcat users", (s) => `<user username="tomcat" password="${s}" roles="manager-gui"/>`],
  ["filezilla", (s) => `<Server><Host>ftp.example</Host><User>bo</User><Pass>${s}</Pass></Server>`],
  ["wpa conf", (s) => `network={\n  ssid="home"\n  psk="${s}"\n}`],
  ["cisco", (s) => `enable password ${s}\nline vty 0 4\n login`],
  ["cisco user", (s) => `username admin privilege 15 password 0 ${s}`],
  ["snmp", (s) => `snmp-server community ${s} RO`],
  ["ppp secrets", (s) => `# client server secret IP\nbo * "${s}" *`],
  ["ovpn auth", (s) => `<auth-user-pass>\nbo\n${s}\n</auth-user-pass>`],
  ["pgpass", (s) => `db.example:5432:main:bo:${s}`],
  ["git credentials", (s) => `https://bo:${encodeURIComponent(s)}@git.example`],
  ["npmrc", (s) => `//registry.example/:_authToken=${s}`],
  ["smtp transcript", (s) => `AUTH LOGIN\n334 VXNlcm5hbWU6\nbo@example.com\n334 UGFzc3dvcmQ6\n${s}\n235 OK`],
  ["imap login", (s) => `a1 LOGIN bo@example.com ${s}\na1 OK`],
  ["redis auth", (s) => `127.0.0.1:6379> AUTH ${s}\nOK`],
  ["psql env", (s) => `PGPASSWORD=${s} psql -h db.example -U bo`],
  ["rdp file", (s) => `xfreerdp /v:10.0.0.7 /u:bo /p:${s}`],
  ["smbclient", (s) => `smbclient //srv/share -U 'bo%${s}'`],
  ["evilwinrm", (s) => `evil-winrm -i 10.0.0.7 -u bo -p ${s}`],
  ["netuse 2", (s) => `runas /user:CORP\\bo cmd   (pw ${s})`],
  ["chat forgot", (s) => `forgot to say, login is bo@example.com and the pass is ${s}`],
  ["chat dM", (s) => `bo@example.com\n${s}\n\nwork account, still valid`],
  ["chat sell", (s) => `selling access: https://vpn.bank.example user bo.lind password ${s} 500$`],
  ["chat two lines", (s) => `Email: bo@example.com\nPw: ${s}`],
  ["chat combined", (s) => `netflix acc bo@example.com:${s} enjoy`],
  ["chat italian", (s) => `utente: bo, la password è ${s}`],
  ["chat polish", (s) => `login bo, hasło to ${s}`],
  ["chat turkish", (s) => `kullanıcı adı: bo şifre: ${s}`],
  ["email reset", (s) => `Hi Bo,\n\nYour new password is ${s}.\n\nRegards, IT`],
  ["ticket", (s) => `Reset done for bo.lind - temp pw ${s}, must change at logon`],
  ["numbered combo", (s) => `1) kim@example.com:${s}\n2) lea@example.com:tigers22`],
  ["fields of an unknown form", (s) => ({ name: "b", form: { field_user: "kim", field_pass: s } })],
  [
    "nested unknown record",
    (s) => ({
      victim_information: { username: "kim" },
      passwords: [{ host: "https://a.example", login: "kim", pwd: s }]
    })
  ],
  ["password in a sentence with brackets", (s) => `vpn.example.com user: kim (password: ${s})`],
  ["asks for the password", (s) => `what is the pass again? - it's ${s}`],
  ["temporary password", (s) => `We have set a temporary password for you: ${s}`],
  ["Password equals", (s) => `Password = ${s} , dont lose it`],
  ["admin slash", (s) => `router is on 10.0.0.1, admin/${s}`],
  ["creds two lines", (s) => `user: kim\npw: ${s}`],
  ["login colon pair", (s) => `login: kim:${s}`],
  [
    "access for sale",
    (s) => ({
      url: "https://m.example/1",
      title: "RDP",
      content: `RDP 10.0.0.9 login kim password ${s} admin rights`,
      actor: { id: "1", name: "kestrel" }
    })
  ],
  ["ini with spaces", (s) => `[smtp]\nserver = mail.example\npassword   =   ${s}`],
  ["env export", (s) => `export SMTP_PASS='${s}'`],
  ["windows set", (s) => `set DB_PASS=${s}`],
  ["toml", (s) => `[db]\nuser = "kim"\npass = "${s}"`],
  ["js object", (s) => `const auth = { username: "kim", password: "${s}" }`],
  ["java constant", (s) => `private static final String PASSWORD = "${s}";`],
  ["csharp connection", (s) => `"Data Source=db;User ID=kim;Pwd=${s};"`],
  ["mongo url", (s) => `mongodb+srv://kim:${encodeURIComponent(s)}@cluster.example/test`],
  ["amqp url", (s) => `amqp://kim:${encodeURIComponent(s)}@10.0.0.3:5672`],
  ["ldap bind", (s) => `ldapsearch -x -D "cn=admin,dc=example" -w ${s} -b dc=example`],
  ["openssl pass", (s) => `openssl rsa -in k.pem -passin pass:${s}`],
  ["zip password", (s) => `unzip -P ${s} dump.zip`],
  ["7z password", (s) => `7z x dump.7z -p${s}`],
  ["archive note", (s) => `archive password: ${s}`],
  [
    "form post",
    (s) => `POST /login HTTP/1.1\r\nHost: a.example\r\n\r\nuser=kim&password=${encodeURIComponent(s)}&go=1`
  ],
  ["json escaped", (s) => `{\\"user\\":\\"kim\\",\\"password\\":\\"${s}\\"}`],
  ["xml value", (s) => `<credential><username>kim</username><secret>${s}</secret></credential>`],
  ["spring xml", (s) => `<property name="password" value="${s}"/>`],
  ["android prefs", (s) => `<string name="user_password">${s}</string>`],
  ["plist", (s) => `<key>Password</key>\n<string>${s}</string>`],
  ["spanish sentence", (s) => `la contraseña es ${s}`],
  ["french sentence", (s) => `le mot de passe est ${s}`],
  ["german sentence", (s) => `dein neues Passwort ist ${s}`],
  ["markdown list", (s) => `- **user**: kim\n- **password**: \`${s}\``],
  ["tab table", (s) => `user\tpassword\nkim\t${s}\n`],
  ["http basic url", (s) => `wget --user=kim --password=${s} https://a.example/x`],
  ["sql grant", (s) => `GRANT ALL ON shop.* TO 'kim'@'%' IDENTIFIED BY '${s}';`],
  ["postgres alter", (s) => `ALTER USER kim WITH PASSWORD '${s}';`],
  ["wifi qr", (s) => `WIFI:T:WPA;S:office;P:${s};;`]
]
