import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { candidatesIn } from "../../src/Text.ts"

const values = (text: string, path: string) => candidatesIn(text, { path }).map(({ value }) => Redacted.value(value))

/** Synthetic random values. */
const drawn = "q7Zr2Vx9LtWk4Np8Yd3B"
const key = `${drawn}Hs6Jc1Mf0Gu5`
const hex = "7f3a9c05be61d24873f0ac5e19b8d642"
const typed = "Winter-Jam42"

describe("an argument that can only be a secret", () => {
  const cases: ReadonlyArray<readonly [what: string, path: string, text: string, value: string]> = [
    ["a login with a variable", "a.cs", `Auth.Authenticate(user, "${typed}");`, typed],
    ["a login to a mail server", "a.go", `smtp.PlainAuth("", "me@example.net", "${typed}", "smtp.example.net")`, typed],
    ["a pair of a proxy", "A.java", `new PasswordAuthentication("me", "${typed}".toCharArray())`, typed],
    ["credentials of an HTTP client", "A.java", `new UsernamePasswordCredentials("me", "${typed}")`, typed],
    ["a mail server", "a.go", `gomail.NewDialer("smtp.example.net", 587, "me@example.net", "${typed}")`, typed],
    ["a directory", "a.go", `err := ldap.Bind("cn=me,dc=example", "${typed}")`, typed],
    ["a connection after expressions", "a.py", `ldap3.Connection(server, "cn=me", "${typed}", auto_bind=True)`, typed],
    ["without brackets", "a.rb", `http.basic_auth "me", "${typed}"`, typed],
    ["a tuple", "a.py", `AUTH = ("me", "${typed}")`, typed],
    ["a pool of Doobie", "a.scala", `Transactor.fromDriverManager[IO](driver, url, "me", "${typed}")`, typed],
    [
      "a pool of Doobie with comments",
      "a.scala",
      `Transactor.fromDriverManager[IO](\n  "org.postgresql.Driver", // driver\n  "jdbc:x", // a\n  "me",\n  "${typed}"\n)`,
      typed
    ],
    ["a database of Slick", "a.scala", `Database.forURL("jdbc:h2:mem:a", "me", "${typed}", driver = "x")`, typed],
    [
      "a database of Groovy",
      "a.groovy",
      `Sql.newInstance("jdbc:mysql://db/a", "me", "${typed}", "com.mysql.Driver")`,
      typed
    ],
    ["a database of MATLAB", "a.m", `conn = database("orders", "me", "${typed}");`, typed],
    ["a database of Node", "a.js", `const s = new Sequelize("orders", "me", "${typed}", { dialect: "mysql" })`, typed],
    ["a database of C", "a.c", `PQsetdbLogin("h", NULL, NULL, NULL, "orders", "me", "${typed}");`, typed],
    ["a client of MQTT", "a.py", `client.username_pw_set("me", "${typed}")`, typed],
    ["a client of LDAP", "a.go", `l.Bind("cn=me,dc=example", "${typed}")`, typed],
    ["a client of Neo4j", "a.js", `neo4j.auth.basic("neo4j", "${typed}")`, typed],
    ["a client of mail", "a.go", `sasl.NewPlainClient("", "me", "${typed}")`, typed],
    ["a mailbox", "a.php", `<?php imap_open("{h:993}", "me", "${typed}");`, typed],
    ["a client of SNMP", "a.py", `UsmUserData("me", "${typed}")`, typed],
    ["a store of keys", "A.java", `keyStore.load(in, "${typed}".toCharArray());`, typed],
    ["a naming context", "A.java", `env.put(Context.SECURITY_CREDENTIALS, "${typed}");`, typed],
    ["an attribute", "a.py", `setattr(config, "password", "${typed}")`, typed],
    ["a macro", "a.erl", `-define(PASSWORD, "${typed}").`, typed],
    ["a variable of CMake", "CMakeLists.txt", `set(DB_PASSWORD "${typed}")`, typed],
    ["a wireless network", "a.ino", `WiFi.begin("guests", "${typed}");`, typed],
    ["a field of a page", "a.ts", `await page.fill("#password", "${typed}")`, typed],
    ["a database behind the password", "a.php", `new mysqli("db", "me", "${typed}", "app")`, typed],
    ["keys of a cloud", "a.go", `credentials.NewStaticCredentials(id, "${key}${"Ab3Cd4Ef"}", "")`, `${key}Ab3Cd4Ef`],
    [
      "a client of an API",
      "a.ts",
      `const client = new Twilio("AC${hex}", "${hex.split("").toReversed().join("")}")`,
      hex.split("").toReversed().join("")
    ],
    ["a client and its address", "a.go", `vault.NewClient("https://v.example.net", "${key}")`, key],
    ["a key that signs", "a.js", `const t = jwt.sign(payload, "${key}", { expiresIn: "1h" })`, key],
    ["a key after an object", "a.js", `const t = jwt.sign({ id: user.id }, "${key}", { expiresIn: "1h" })`, key],
    ["a key of an HMAC", "A.java", `Algorithm algorithm = Algorithm.HMAC256("${key}");`, key],
    ["a key of a cipher", "a.js", `crypto.createCipheriv('aes-256-cbc', '${key}', iv)`, key],
    ["a key in base64", "A.cs", `aes.Key = Convert.FromBase64String("${key}Np9Qw2Xs7Lq=");`, `${key}Np9Qw2Xs7Lq=`],
    ["a client of Ruby", "a.rb", `Twilio::REST::Client.new(account, "${key}")`, key],
    ["a key of cookies", "a.go", `sessions.NewCookieStore([]byte("${key}"))`, key],
    ["a login over SMTP", "a.rb", `Net::SMTP.start(host, 587, "acme.io", "me", "${typed}", :login)`, typed],
    ["a key of a library", "A.java", `Keys.hmacShaKeyFor("${key}".getBytes(UTF_8))`, key],
    ["a key that a function returns", "a.go", `func(t *jwt.Token) (any, error) { return []byte("${key}"), nil }`, key],
    ["a client of Rust", "a.rs", `let client = Client::new("${key}");`, key],
    ["a login over FTP", "a.py", `ftplib.FTP("db.acme.io", "me", "${typed}")`, typed],
    ["a token of a framework", "A.java", `new UsernamePasswordAuthenticationToken("me", "${typed}")`, typed],
    ["a login of others", "a.rb", `config.omniauth :github, "Iv1.b1eeb1e9beddeb67", "${key}", scope: "user"`, key],
    ["a login of others by an id", "a.rb", `provider :github, "${hex.slice(0, 20)}", "${key}"`, key],
    [
      "a phrase that signs",
      "a.js",
      `jwt.sign(payload, "velvet-orbit-lantern-meadow42")`,
      "velvet-orbit-lantern-meadow42"
    ],
    ["words that sign", "a.py", `jwt.encode({"a": 1}, "velvet_orbit_lantern_meadow")`, "velvet_orbit_lantern_meadow"],
    ["a chosen key that verifies", "a.js", `jwt.verify(token, '${typed}')`, typed],
    ["what is encrypted, and a key", "a.js", `CryptoJS.AES.encrypt("${hex}", "${key}")`, key],
    ["a key of bytes", "a.py", `hmac.new(b"${key}", message, "sha256")`, key]
  ]
  for (const [what, path, text, value] of cases) {
    it(what, () => assert.deepStrictEqual(values(text, path), [value]))
  }
})

it("a password may have spaces", () => {
  for (const value of ["xkqz bvtw pjmr hlfd", "orbit walrus bramble tunnel"]) {
    assert.deepStrictEqual(values(`smtp.login("bob@example.net", "${value}")`, "a.py"), [value])
    assert.deepStrictEqual(values(`new NetworkCredential("bob", "${value}")`, "a.cs"), [value])
  }
})

it("a password may be letters alone in a call that logs in, beside a user", () => {
  assert.deepStrictEqual(values(`server.login("bob@example.net", "Sonnenblume")`, "a.py"), ["Sonnenblume"])
  for (const call of [`login(user, "Sonnenblume")`, `authenticate("bob", "Sonnenblume")`]) {
    assert.deepStrictEqual(values(call, "a.py"), [], call)
  }
})

describe("an argument that is something else", () => {
  const cases: ReadonlyArray<readonly [what: string, path: string, text: string]> = [
    ["words", "a.ts", `authenticate("username", "password"); login("field", "username")`],
    ["a variable", "a.ts", `authenticate(user, password); jwt.sign(payload, secret, { algorithm: "HS256" })`],
    ["names of fields", "a.py", `login(request, "next_page"); fill("#email", "me@example.net")`],
    ["a handler", "a.js", `element.connect("clicked", "onButtonClicked"); fn.bind(this, "Value1")`],
    ["a host and a scheme", "a.go", `vault.NewClient("https://v.example.net", "application/json")`],
    ["the name of a test", "src/test/A.java", `new UsernamePasswordCredentials("me", "${typed}")`],
    ["an algorithm", "a.js", `createHmac("sha256", key); createCipheriv("aes-256-gcm", key, iv)`],
    ["what is decrypted", "a.js", `AES.decrypt("${hex}", key)`],
    ["a word for a key", "a.js", `jwt.sign(payload, "secret"); jwt.verify(token, publicKey)`],
    ["a string that is built", "a.js", `login("me", "${typed}" + suffix)`]
  ]
  for (const [what, path, text] of cases) {
    it(what, () => assert.deepStrictEqual(values(text, path), []))
  }
})
