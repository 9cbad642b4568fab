import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { minConfidence } from "../src/Candidate.ts"
import { candidatesIn, scanText } from "../src/Text.ts"
import { loadGitleaksConfig } from "../src/config/GitleaksConfig.ts"

/** The values of all candidates. */
const values = (text: string, path: string) => candidatesIn(text, { path }).map(({ value }) => Redacted.value(value))

/** Synthetic random values. */
const drawn = "q7Zr2Vx9LtWk4Np8Yd3B"
const hex = "7f3a9c05be61d24873f0ac5e19b8d642"
const grouped = "xkqz bvtw pjmr hlfd"
const inBothCases = "x9Qw Lm2V t7Kp 4RbZ hN3c Yd8s"
const sensitive = (value: string, type: string) =>
  `{ "out": { "value": ${value}, "type": ${type}, "sensitive": true } }`
const typed = "Winter-Jam42"
const personal = ["gh", "p_", "a8Fk2LmQ9xRtV4wZ7bNc1DpY6sHj3GeU5oTi"].join("")
const uuid = "6a174c20-f6de-4a53-94d2-6018fcceff64"
const marks = "]>/|HJ3v$(JVAsLf9P=unlCmjz^%=NKZ&NN=H#~LFriCv@F(X?VKk;Q=-$`+{${P"

const base64 = (text: string) => btoa(text)
/** Concatenates parts, so that this file contains no value that looks like a provider's token. */
const token = (...parts: ReadonlyArray<string>) => parts.join("")

describe("finds", () => {
  const cases: ReadonlyArray<readonly [what: string, path: string, text: string, value: string]> = [
    [".env", ".env", `API_TOKEN=${drawn}`, drawn],
    [
      ".env, quoted, exported, with a comment",
      ".env.production",
      `export DB_PASSWORD="${typed}" # do not share`,
      typed
    ],
    [".env, bare, with a comment", ".env", `DB_PASSWORD=${typed} # do not share`, typed],
    ["YAML", "config.yml", `db:\n  password: ${typed}`, typed],
    ["a line of a text", "notes.txt", "server: example.net\npassword=m45ter-x\n", "m45ter-x"],
    ["YAML, folded", "config.yml", `db:\n  password: >-\n    ${typed}\n`, typed],
    ["YAML, quoted", "config.yaml", `password: '${typed}'`, typed],
    ["environment of a compose file", "docker-compose.yml", `environment:\n  - POSTGRES_PASSWORD=${typed}`, typed],
    ["name and value of a container", "deploy.yaml", `- name: DB_PASSWORD\n  value: ${typed}`, typed],
    ["JSON", "appsettings.json", `{"Db": {"Password": "${typed}"}}`, typed],
    ["JSON inside of a string", "app.js", `send("{\\"client_secret\\": \\"${drawn}\\"}")`, drawn],
    ["TOML", "config.toml", `secret_key = "${drawn}"`, drawn],
    ["INI", "db.ini", `[db]\npassword=${typed}`, typed],
    ["properties", "application.properties", `spring.datasource.password=${typed}`, typed],
    ["a property's default", "application.properties", `db.password=\${DB_PASSWORD:${typed}}`, typed],
    ["XML element", "server.xml", `<password>${typed}</password>`, typed],
    ["XML attribute", "web.xml", `<add key="DbPassword" value="${typed}" />`, typed],
    ["XML attribute of its own", "data.xml", `<connection user="a" password="${typed}"/>`, typed],
    ["property list", "a.plist", `<key>apiToken</key>\n<string>${drawn}</string>`, drawn],
    ["Dockerfile, ENV with a blank", "Dockerfile", `ENV DB_PASSWORD ${typed}`, typed],
    ["Dockerfile, ARG", "api.dockerfile", `ARG API_TOKEN=${drawn}`, drawn],
    ["a secret of source that somebody made up", "app.ts", `const SESSION_SECRET = "${typed}!"`, `${typed}!`],
    ["Terraform variable", "main.tf", `variable "db_password" {\n  type    = string\n  default = "${typed}"\n}`, typed],
    ["Terraform argument", "main.tf", `  admin_password = "${typed}"`, typed],
    ["Kubernetes Secret", "secret.yaml", `kind: Secret\ndata:\n  anything: ${base64(drawn)}`, drawn],
    ["Kubernetes Secret, JSON", "secret.json", `{"kind": "Secret", "data": {"anything": "${base64(drawn)}"}}`, drawn],
    ["Kubernetes Secret, in clear", "secret.yaml", `kind: Secret\nstringData:\n  anything: ${drawn}`, drawn],
    [".npmrc", ".npmrc", `//registry.example.com/:_authToken=${drawn}`, drawn],
    [".netrc", ".netrc", `machine example.com login somebody password ${typed}`, typed],
    [".pypirc", ".pypirc", `[pypi]\nusername = somebody\npassword = ${typed}`, typed],
    [".dockercfg", ".dockercfg", `{"https://example.com": {"auth": "${base64(`somebody:${drawn}`)}"}}`, drawn],
    [".git-credentials", ".git-credentials", `https://somebody:${typed}@example.com`, typed],
    ["Lua, between brackets", "app.lua", `local password = [==[${typed}]]]==]`, `${typed}]]`],
    ["verbatim string of C#", "App.cs", `var password = @"${typed}\\""x";`, `${typed}\\"x`],
    ["verbatim settings of C#", "App.cs", `var c = @"\n{ ""password"": ""${typed}"" }";`, typed],
    ["raw string of Rust", "app.rs", `let password = r#"${typed}"x"#;`, `${typed}"x`],
    ["raw string of C++", "app.cpp", `auto password = R"x(${typed}"x)x";`, `${typed}"x`],
    ["Visual Basic", "App.vb", `Dim password = "${typed}\\""x"`, `${typed}\\"x`],
    ["Pascal", "App.pas", `Password := '${typed}''x';`, `${typed}'x`],
    ["PowerShell", "app.ps1", `$password = '${typed}''x'`, `${typed}'x`],
    ["Perl, between braces", "app.pl", `my %db = (password => q{${typed}});`, typed],
    ["sigil of Elixir on one line", "app.exs", `config :app, password: ~s(${typed})`, typed],
    ["dollar quotes of PostgreSQL", "app.sql", `SELECT set_secret(password := $x$${typed}$x$);`, typed],
    ["template of a file that is known by its name", "rsyncd.secrets.j2", `ops:${typed}\n`, typed],
    ["secrets of PPP", "chap-secrets", `# client server secret\n"ops a" l2tpd "${typed}" *\n`, typed],
    ["marks of a comment in properties", "a.properties", `db.password=Vq7mXt92 #LkPw\n`, "Vq7mXt92 #LkPw"],
    ["comment in properties", "a.properties", `db.password=${typed} # of 2024\n`, typed],
    ["word of a comment in properties", "a.properties", `db.password=${typed} #production\n`, typed],
    ["cookies in YAML", "a.yaml", `cookies:\n  theme: dark\n  sessionid: ${hex}\n`, hex],
    ["cookie objects in YAML", "a.yaml", `cookies:\n- domain: a\n  name: sid\n  path: /\n  value: ${hex}\n`, hex],
    [
      "cookie of JMeter",
      "plan.jmx",
      `<elementProp name="sid" elementType="Cookie">\n<stringProp name="Cookie.value">${hex}</stringProp>`,
      hex
    ],
    ["cookie of Go", "app.go", `req.AddCookie(&http.Cookie{Name: "sid", Value: "${hex}"})`, hex],
    ["Terraform, a value before its name", "main.tf", `set {\n  value = "${typed}"\n  name  = "a.password"\n}`, typed],
    [
      "Terraform, with a member between value and name",
      "main.tf",
      `variable {\n  value = "${typed}"\n  type = "PLAIN"\n  name = "PASSWORD"\n}`,
      typed
    ],
    ["Terraform, a value of any name", "main.tf", `set_sensitive {\n  name = "a.b"\n  value = "${typed}"\n}`, typed],
    ["Kubernetes, a value before its name", "a.yaml", `env:\n- value: ${typed}\n  name: DB_PASSWORD\n`, typed],
    ["state of Pulumi", "stack.json", String.raw`{"x": {"plaintext": "\"${typed}\""}}`, typed],
    ["configuration of Pulumi", "Pulumi.a.yaml", `config:\n  app:apiToken:\n    value: ${drawn}\n`, drawn],
    ["here document of Ruby", "app.rb", `File.write("x", <<~ENV)\n  DB_PASSWORD=${typed}\nENV\n`, typed],
    ["here document of PHP", "app.php", `$ini = <<<'INI'\n[db]\npassword = ${typed}\nINI;\n`, typed],
    ["here document of Perl", "app.pl", `print $f <<"EOT";\npassword=${typed}\nEOT\n`, typed],
    ["sigil of Elixir", "app.exs", `conf = ~s"""\npassword: ${typed}\n"""\n`, typed],
    ["literal that continues its first line", "app.py", `dedent('''\\\n  db:\n    password: ${typed}\n''')\n`, typed],
    ["template literal of settings", "app.ts", `await write("x", \`[db]\npassword = ${typed}\n\`)\n`, typed],
    ["app password in an environment", "compose.yml", `- "SMTP_PASSWORD=${grouped}"\n`, grouped],
    ["app password of WordPress", "app.php", `'password' => '${inBothCases}',`, inBothCases],
    ["capitalised passphrase", "app.py", 'PASSWORD = "Orbit Walrus Bramble Tunnel"', "Orbit Walrus Bramble Tunnel"],
    ["cookies of a request", "call.py", `get(url, cookies={"theme": "dark", "sessionid": "${hex}"})`, hex],
    ["cookie of a browser", "login.js", `context.addCookies([{ name: 'sid', value: '${hex}', url }])`, hex],
    ["cookie that is set", "login.py", `jar = session.cookies.set("sessionid", "${hex}")`, hex],
    ["numeric entity", "app.xml", "<password>Vq7m&#x21;Xt92LkPw</password>", "Vq7m!Xt92LkPw"],
    ["name in two words", "app.ini", `PassWord = ${typed}`, typed],
    ["list of a sensitive output", "outputs.json", sensitive(`["${drawn}"]`, '["list", "string"]'), drawn],
    ["map of a sensitive output", "outputs.json", sensitive(`{ "a": "${drawn}" }`, '["map", "string"]'), drawn],
    ["copy of a file", ".netrc.old", `machine db.internal login bob password ${typed}`, typed],
    [".pgpass", ".pgpass", `localhost:5432:app:app:${typed}`, typed],
    ["cloud credentials", ".aws/credentials", `aws_secret_access_key = ${drawn}${drawn}`, `${drawn}${drawn}`],
    ["connection string", "app.config", `Server=db;Database=app;User Id=app;Password=${typed};Encrypt=true`, typed],
    ["URL of a database", "settings.py", `DATABASE_URL = "postgres://app:${typed}@db.example.net/app"`, typed],
    ["URL, percent-encoded", "a.yml", "url: https://app:pa%40ss-W0rd9@api.example.net/", "pa@ss-W0rd9"],
    ["Authorization: Basic", "req.http", `Authorization: Basic ${base64(`somebody:${typed}`)}`, typed],
    [
      "Authorization: Bearer",
      "client.js",
      `headers: { "Authorization": "Bearer ${drawn}${drawn}" }`,
      `${drawn}${drawn}`
    ],
    ["shell history", ".bash_history", `mysql -u root --password=${typed} app`, typed],
    ["curl", "deploy.sh", `curl -u somebody:${typed} https://example.net`, typed],
    ["Rails", "config/secrets.yml", `production:\n  secret_key_base: ${hex}${hex}`, `${hex}${hex}`],
    ["Rails master key", "config/master.key", hex, hex],
    ["Django", "app/settings.py", `SECRET_KEY = 'z8!q^2w$k7v@x1m#p5r9t3'`, "z8!q^2w$k7v@x1m#p5r9t3"],
    ["WordPress", "wp-config.php", `define( 'DB_PASSWORD', '${typed}' );`, typed],
    ["Go", "main.go", `const apiKey string = "${drawn}"`, drawn],
    ["TypeScript", "a.ts", `private readonly token: string = "${drawn}"`, drawn],
    ["Java", "A.java", `private static final String PASSWORD = "${typed}";`, typed],
    ["a default for an environment variable", "a.js", `const secret = process.env.SECRET || "${drawn}"`, drawn],
    ["Python default", "a.py", `token = os.getenv("TOKEN", "${drawn}")`, drawn],
    ["a call that sets", "a.kt", `System.setProperty("api.token", "${drawn}")`, drawn],
    ["two literals of a login", "mail.py", `smtp.login("me@example.com", "${typed}")`, typed],
    [
      "rows with named columns",
      "dump.sql",
      `INSERT INTO users (id, name, password) VALUES (1, 'it''s (me)', '${typed}'),\n(2, 'b', NULL);`,
      typed
    ],
    [
      "rows without",
      "dump.sql",
      `CREATE TABLE \`users\` (\n  \`id\` int,\n  \`api_token\` varchar(64),\n  PRIMARY KEY (\`id\`)\n) ENGINE=InnoDB;\nINSERT INTO \`users\` VALUES (1,'${drawn}');`,
      drawn
    ],
    ["rows that are copied", "dump.sql", `COPY public.users (id, password) FROM stdin;\n1\t${typed}\n\\.\n`, typed],
    ["a user of a database", "init.sql", `CREATE USER app IDENTIFIED BY '${typed}';`, typed],
    ["a role of a database", "init.sql", `ALTER ROLE app WITH PASSWORD '${typed}';`, typed],
    ["mysql -p", "backup.sh", `mysqldump -u root -p${typed} app > dump.sql`, typed],
    ["docker login", "ci.sh", `docker login -u somebody -p ${typed} registry.example.net`, typed],
    ["PowerShell", "a.ps1", `$p = ConvertTo-SecureString "${typed}" -AsPlainText -Force`, typed],
    ["a header in a string", "a.sh", `curl -H "X-Api-Key: ${drawn}" https://example.net`, drawn],
    ["HTTPBasicAuth", "a.py", `requests.get(url, auth=HTTPBasicAuth("somebody", "${typed}"))`, typed],
    ["three literals of a connection", "A.java", `DriverManager.getConnection("jdbc:h2:mem", "sa", "${typed}")`, typed],
    ["a flag of one dash", "connect.ps1", `Connect-VIServer vc -User somebody -Password ${typed}`, typed],
    ["a comparison", "a.py", `if password != "${typed}": deny()`, typed],
    ["a macro", "a.h", `#define PASSWORD "${typed}"`, typed],
    ["a constant that names an option", "a.c", `curl_easy_setopt(curl, CURLOPT_XOAUTH2_BEARER, "${drawn}");`, drawn],
    ["a field of a build", "build.gradle", `buildConfigField "String", "API_KEY", "\\"${drawn}\\""`, drawn],
    ["a misspelled name", "a.conf", `pasword = ${typed}`, typed],
    ["the key of something", "a.go", `acmeKey := "${drawn}${drawn}"`, `${drawn}${drawn}`],
    ["an access token of its short name", "a.py", `gitlab_pat = "${drawn}"`, drawn],
    ["a password that looks like a template", "a.py", `password = "k7{{Vq}9$Zr{2tX"`, "k7{{Vq}9$Zr{2tX"],
    ["a default after a look-up by a name in quotes", "a.py", `x_token = os.environ.get("X") or "${drawn}"`, drawn],
    ["a line of .netrc in a script", "ci.yml", `run: echo "machine example.net login me password ${typed}" > f`, typed],
    ["a user of a database, not quoted", "a.sh", `echo CREATE USER app IDENTIFIED BY ${drawn}`, drawn],
    ["another scheme of authorization", "a.http", `Authorization: SSWS ${drawn}${drawn}`, `${drawn}${drawn}`],
    ["a password with @ in a URL", "a.yml", "url: redis://app:k7Vq@9Zr2t@cache.example.net/0", "k7Vq@9Zr2t"],
    ["a user with @ in a URL", "a.yml", `url: smtps://me@example.net:${typed}@smtp.example.net:465`, typed],
    ["openssl", "a.sh", `openssl rsa -in a.pem -passin "pass:${typed}"`, typed],
    ["openssl enc", "a.sh", `openssl enc -aes-256-cbc -k ${typed} -in a -out b`, typed],
    ["htpasswd", "a.sh", `htpasswd -bc .htpasswd somebody ${typed}`, typed],
    ["a new user of a domain", "a.bat", `net user somebody ${typed} /add`, typed],
    ["a password for sudo", "a.sh", `echo '${typed}' | sudo -kS systemctl restart nginx`, typed],
    ["a password through a pipe", "a.sh", `echo ${typed} | docker login -u somebody --password-stdin`, typed],
    [
      "a program that is set up",
      "a.sh",
      `aws configure set aws_secret_access_key ${drawn}${drawn}`,
      `${drawn}${drawn}`
    ],
    ["a header of a server", "nginx.conf", `proxy_set_header X-Api-Key ${drawn};`, drawn],
    ["one of several settings in a line", "hosts.ini", `10.0.0.1 user=root ansible_ssh_pass=${typed} port=22`, typed],
    ["the same in YAML", "play.yml", `- mysql_user: name=app password=${typed} priv=*.*:ALL`, typed],
    ["a data source of Oracle", "A.java", `String u = "jdbc:oracle:thin:app/${typed}@db:1521:x";`, typed],
    ["a data source of Go", "main.go", `dsn := "app:${typed}@tcp(db:3306)/app"`, typed],
    ["a literal that is frozen", "a.rb", `API_TOKEN = "${drawn}".freeze`, drawn],
    ["Rust, with a lifetime", "a.rs", `static PASSWORD: &'static str = "${typed}";`, typed],
    ["a Rust default", "a.rs", `let token = env::var("TOKEN").unwrap_or("${drawn}".to_string());`, drawn],
    ["basic_auth of Rust", "a.rs", `client.basic_auth("somebody", Some("${typed}"))`, typed],
    ["the third literal of mysqli", "a.php", `mysqli_connect("db", "somebody", "${typed}", "app")`, typed],
    ["two literals after a URL", "A.java", `DriverManager.getConnection(url, "sa", "${typed}")`, typed],
    ["lftp", "ci.yml", `- lftp -u somebody,${typed} ftp.example.net`, typed],
    ["a pair to be encoded", "a.js", `headers.Authorization = "Basic " + btoa("somebody:${typed}")`, typed],
    [
      "a token as a parameter of a header",
      "a.rb",
      `"Authorization" => "Token token=${drawn}${drawn}"`,
      `${drawn}${drawn}`
    ],
    ["a password that is hashed", "a.sql", `UPDATE users SET password = crypt('${typed}', gen_salt('bf'));`, typed],
    ["a row of settings", "a.sql", `INSERT INTO settings (name, value) VALUES ('smtp_password', '${typed}');`, typed],
    ["a column of CSV", "users.csv", `id,email,password\n1,"a@example.com","${typed}"\n2,b,c,d\n`, typed],
    ["a pepper", "devise.rb", `config.pepper = '${hex}${hex}'`, `${hex}${hex}`],
    ["a wireless network", "wpa_supplicant.conf", `network={\n  ssid="a"\n  psk="${typed}"\n}`, typed],
    ["users of a connection pool", "userlist.txt", `"app" "${typed}"\n"ro" "md5${"0f".repeat(16)}"`, typed],
    ["users of Redis", "conf/redis.conf", `user app on >${typed} ~* +@all`, typed],
    ["a directory", "a.yml", `url: ldap://cn=admin,dc=acme,dc=io:${typed}@ldap.acme.io`, typed],
    ["a salt with the marks of a reference", "wp-config.php", `define('AUTH_SALT', '${marks}');`, marks],
    [
      "a token that begins with a run of one letter",
      "prod.env",
      `TWITTER_BEARER=${"A".repeat(22)}Omq${drawn}${drawn}${drawn}z`,
      `${"A".repeat(22)}Omq${drawn}${drawn}${drawn}z`
    ],
    [
      "a token with a run of underscores",
      "prod.env",
      `K=HRKU-AA${drawn}${drawn}g_____w${drawn}`,
      `HRKU-AA${drawn}${drawn}g_____w${drawn}`
    ],
    ["a UUID that encrypts", "a.rs", `const ENCRYPTION_KEY: &str = "${uuid}";`, uuid],
    ["a UUID that gives access", "a.ts", `const webhookSecret = "${uuid}", requestToken = "${uuid}"`, uuid],
    ["a passphrase", "a.yml", "password: umbrella-monkey-bramble-lake", "umbrella-monkey-bramble-lake"],
    [
      "a passphrase with dots",
      "a.py",
      `connect("db", "me", "kitten.lizard.iceberg.velvet")`,
      "kitten.lizard.iceberg.velvet"
    ],
    ["a mail relay", "sasl_passwd", `[smtp.example.com]:587 me@example.com:${typed}`, typed],
    ["Clojure", "a.edn", `{:db {:user "app" :password "${typed}"}}`, typed],
    ["C++, in braces", "a.cpp", `std::string password{"${typed}"};`, typed],
    ["R", "a.R", `api_key <- "${drawn}"`, drawn],
    ["Visual Basic", "a.vb", `Dim password As String = "${typed}"`, typed],
    [
      "a JSON Web Key",
      "jwk.json",
      `{"kty": "EC", "crv": "P-256", "d": "${drawn}${drawn}_-", "x": "a"}`,
      `${drawn}${drawn}_-`
    ],
    ["a symmetric JSON Web Key", "jwk.json", `{"k": "${drawn}${drawn}", "kty": "oct"}`, `${drawn}${drawn}`],
    [
      "a token in the colour of a terminal",
      "build.log",
      `\u001b[94m${token("gh", "p_", "a8Fk2LmQ9xRtV4wZ7bNc1DpY6sHj3GeU5oTi")}\u001b[0m`,
      token("gh", "p_", "a8Fk2LmQ9xRtV4wZ7bNc1DpY6sHj3GeU5oTi")
    ],
    [
      "GitHub",
      "a.ts",
      `run("${token("gh", "p_", "a8Fk2LmQ9xRtV4wZ7bNc1DpY6sHj3GeU5oTi")}")`,
      token("gh", "p_", "a8Fk2LmQ9xRtV4wZ7bNc1DpY6sHj3GeU5oTi")
    ],
    [
      "AWS access key id",
      "a.py",
      `id = "${token("AK", "IA", "QX7ZVNM2LKJ4TRWP")}"`,
      token("AK", "IA", "QX7ZVNM2LKJ4TRWP")
    ],
    [
      "Stripe",
      "a.rb",
      `x = "${token("sk", "_live_", "4eC39HqLyjWDarjtT1zdp7dc")}"`,
      token("sk", "_live_", "4eC39HqLyjWDarjtT1zdp7dc")
    ],
    [
      "Kubernetes Secret, in a list, its values before its kind",
      "all.yaml",
      `items:\n- apiVersion: v1\n  data:\n    anything: ${base64(drawn)}\n  kind: 'Secret'\n- kind: ConfigMap\n  data:\n    a: ${hex}\n`,
      drawn
    ],
    [
      "Kubernetes Secret, in lines of its own",
      "secret.yaml",
      `kind: Secret\ndata:\n  anything: |\n    ${base64(drawn).slice(0, 12)}\n    ${base64(drawn).slice(12)}\ntype: Opaque\n`,
      drawn
    ],
    [
      "Kubernetes Secret, with a file of settings",
      "secret.yaml",
      `kind: Secret\ndata:\n  clouds.yaml: ${base64(`auth:\n  username: ops\n  password: "${drawn}"\n`)}\n`,
      drawn
    ],
    [
      "Kubernetes Secret, with a URL",
      "secret.yaml",
      `kind: Secret\nstringData:\n  dsn: postgres://ops:${drawn}@db.example.net/app\n`,
      drawn
    ],
    ["settings in base64", "values.yaml", `config: ${base64(`user=ops\ndb_password=${typed}\n`)}`, typed],
    [
      "settings in base64, twice",
      "values.yaml",
      `config: ${base64(`{"password": "${base64(`{"db_password": "${drawn}"}`)}"}`)}`,
      drawn
    ],
    ["settings in base64 of base64", "values.yaml", `config: ${base64(base64(`db_password=${typed}\n`))}`, typed],
    [
      "a token in base64, without a name",
      "main.tf",
      `user_data = "${base64(`#!/bin/sh\nset -e\nlogin ${personal}\n`)}"`,
      personal
    ],
    [
      "a token in base64 whose header names no algorithm",
      "values.yaml",
      `config: ${base64(`${base64('{"apu":"q7Zr2Vx9LtWk4Np8Yd3B"}').replace(/=+$/, "")}.${base64(`{"a":"${hex}"}`).replace(/=+$/, "")}.${drawn}${drawn}`)}`,
      `${base64('{"apu":"q7Zr2Vx9LtWk4Np8Yd3B"}').replace(/=+$/, "")}.${base64(`{"a":"${hex}"}`).replace(/=+$/, "")}.${drawn}${drawn}`
    ],
    [
      "a key that begins like a version",
      ".env",
      `ORIGIN_CA_KEY=v1.0-${hex.slice(0, 24)}-${hex.repeat(4)}`,
      `v1.0-${hex.slice(0, 24)}-${hex.repeat(4)}`
    ],
    [
      "a JWT in base64",
      "values.yaml",
      `config: ${base64(`${base64('{"alg":"HS256","typ":"JWT"}')}.${base64(`{"a":"${hex}"}`).replace(/=+$/, "")}.${drawn}${drawn}`)}`,
      `${base64('{"alg":"HS256","typ":"JWT"}')}.${base64(`{"a":"${hex}"}`).replace(/=+$/, "")}.${drawn}${drawn}`
    ],
    [
      "a command of PowerShell",
      "run.cmd",
      `powershell -enc ${base64(Array.from(`$password = "${typed}"`, (one) => `${one}\0`).join(""))}`,
      typed
    ],
    [
      "lines of base64",
      "notes.txt",
      `data:\n${(base64(`${"# nothing here\n".repeat(20)}password: ${typed}\n`).match(/.{1,76}/g) ?? []).join("\n")}\n`,
      typed
    ],
    [
      "base64 of a text in another script",
      "a.yaml",
      `config: ${btoa(String.fromCharCode(...new TextEncoder().encode(`# настройки\npassword: ${typed}\n`)))}`,
      typed
    ],
    ["settings in a string", "a.json", `{"config": "id: 7\\nclient_secret: ${drawn}\\n"}`, drawn],
    ["JSON in a string in a string", "a.json", String.raw`"{\\\"client_secret\\\":\\\"${drawn}\\\"}"`, drawn],
    ["a call without brackets", "build.gradle", `credentials {\n  username "ops"\n  password "${typed}"\n}`, typed],
    [
      "the drawn half of a login to a vault",
      "login.sh",
      "vault write auth/approle/login secret_id=6a174c20-f6de-a53c-74d2-6018fcceff64",
      "6a174c20-f6de-a53c-74d2-6018fcceff64"
    ],
    ["a password with a backquote", "a.json", `{"password": "\`-08iOR~zZik6ko^y"}`, "`-08iOR~zZik6ko^y"],
    ["a file named for its one secret", "deploy/github.token", `# for releases\n${drawn}\n`, drawn]
  ]
  for (const [what, path, text, value] of cases) {
    it(what, () => assert.deepStrictEqual(values(text, path), [value]))
  }

  it("but no private key in a comment of source code, which is documentation", () => {
    const lines = [`-----BEGIN RSA ${"PRIVATE"} KEY-----`, ...Array<string>(3).fill(`${drawn}${drawn}${drawn}`)]
    const key = [...lines, `-----END RSA ${"PRIVATE"} KEY-----`]
    const values = (text: string, path: string) => candidatesIn(text, { path }).length
    assert.strictEqual(values(key.join("\n"), "a.pem"), 1)
    assert.strictEqual(values(key.map((line) => `//! ${line}`).join("\n"), "a.rs"), 0)
    assert.strictEqual(values(`"""\nReads::\n\n${key.map((line) => `    ${line}`).join("\n")}\n"""`, "a.py"), 0)
  })

  it("a private key of several lines, and the same in a string", () => {
    const body = Array.from({ length: 4 }, (_, i) => `${drawn}${drawn}${drawn}Ab${i}+`).join("\n")
    const key = `-----BEGIN ${"PRIVATE"} KEY-----\n${body}\n-----END ${"PRIVATE"} KEY-----`
    assert.deepStrictEqual(values(`x\n${key}\n`, "id_rsa"), [key])
    assert.deepStrictEqual(values(`const key = "${key.replaceAll("\n", "\\n")}"`, "a.js"), [key])
    assert.deepStrictEqual(values(`TLS_KEY_B64=${base64(key)}`, ".env"), [key])
    const broken = base64(key).match(/.{1,76}/g) ?? []
    assert.deepStrictEqual(values(`key: |\n  ${broken.join("\n  ")}\n`, "a.yml"), [key])
    assert.deepStrictEqual(values(key, "src/test/resources/id_rsa"), [])
    for (const locked of [
      key.replaceAll("PRIVATE KEY", "ENCRYPTED PRIVATE KEY"),
      key.replace("-----\n", "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n")
    ]) {
      assert.deepStrictEqual(values(locked, "id_rsa"), [])
      assert.deepStrictEqual(values(`KEY=${base64(locked)}`, ".env"), [])
    }
    assert.deepStrictEqual(values(key.replaceAll("PRIVATE KEY", "FAKE PRIVATE KEY"), "id_rsa"), [])
  })

  it("the static key of a VPN", () => {
    const block = `-----BEGIN OpenVPN Static key V1-----\n${"7f3a9c05be61d24873f0ac5e19b8d642\n".repeat(16)}-----END OpenVPN Static key V1-----`
    assert.deepStrictEqual(values(`<tls-auth>\n${block}\n</tls-auth>\n`, "client.ovpn"), [block])
  })

  it("an unencrypted value beside an encrypted one", () => {
    const vaulted = `db_password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  ${hex}${hex}\napi_token: ${drawn}\n`
    assert.deepStrictEqual(values(vaulted, "group_vars/all.yml"), [drawn])
    const sealed = `kind: SealedSecret\nspec:\n  encryptedData:\n    password: AgB${drawn.repeat(6)}\n`
    assert.deepStrictEqual(values(`${sealed}---\nkind: Secret\nstringData:\n  a: ${drawn}\n`, "all.yaml"), [drawn])
    assert.deepStrictEqual(values(sealed, "sealed.yaml"), [])
    assert.deepStrictEqual(values(`-----BEGIN ${"PGP"} MESSAGE-----\npassword=${drawn}\n`, "a.txt"), [])
  })

  it.each([
    [
      "YAML",
      "values.yaml",
      "db:\n  password: «»\n  token: ENC[AES256_GCM,data:p673w==,iv:YY1T,aad:UQ=,tag:A7==,type:str]\nsops:\n    mac: ENC[AES256_GCM,data:YXNk,iv:YY1T,tag:A7==,type:str]\n    secret_key: Zx9cVb3nMq7wEr5t\n    encrypted_regex: ^token$\n"
    ],
    [
      "JSON",
      "values.json",
      '{ "password": "«»", "sops": { "kms": [{ "secret_key": "Zx9cVb3nMq7wEr5t" }], "mac": "ENC[AES256_GCM,data:YXNk]" } }'
    ],
    ["dotenv", ".env", "DB_PASSWORD=«»\nTOKEN=ENC[AES256_GCM,data:YXNk]\nsops_secret_key=Zx9cVb3nMq7wEr5t\n"],
    ["INI", "a.ini", "[db]\npassword = «»\n[sops]\nsecret_key = Zx9cVb3nMq7wEr5t\n"],
    ["a text that quotes a value", "notes.conf.txt", "Old: ENC[AES256_GCM,data:p673w==,type:str].\npassword = «»\n"],
    [
      "a list of Kubernetes",
      "all.yaml",
      "kind: List\nitems:\n- kind: SealedSecret\n  spec:\n    encryptedData:\n      password: Zx9cVb3nMq7wEr5t\n- kind: Secret\n  stringData:\n    password: «»\n"
    ],
    [
      "a list in JSON",
      "all.json",
      '{"items":[{"kind":"SealedSecret","spec":{"encryptedData":{"password":"Zx9cVb3nMq7wEr5t"}}},{"kind":"Secret","stringData":{"password":"«»"}}]}'
    ]
  ])("what stands in clear beside encrypted values, in %s", (_, path, text) => {
    assert.deepStrictEqual(values(text.replace("«»", "Vq7mXt92LkPw"), path), ["Vq7mXt92LkPw"])
  })

  it.each([
    ["values.yaml.j2", "db:\n  password: «»\n  token: {{ token }}\n"],
    ["app.conf.j2", "[db]\npassword = «»\n"],
    ["database.yml.erb", 'production:\n  password: «»\n  token: <%= ENV["TOKEN"] %>\n'],
    ["main.tf.tpl", 'password = "«»"\n'],
    ["application.properties.in", "db.password=«»\n"]
  ])("a password in the template %s", (path, text) => {
    assert.deepStrictEqual(values(text.replace("«»", "Vq7mXt92LkPw"), path), ["Vq7mXt92LkPw"])
  })

  it("a JWT, by its own form", () => {
    const part = (value: object) => base64(JSON.stringify(value)).replace(/=+$/, "")
    const jwt = `${part({ alg: "HS256", typ: "JWT" })}.${part({ sub: "svc-41", iat: 1700000000 })}.${drawn}${drawn}abc`
    assert.deepStrictEqual(values(`x ${jwt} y`, "a.log"), [jwt])
  })
})

describe("included", () => {
  const drawn = "Vq7mXt92LkPw"
  const found = (path: string, include?: ReadonlyArray<"tests" | "docs">) =>
    candidatesIn(`DB_PASSWORD = "${drawn}"\n`, { path }, { include }).map(({ confidence }) => confidence)

  it.each([
    ["tests", "test/fixtures/db.py", "docs"],
    ["docs", "docs/setup.py", "tests"]
  ] as const)("files of %s are read as if they were in use, with the lowest confidence", (kind, path, other) => {
    assert.deepStrictEqual(found(path), [])
    assert.deepStrictEqual(found(path, [other]), [])
    assert.deepStrictEqual(found(path, [kind]), [minConfidence])
    assert.deepStrictEqual(found(path, ["tests", "docs"]), [minConfidence])
  })

  it("changes nothing elsewhere", () => {
    assert.deepStrictEqual(found("src/db.py", ["tests", "docs"]), found("src/db.py"))
    assert.isAbove(found("src/db.py")[0] ?? 0, minConfidence)
  })
})

describe("does not find", () => {
  const cases: ReadonlyArray<readonly [what: string, path: string, text: string]> = [
    ["an address of Go without a user", "dsn.txt", `${typed}@tcp(db:3306)/app`],
    ["a reference to the environment", "a.js", "const password = process.env.DB_PASSWORD"],
    ["a workflow's secret", "ci.yml", "token: ${{ secrets.DEPLOY_TOKEN }}"],
    ["a chart's value", "t.yaml", "password: {{ .Values.db.password }}"],
    ["a command", "a.sh", "TOKEN=$(vault read -field=token secret/app)"],
    ["a shell variable", "a.sh", "export PGPASSWORD=$DB_PASSWORD"],
    ["a vault path", "a.yml", "password: vault:secret/data/app#password"],
    ["a placeholder", ".env", "API_KEY=your-api-key-here"],
    ["angle brackets", "a.yml", "password: <your password>"],
    ["x after x", ".env", "API_TOKEN=xxxxxxxxxxxxxxxxxxxx"],
    ["counted characters", ".env", "SECRET_KEY=0123456789abcdef"],
    ["a word for a secret", "a.yml", "password: password"],
    ["a type", "a.ts", "interface Login { password: string; token: Token }"],
    ["a label", "Form.tsx", `<Input type="password" placeholder="Enter your password" />`],
    ["a translation", "locales/de.json", `{"password": "Passwort", "forgot_password": "Kennwort-vergessen?"}`],
    ["a name in code", "a.js", `const tokenField = "access_token"; const key = "primary-color"`],
    ["a string that is put together", "a.js", `log("password: " + password + " was wrong, token: " + token)`],
    ["the fingerprint of a key", "Dockerfile", `ENV GPG_KEY ${"7F3A9C05BE61D24873F0"}${"AC5E19B8D642C0A1F2E3"}`],
    ["a name of four words", "a.yml", "password: orders-prod-shared-credentials"],
    ["a text of four words", "a.ts", `const errors = { password: "must-not-be-empty", confirm: "form.sign.up.label" }`],
    ["a UUID", "a.ts", `const requestToken = "9f1c2d3e-4b5a-6978-8796-a5b4c3d2e1f0"`],
    ["a digest of a secret", "deploy.yaml", `checksum/secret: ${hex}${hex}`],
    ["digests in a table of users", "a.sql", `INSERT INTO users (name, password) VALUES ('a', '${hex.slice(0, 32)}');`],
    ["words with a number", "a.yml", 'password: "Minimum 8chars 1Upper"\nphone_password: iPhone 12Pro Max'],
    ["a product with its port", "a.yml", "password: redis6379"],
    ["a digest", "a.yml", `image_key: sha256:${hex}${hex}`],
    ["a path", "a.yml", "private_key: /etc/ssl/private/server.key"],
    ["an encrypted value", "a.yml", "password: ENC[AES256_GCM,data:Zm9vYmFy,iv:abc,tag:def,type:str]"],
    ["a digest of a key", "app.env", `KEY_SHA256=${hex}${hex}`],
    ["a token of a form", "state.json", `{ "name": "csrftoken", "value": "${hex}" }`],
    ["a cookie of no session", "login.js", `setCookie("theme", "${hex}")`],
    ["code that ends in a shift", "app.rb", `x = 1 <<SIZE\npassword = read\n`],
    [
      "a JSON Web Token in settings within a test",
      "main_test.go",
      `cfg.WriteString(\`[security]\nINTERNAL_TOKEN = ${base64('{"alg":"HS256","typ":"JWT"}')}.${base64(`{"nbf":1,"a":"${hex}"}`)}.${drawn}${drawn}\n\`)`
    ],
    ["the hash of a password", ".htpasswd", "ops:$apr1$Xk2v9Lqa$7wYb3dRz0PfNc5tHs8JmE1"],
    ...[
      "$2y$10$7wYb3dRz0PfNc5tHs8JmE1Xk2v9Lqa7wYb3dRz0PfNc5tHs8JmE1X",
      "{SSHA}7wYb3dRz0PfNc5tHs8JmE1Xk2v9Lqa7w",
      `pbkdf2_sha256$600000$Xk2v9Lqa7wYb$${base64(drawn)}`,
      `SCRAM-SHA-256$4096:${base64(drawn)}$${base64(drawn)}:${base64(drawn)}`,
      `md5${hex}`,
      `*${hex.toUpperCase()}A1B2C3D4`
    ].map((hash) => [`the hash of a password, ${hash}`, "a.yml", `password: "${hash}"`] as const),
    ["the digest of a password", "server.conf", `root_password_sha2 = ${hex}${hex}`],
    ["the public half of a key", "keys.txt", `Public key: ${hex}${hex}`],
    ["a key that verifies", "a.yml", `verify_key: ${hex}${hex}`],
    ["the key of a site", "a.env", `RECAPTCHA_SITE_KEY=6L${drawn}${drawn}`],
    ["the id of a key, said in words", "keys.txt", `API key id: ${drawn}`],
    ["a set of public keys", "jwks.json", `{"keys":[{"kty":"RSA","kid":"${drawn}","n":"${drawn}${drawn}"}]}`],
    ["a point of a curve", "push.js", `{ applicationServerKey: "BK${"Zx9cVb3nMq7wEr5tY".repeat(5)}" }`],
    ["a variable of a log", "log.properties", "pattern.token=%X{token}"],
    ["a sentence of a schema", "a.xsd", "  password hashing."],
    ["an argument in a script without an ending", "bin/run", "#!/usr/bin/env python3\npassword = prompt2.answer9x"],
    ["an option in a completion of zsh", "_wget", "#compdef wget\n'--password=[specify password]:password:'"],
    ["the name of a type", "types.py", `types = { "AWS::IAM::AccessKey": "${hex.slice(0, 16)}" }`],
    ["what a program has encrypted", "renovate.json", `{ "encrypted": { "token": "${drawn}${drawn}" } }`],
    ["a path in base64", "etcd.json", `{ "key": "${base64("/registry/acme/settings")}" }`],
    ["the column of a hash", "a.sql", `INSERT INTO u (name, password_hash) VALUES ('ops', '${hex}');`],
    ["the salt of a hash", "a.yml", `salt: ${hex}\nhash: ${hex}`],
    ["the salt beside a hash", "a.json", `{"passwordHash": "${hex}${hex}", "passwordSalt": "${hex}"}`],
    ["a password that Fernet has encrypted", "a.yml", `password: gAAAAABm${drawn}${drawn}${drawn}==`],
    ["a word and a year", "a.yml", "password: admin2024"],
    [
      "the value of another name",
      "main.tf",
      `set {\n  name = "size"\n  value = "${typed}"\n}\nset {\n  name = "password"\n}`
    ],
    ["a vault file", "vault.yml", `$ANSIBLE_VAULT;1.1;AES256\n${hex.repeat(8)}\n`],
    ["a sealed secret", "s.yaml", `kind: SealedSecret\nspec:\n  encryptedData:\n    password: AgA${drawn}${drawn}`],
    ["a lock file", "package-lock.json", `{"token": "${drawn}"}`],
    ["a minified file", "app.min.js", `var token="${drawn}"`],
    ["an image in base64", "a.css", `background: url(data:image/png;base64,${base64(drawn.repeat(20))})`],
    ["a generated file", "a.pb.go", `// Code generated by protoc-gen-go. DO NOT EDIT.\nvar token = "${drawn}"`],
    ["a binary", "data", `\0password=${drawn}`],
    ["the token that documentation shows", "a.env", `AWS_ACCESS_KEY_ID=${token("AK", "IA", "IOSFODNN7EXAMPLE")}`],
    ["a URL without a password", "a.py", `url = "https://example.com:8080/path@1"`],
    ["a URL whose password is a variable", "a.sh", "curl https://user:$TOKEN@example.com"],
    ["a number", "a.c", '#define PASS_MASK 0x31c45018\nconst char *pass_mask = "0x31c45018";'],
    ["a word that ends in pass", "a.js", `const bypass = "cackle-9!Zq"`],
    ["a variable between quotes", "a.sh", `echo "DATABASE_PASSWORD='$DB_PASSWORD'"`],
    ["a placeholder in entities", "a.json", `{"password": "&lt;YOURPASSWORD-1&gt;"}`],
    ["base64 of base64 of base64", "a.yml", `config: ${base64(base64(base64(`db_password=${typed}\n`)))}`],
    [
      "a source map",
      "a.css",
      `/*# sourceMappingURL=data:application/json;base64,${base64(`{"password": "${typed}"}`)} */`
    ],
    ["a list of packages of Debian", "packages.txt", "passwd\t1:4.13+dfsg1-1+deb12u1\npasswd 1:4.17.4-2\n"],
    [
      "the ignore file of a scanner",
      ".gitleaksignore",
      `${hex}:cmd/password.go:access-service-account-token:25
`
    ],
    ["what Jenkins has encrypted", "c.xml", `<secret>{AQAAABAAAAAQ${base64(drawn)}=}</secret>`],
    ["an everyday word in a URL", "a.js", `x = "mongodb://user:password@db.example.net/app"`],
    ["a token with a run counted up", "a.py", `x = "${token("gh", "p_", "a8Fk2LmQ9xRtV4wZ7bNc1D1234567GeU5oTi")}"`],
    ["the public token of a map", "a.js", `const mapToken = "pk.${btoa('{"u":"acme","a":"')}${drawn}.${drawn}"`],
    ["a key published by its maker", ".env", `AWS_ACCESS_KEY_ID=${token("AK", "IA", "IOSFODNN7QZ2M4XK")}`],
    ["a name of a test run", "ci.yml", `DEBUG: "pw:webserver"`],
    ["something by its name", ".env", "DB_PASSWORD=somewordpress"],
    ["a key that every page shows", ".env", `STRIPE_KEY=${token("pk", "_live_", drawn)}`],
    ["a command of PowerShell", "a.ps1", "$password = Read-Host -AsSecureString"],
    ["words that are called tokens", "words.csv", "token,lemma\nRunning,run\nTwenty-one,21\n"],
    ["a string that PHP puts together", "a.php", `$token = "${drawn}" . $user; $password = '${drawn}'.$salt;`],
    ["a literal that is made into another", "a.js", `const token = "${drawn}".replaceAll("a", salt)`],
    ["a made-up token of a test", "test/fixtures/client.js", `const token = "${drawn}"`],
    ["what a secret is called", "values.yaml", "password: kafka-root-password\ntoken: jiraToken\npass: another_pw"],
    ["a word for a secret, and what it is like", "a.yml", "password: veryverysecret\nadmin_password: strongpassword"],
    [
      "a template with braces in it, that goes on in the next line",
      "a.yml",
      `config_password: '{{ "{CRYPT}" + lookup("password", secret\n  + "x") }}'`
    ],
    [
      "what a secret is called, in base64 of a Kubernetes Secret",
      "s.yaml",
      `kind: Secret\nstringData:\n  a: ${base64("example-app-secret")}`
    ],
    ["what a secret is called, in base64", "dex.yaml", `secret: ${base64("oauth-client-secret\n")}`],
    ["the end of its own name", "a.go", 'const CredentialTypeX509AndPassword = "X509AndPassword"'],
    ["a class of characters", "a.go", "token := newSecret(`fo1_[\\w-]{43}`)"],
    [
      "a sentence in another language",
      "es.json",
      `{"bad_token": "Token inesperado. ¿Pretendía usar \\"{'>'}\\" o \\"&gt;\\"?"}`
    ],
    ["a type", "a.py", "types = {'image_pull_secrets': 'list[V1LocalObjectReference]'}"],
    ["a public key", "a.js", `const key = { "key": "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE${drawn}${drawn}==" }`],
    ["a scope of OAuth", "a.js", "getToken('499b84ac-1321-427f-aa17-267ca6975798/.default')"],
    ["a version with its peers", "a.yaml", "'@inquirer/password': 4.0.23(@types/node@24.19.2)"],
    ["a pass of a compiler", "a.def", 'FUNCTION_PASS("sjljehprepare", SjLj())'],
    ["a string that Perl puts together", "a.pl", `die('Unknown token: "' . $unk->raw . '"');`],
    ["a token with many zeros", "a.js", `x = "${token("gh", "p_", "PersonalAccessToken01245678900000000")}"`],
    ["what only begins as a token", "a.md", `${token("xo", "xb-", "my-bot-token-abc")}`],
    ["a project of Docker", "a.sh", "docker compose -p project up && docker login"],
    ["a regular expression", "rules.json", String.raw`{"Square Token": "sq0atp-[0-9A-Za-z\\-_]{22}"}`],
    ["a call in a template", "t.yaml", "{{- $password = randAlphaNum 10 }}"],
    ["a template that goes on in the next line", "a.yml", `root_password: '{{ lookup("password",\n  "x") }}'`],
    ["a path with a variable", "a.sh", "credentials=/etc/pki/realms/${config['name']}/private/a.key"],
    ["a command between backquotes", "a.j2", "PASSWORD=`grep password /etc/x.cnf | tail -n 1 | cut -d= -f2`"],
    ["a word where a variable is set", "mvnw", 'case "${MVNW_PASSWORD:+has-password}" in'],
    ["an escaped variable", "a.xml", "<password>\\$KUBEADMIN_PASS</password>"],
    ["the folder of a shell", "a.yml", 'run: docker run -v "$PWD:/io" -w /io -e BUILD_RUST=1 image'],
    ["a value of something else", "a.cs", 'var filter = "overlay=eof_action=pass:repeatlast=0:format=nv12";'],
    ["an object that is made there", "a.ts", "encryptionKey: new kms.Key(stack, 'Q7Zr2Vx9LtWk')"],
    ["a string that PHP begins again", "a.php", `$q = "UPDATE users SET password = '" . $pass_new . "' WHERE 1"`],
    ["the scheme of a hash", "a.yml", "password_scheme: 'SSHA512'\nuser_password: sha512_crypt"],
    ["the fingerprint of a public key", "a.yml", "apt_key: 'F6403F6544A38863DAA0B6E03F01618A51312F3F'"],
    [
      "who signed an address",
      "a.md",
      `![a](https://s.example.net/p?X-Goog-Credential=bqcx-735508242970-dy4t%40gcp-sa)`
    ],
    ["the name of an entry in a store", "a.sh", "aws secretsmanager put-secret-value --secret-id wrong-entry-21"],
    ["the head of a JWT", "a.md", `token: ${base64('{"alg":"HS256","typ":"JWT"').slice(0, 33)}`],
    ["a country", "regions.php", "'PT' => 'Portugal',\n'PW' => 'Palaŭo',"],
    ["a number of few digits", "a.yml", "password: 1024"],
    [
      "a path of a Kubernetes Secret",
      "s.yaml",
      "kind: Secret\nstringData:\n  a: /tmp/cas2.public.pem\n  b: Example Dev"
    ],
    ["what others have published", "vendor/github.com/x/y/a.go", `var token = "${drawn}"`],
    [
      "code between the ends of a private key",
      "a.java",
      `k = k.replace("-----BEGIN ${"PRIVATE"} KEY-----", "");\nk = k.replace("\\n", "");\nk = k.replace("-----END ${"PRIVATE"} KEY-----", "");`
    ]
  ]
  for (const [what, path, text] of cases) {
    it(what, () => assert.deepStrictEqual(values(text, path), []))
  }
})

describe("a text that is no file", () => {
  it.each([
    ["package-lock.json", `{"token": "${drawn}"}`],
    ["a.pb.go", `// Code generated by protoc-gen-go. DO NOT EDIT.\nvar token = "${drawn}"`],
    ["data", `\0password=${drawn}\0`],
    ["data", `version https://git-lfs.github.com/spec/v1\npassword=${drawn}`],
    ["data", `password=${drawn} # gitleaks:allow`]
  ])("is read to its end, whatever stands in it: %s", (path, text) => {
    assert.deepStrictEqual(values(text, path), [])
    const found = candidatesIn(text, { path }, { isFile: false })
    assert.deepStrictEqual(
      found.map(({ value }) => Redacted.value(value)),
      [drawn]
    )
  })
})

describe("comments that allow", () => {
  const found = `DB_PASSWORD=${typed}`
  const comments = [
    "threat-exposure:allow",
    "gitleaks:allow",
    "trufflehog:ignore",
    "betterleaks:allow",
    "kingfisher:ignore",
    "pragma: allowlist secret",
    "pragma: whitelist secret",
    "secretlint-disable-line",
    "ggignore"
  ]
  for (const comment of comments) {
    it(`${comment}, on the line and on no other`, () => {
      assert.deepStrictEqual(values(`${found} # ${comment}\nOTHER_${found}`, ".env").length, 1)
    })
  }

  it("apply to the next line if they say so", () => {
    for (const comment of [
      "secretlint-disable-next-line",
      "pragma: allowlist nextline secret",
      "threat-exposure:allow-next-line"
    ]) {
      assert.deepStrictEqual(values(`# ${comment}\n${found}\nOTHER_${found}`, ".env").length, 1)
    }
  })

  it("apply until they are revoked", () => {
    const text = `# secretlint-disable\n${found}\n# secretlint-enable\n${found}`
    assert.deepStrictEqual(
      candidatesIn(text, { path: ".env" }).map(({ location }) => location.line),
      [4]
    )
  })
})

describe("candidates", () => {
  it("have a position", () => {
    const [candidate] = candidatesIn(`first\n  password: ${typed}\r\n`, { path: "a/b.yml" })
    assert.deepStrictEqual(candidate?.location, {
      path: "a/b.yml",
      line: 2,
      column: 13,
      endLine: 2,
      endColumn: 13 + typed.length
    })
    assert.strictEqual(candidate?.kind, "password")
  })

  it("end where their encoded form ends", () => {
    const encoded = base64(drawn)
    const [candidate] = candidatesIn(`kind: Secret\ndata:\n  a: ${encoded} # b`, { path: "secret.yaml" })
    assert.deepInclude(candidate?.location, { line: 3, column: 6, endLine: 3, endColumn: 6 + encoded.length })
  })

  it("are reported once for each position, by the most specific rule", () => {
    const value = token("gh", "p_", "a8Fk2LmQ9xRtV4wZ7bNc1DpY6sHj3GeU5oTi")
    const found = candidatesIn(`GITHUB_TOKEN=${value}\nGITHUB_TOKEN=${value}`, { path: ".env" })
    assert.deepStrictEqual(
      found.map(({ location }) => location.line),
      [1, 2]
    )
    assert.strictEqual(found[0]?.rule, "provider/github")
  })

  it("below the threshold are returned on request", () => {
    const text = "password: Sunshine"
    assert.deepStrictEqual(candidatesIn(text, { path: "a.yml" }), [])
    assert.strictEqual(candidatesIn(text, { path: "a.yml" }, { minConfidence: 0 }).length, 1)
  })

  it("never print their value", () => {
    const found = candidatesIn(`password: ${typed}`, { path: "a.yml" })
    assert.notInclude(`${JSON.stringify(found)}${String(found[0]?.value)}`, typed)
  })
})

describe("a repository's own rules", () => {
  const configOf = Effect.fnUntraced(function* (toml: string) {
    const warnings: Array<string> = []
    const config = yield* loadGitleaksConfig(() => Effect.succeed(toml), {
      warn: (_reason, sentence) => warnings.push(sentence)
    })
    assert(config !== undefined)
    return { config, warnings }
  })

  it.effect("find, with a group, an entropy and a path", () =>
    Effect.gen(function* () {
      const { config: gitleaks, warnings } = yield* configOf(`
        [[rules]]
        id = "internal"
        regex = '''(?i)corp_(?P<body>[[:alnum:]]{10})'''
        secretGroup = 1
        entropy = 3.0
        path = '''\\.txt$'''
      `)
      assert.deepStrictEqual(warnings, [])
      const of = (text: string, path: string) =>
        candidatesIn(text, { path }, { gitleaks }).map(({ rule, value }) => [rule, Redacted.value(value)])
      assert.deepStrictEqual(of("CORP_a1b2c3d4e5", "x.txt"), [["gitleaks/internal", "a1b2c3d4e5"]])
      assert.deepStrictEqual(of("CORP_aaaaaaaaaa", "x.txt"), [])
      assert.deepStrictEqual(of("CORP_a1b2c3d4e5", "x.md"), [])
    })
  )

  it.effect.each([
    ["regexes = ['''^Winter''']", true],
    ["regexes = ['''^password''']", false],
    ["regexTarget = 'line'\nregexes = ['''^password''']", true],
    ["stopwords = ['jam']", true],
    ["paths = ['''^conf/''']", true],
    ["condition = 'AND'\npaths = ['''^conf/''']\nstopwords = ['nothing']", false],
    ["condition = 'AND'\npaths = ['''^conf/''']\nstopwords = ['jam']", true],
    // One of the two conditions is invalid.
    ["condition = 'AND'\npaths = ['''(?=conf)^conf/''']\nstopwords = ['jam']", false]
  ] as const)("allow by value, by line, by stop word, and by all of them together: %s", ([list, isAllowed]) =>
    Effect.gen(function* () {
      const { config: gitleaks } = yield* configOf(`[[allowlists]]\n${list}`)
      const found = candidatesIn(`password: ${typed}`, { path: "conf/a.yml" }, { gitleaks })
      assert.lengthOf(found, isAllowed ? 0 : 1)
    })
  )

  it.effect("are reported if they cannot be used", () =>
    Effect.gen(function* () {
      const { config, warnings } = yield* configOf(`
        [[rules]]
        id = "unclosed"
        regex = '''(a+'''
        [[rules]]
        id = "lookahead"
        regex = '''a(?=b)'''
        [[rules]]
        id = "file"
        path = '''\\.p12$'''
        [[rules]]
        id = "pair"
        regex = '''pair'''
        [[rules.required]]
        id = "gone"
        [[rules]]
        id = "unknown-condition"
        regex = '''a'''
        [[rules.allowlists]]
        condition = "XOR"
        regexes = ['''a''']
        [[rules]]
        id = "unknown-target"
        regex = '''b'''
        [[rules.allowlists]]
        regexTarget = "file"
        regexes = ['''b''']
        [[allowlists]]
        targetRules = ["no-such-rule"]
        stopwords = ["a"]
      `)
      assert.deepStrictEqual(
        config.rules.map(({ id }) => id),
        ["gitleaks/unknown-condition", "gitleaks/unknown-target"]
      )
      const named = ["unclosed", "lookahead", "file", "pair", "unknown-condition", "unknown-target", "no-such-rule"]
      assert.strictEqual(warnings.length, named.length)
      for (const name of named)
        assert.isTrue(
          warnings.some((warning) => warning.includes(`"${name}"`)),
          name
        )
    })
  )

  const findings = (toml: string, text: string, path = "a.txt") =>
    Effect.map(configOf(toml), ({ config }) =>
      candidatesIn(text, { path }, { gitleaks: config }).map(({ value }) => Redacted.value(value))
    )

  it.effect.each([
    [
      "a set that ends in a hyphen, whatever the case",
      "[[rules]]\nid = 'x'\nregex = '''(?i)acme_[a-z.-]{6}'''",
      "acme_AB-c.d acme_AB/c:d",
      ["acme_AB-c.d"]
    ],
    [
      "flags of a group, and a set in several ways",
      "[[rules]]\nid = 'x'\nregex = '''(?:(?i)acme)(?:[ \\t.-]{0,20})+=\\s*([a-z]{6})\\z'''",
      "ACME.- = abcdef",
      ["abcdef"]
    ],
    ["without greed", "[[rules]]\nid = 'x'\nregex = '''(?U)acme_(\\w{4,})'''", "acme_abcdef", ["abcd"]],
    [
      "keys in any case",
      "[[Rules]]\nID = 'x'\nRegex = '''acme_(\\w+)'''\nSecretGroup = 1\n[[Rules.AllowLists]]\nStopWords = ['allowed']",
      "acme_found acme_allowed",
      ["found"]
    ],
    [
      "the first group that is not empty",
      "[[rules]]\nid = 'x'\nregex = '''acme_(?:(a+)|(b+))'''",
      "acme_bbbb",
      ["bbbb"]
    ],
    [
      "a keyword of another script",
      "[[rules]]\nid = 'x'\nregex = '''acme_(\\w+)'''\nkeywords = ['ключ']",
      "acme_lost",
      []
    ],
    [
      "an entropy that it must exceed",
      "[[rules]]\nid = 'x'\nregex = '''acme_(\\w+)'''\nentropy = 2",
      "acme_abcd acme_abcde",
      ["abcde"]
    ]
  ] as const)("read an expression as gitleaks does: %s", ([, toml, text, expected]) =>
    Effect.map(findings(toml, text), (found) => assert.deepStrictEqual(found, [...expected]))
  )

  const pair = (within: string) => `
    [[rules]]
    id = "secret"
    regex = '''acme_t = (\\S+)'''
    [[rules.required]]
    id = "client"
    ${within}
    [[rules]]
    id = "client"
    regex = '''acme_c = (\\S+)'''
    skipReport = true`

  it.effect.each([
    ["", "acme_t = q7mLkPw9\n\n\n\nacme_c = Zx9cVb3n", ["q7mLkPw9"]],
    ["", "acme_t = q7mLkPw9", []],
    ["", "acme_c = Zx9cVb3n", []],
    ["withinLines = 3", "acme_c = Zx9cVb3n\n\n\nacme_t = q7mLkPw9", ["q7mLkPw9"]],
    ["withinLines = 3", "acme_c = Zx9cVb3n\n\n\n\nacme_t = q7mLkPw9", []],
    ["withinColumns = 4", "acme_c = Zx9cVb3n\n   acme_t = q7mLkPw9", ["q7mLkPw9"]],
    ["withinColumns = 4", "acme_c = Zx9cVb3n\n     acme_t = q7mLkPw9", []]
  ] as const)("report a rule only near those that it requires: %s, %j", ([within, text, expected]) =>
    Effect.map(findings(pair(within), text), (found) => assert.deepStrictEqual(found, [...expected]))
  )

  it.effect("of an allowlist apply to its target rules only, built-in ones included", () =>
    Effect.gen(function* () {
      const allowed = (targets: string) =>
        Effect.map(
          findings(
            `[[rules]]\nid = "own"\nregex = '''acme_(\\w+)'''\n[[allowlists]]\ntargetRules = [${targets}]\nregexes = ['''Jam|acme''']\nregexTarget = "match"`,
            `password: ${typed}\nx: acme_q7mLkPw9`,
            "conf/a.yml"
          ),
          (found) => found.length
        )
      assert.strictEqual(yield* allowed('"own"'), 1)
      assert.strictEqual(yield* allowed('"assignment"'), 1)
      assert.strictEqual(yield* allowed('"generic-api-key", "own"'), 0)
    })
  )

  it.effect("skip the rule file itself", () =>
    Effect.gen(function* () {
      const { config: gitleaks } = yield* configOf("[[rules]]\nid = 'x'\nregex = '''acme_\\w+'''")
      assert.deepStrictEqual(candidatesIn("acme_example", { path: ".gitleaks.toml" }, { gitleaks }), [])
    })
  )

  it.effect.each(["[[rules", "[[rules]]\nid = 3"])("that are no TOML are a warning: %s", (toml) =>
    Effect.map(configOf(toml), ({ warnings }) => assert.lengthOf(warnings, 1))
  )
})

it("a description of an API is read as one whatever its name", () => {
  const parameters = `"example": { "password": "w8NqT5yU7c3Zk", "client_secret": "${drawn}" }`
  assert.lengthOf(candidatesIn(`{ "servers": [], ${parameters} }`, { path: "a/users.json" }), 2)
  assert.lengthOf(candidatesIn(`{ "openapi": "3.0.3", ${parameters} }`, { path: "a/users.json" }), 0)
  assert.lengthOf(candidatesIn(`openapi: 3.1.0\nexample:\n  client_secret: ${drawn}\n`, { path: "a/users.yaml" }), 0)
  const later = `"x": {}, ${parameters} }`
  assert.lengthOf(candidatesIn(later, { path: "a/users.json" }, { beginning: '{ "openapi": "3.0.3",' }), 0)
  assert.lengthOf(candidatesIn(`token_last_eight: "71c3fc11"`, { path: "a/users.yaml" }), 0)
})

describe("a text that is not read to its end in time", () => {
  it("gives what was found by then, and says so", () => {
    const text = Array.from({ length: 2000 }, (_, at) => `password = "w8NqT5yU${at}c3Zk"`).join("\n")
    const scanWithin = (asked: number) => {
      let left = asked
      return scanText(text, "a.py", { isLate: () => left-- <= 0 })
    }
    assert.deepStrictEqual(scanWithin(0), { candidates: [], allowed: [], skipped: "not-in-time" })
    const { candidates, skipped } = scanWithin(4)
    assert.strictEqual(skipped, "not-in-time")
    assert.isAbove(candidates.length, 500)
    assert.isBelow(candidates.length, 1500)
    assert.strictEqual(scanWithin(1000).skipped, undefined)
    assert.strictEqual(scanWithin(1000).candidates.length, 2000)
  })
})

describe("hostile text", () => {
  const long = (part: string) => part.repeat(Math.ceil(100_000 / part.length))
  const texts: ReadonlyArray<readonly [path: string, text: string]> = [
    ["a.txt", `password${long(" ")}x`],
    ["a.yml", `password${long("\n")}x`],
    ["a.env", long("password=")],
    ["a.env", long("password=swordfish\n")],
    ["a.txt", long("password ")],
    ["a.js", long("key(")],
    ["a.xml", long('<password a="b" ')],
    ["a.pem", long(`-----BEGIN ${"PRIVATE"} KEY-----\n`)],
    ["a.ppk", long("PuTTY-User-Key-File-2: ")],
    ["a.sql", long("insert into users values ")],
    ["a.yml", long("kind: Secret\n")],
    ["a.yml", long("- kind: Secret\n")],
    ["a.yml", "\nkind: Secret\n"],
    ["a.yml", long("  - a: b\n") + "    kind: Secret\n"],
    ["a.txt", long("cGFzc3dvcmQ9")],
    ["a.txt", long("LS0tLS1CRUdJTiB")],
    ["a.txt", `LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFb2dJQkFBS0NBUUVBektH${long("\\nQQ")}`],
    ["a.txt", long("://a:")],
    ["a.txt", long("eyJ")],
    ["a.py", `password = """${long(" ")}`],
    ["a.py", long('tokens = """\na\n')],
    ["a.py", long('users = {"a": "')],
    ["a.yml", long("a:token: ")],
    ["a.txt", long("Cookie: a=")],
    ["a.http", `Cookie: ${long("sid=a; ")}`],
    ["a.rb", long("use Rack::Auth::Basic do |a, b| ")],
    ["a.txt", long("пароль: ")],
    ["a.js", long('jwt.sign("')]
  ]
  for (const [path, text] of texts) {
    it(`${path}, ${text.slice(0, 20).trim()}…, is scanned to its end`, () => {
      const known = `\n\nDB_PASSWORD='${typed}'\n`
      assert.isAtMost(values(text + known, path).length, 7000)
    })
  }
})
