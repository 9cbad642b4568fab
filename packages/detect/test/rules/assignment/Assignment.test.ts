import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { candidatesIn } from "../../../src/Text.ts"

const values = (text: string, path: string) => candidatesIn(text, { path }).map(({ value }) => Redacted.value(value))

/** Synthetic values. */
const drawn = "q7Zr2Vx9LtWk4Np8Yd3B"
const key = `${drawn}Hs6Jc1Mf0Gu5`
const uuid = "9fed09e3-1acb-461a-89ef-36154d5601ae"
const typed = "Winter-Jam42"

describe("the literal that a function or a property yields", () => {
  it.each([
    ["A.java", `public String getPassword() { return "${typed}"; }`],
    ["A.java", `static String apiToken() {\n    return "${drawn}";\n  }`],
    ["a.rb", `def password\n  "${typed}"\nend`],
    ["a.rb", `def api_key = "${drawn}"`],
    ["a.py", `def api_token(self) -> str:\n    """The token."""\n    return "${drawn}"`],
    ["a.py", `get_secret = lambda: "${drawn}"`],
    ["a.ts", `const getToken = () => "${drawn}"`],
    ["a.ts", `const a = { password: () => { return '${typed}' } }`],
    ["a.ts", `class A { get apiKey(): string { return "${drawn}" } }`],
    ["a.go", `func dbPassword() string { return "${typed}" }`],
    ["a.go", `func (c Creds) Token() (string, error) {\n\treturn "${drawn}", nil\n}`],
    ["a.cs", `string ApiKey { get { return "${drawn}"; } }`],
    ["a.cs", `string Token() => "${drawn}";`],
    ["a.rs", `fn api_key() -> &'static str { "${drawn}" }`],
    ["a.rs", `fn password() -> String {\n    "${typed}".to_string()\n}`],
    ["a.php", `function getPassword(): string { return '${typed}'; }`],
    ["a.kt", `fun apiKey(): String = "${drawn}"`],
    ["a.kt", `private val dbPassword: String by lazy { "${typed}" }`],
    ["a.swift", `static var password: String { "${typed}" }`],
    ["a.zig", `const token = std.posix.getenv("TOKEN") orelse "${drawn}";`]
  ])("%s: %s", (path, text) => {
    assert.deepStrictEqual(values(text, path), [text.includes(drawn) ? drawn : typed])
  })

  it.each([
    ["A.java", 'protected String getPasswordParameter() { return "j_password"; }'],
    ["A.java", 'public String getKey() { return "org.shop.model.Key1"; }'],
    ["a.ts", 'class A { get passwordLabel() { return "Enter your password2" } }'],
    ["a.ts", 'const secretName = () => "my-app-db-secret-v3"'],
    ["a.ts", "class A { getToken() { return `${this.user}-token` } }"],
    ["a.py", 'def cache_key(self):\n    return "dashboard:stats:v2"'],
    ["a.rb", 'def password_digest\n  "digest-v2"\nend'],
    ["a.go", 'func secretName() string { return "app-secret-v2" }'],
    ["a.swift", 'static var password: Self { "password" }']
  ])("but no name of another thing: %s: %s", (path, text) => {
    assert.deepStrictEqual(values(text, path), [])
  })
})

describe("the default of a variable or a setting", () => {
  it.each([
    ["a.ps1", `$password = $env:DB_PASSWORD ?? "${typed}"`],
    ["Jenkinsfile", `def password = env.DB_PASSWORD ?: "${typed}"`],
    ["main.tf", `db_password = coalesce(var.password, "${typed}")`],
    ["a.yml.erb", `password: <%= ENV["DB_PASSWORD"] || "${typed}" %>`],
    ["a.ts", `const x = process.env.TOKEN ?? "${drawn}"`],
    ["a.ts", `const x =\n  process.env.API_KEY ||\n  "${drawn}"`],
    ["a.ts", `const x = process.env.API_KEY\n  ?? "${drawn}"`],
    ["a.ts", `const x = process.env["API_KEY"] || '${drawn}'`],
    ["a.ts", `const x = import.meta.env.VITE_API_KEY ?? \`${drawn}\``],
    ["a.ts", `connect(process.env.DB_PASSWORD || "${typed}")`],
    ["a.ts", `const x = config.get("jwt.secret", "${drawn}")`],
    ["a.py", `x = os.environ.get("DB_PASSWORD", "${typed}")`],
    ["a.py", `x = os.environ.get("DB_PASSWORD") or "${typed}"`],
    ["a.rb", `x = ENV.fetch("API_TOKEN", "${drawn}")`],
    ["a.rb", `x = ENV.fetch("API_TOKEN") { "${drawn}" }`],
    ["a.rb", `x = ENV["DB_PASSWORD"] || "${typed}"`],
    ["a.go", `x := flag.String("password", "${typed}", "of the database")`],
    ["a.go", `flag.StringVar(&x, "password", "${typed}", "of the database")`],
    ["a.yml", `DB_PASSWORD: \${{ secrets.DB_PASSWORD || '${typed}' }}`],
    ["a.rs", `let x = env::var("API_TOKEN").unwrap_or("${drawn}".into());`],
    ["a.rs", `let x = env::var("DB_PASSWORD").unwrap_or_else(|_| "${typed}".to_string());`],
    ["A.java", `String x = Optional.ofNullable(System.getenv("API_TOKEN")).orElse("${drawn}");`],
    ["A.java", `String x = System.getenv().getOrDefault("DB_PASSWORD", "${typed}");`],
    ["a.kt", `val x = System.getenv("API_TOKEN") ?: "${drawn}"`],
    ["a.cs", `var x = Environment.GetEnvironmentVariable("API_TOKEN") ?? "${drawn}";`],
    ["a.php", `$x = getenv('DB_PASSWORD') ?: '${typed}';`],
    ["a.php", `$x = $_ENV['API_TOKEN'] ?? '${drawn}';`],
    ["a.sh", `export X="\${SECRET_KEY:-${drawn}}"`],
    ["a.js", `const apiKey = process.env.API_KEY ? process.env.API_KEY : "${drawn}"`],
    ["a.py", `api_key = os.environ["API_KEY"] if "API_KEY" in os.environ else "${drawn}"`],
    ["a.php", `$apiKey = getenv('API_KEY') ? getenv('API_KEY') : '${drawn}';`],
    ["build.gradle", `signingPassword = project.hasProperty("signing") ? project.property("signing") : "${typed}"`],
    ["build.gradle", `  keyPassword System.getenv("KEY_PASSWORD") != null ? System.getenv("KEY_PASSWORD") : "${typed}"`]
  ])("%s: %s", (path, text) => {
    assert.deepStrictEqual(values(text, path), [text.includes(drawn) ? drawn : typed])
  })

  it.each([
    ["a.ts", 'const x = props.password || "Enter a password"'],
    ["a.ts", 'const type = isPassword || "password" ? "text" : "password"'],
    ["a.ts", 'const x = process.env.TOKEN ?? ""'],
    ["a.ts", "const x = process.env.TOKEN ?? `${prefix}-${id}`"],
    ["a.py", 'x = request.args.get("token", "none")'],
    ["a.py", 'x = os.environ.get("DB_PASSWORD") or "changeme"'],
    ["a.rb", 'x = ENV["API_TOKEN"] || "your-api-token"'],
    ["a.sh", 'mysql --password || "could not connect"'],
    ["a.yml", `password: $DB_PASSWORD || "${typed}"`],
    ["a.toml", `password: $DB_PASSWORD || "${typed}"`],
    ["a.sh", 'export X="${SECRET_KEY:-$OTHER}"'],
    ["a.sh", 'export X="${SECRET_KEY:?is-not-set-at-all}"']
  ])("but no other word there: %s: %s", (path, text) => {
    assert.deepStrictEqual(values(text, path), [])
  })
})

describe("a section that is named for secrets", () => {
  it.each([
    ["a.xml", `<passwords>\n  <ann>${typed}</ann>\n  <entry key="bob">${drawn}</entry>\n</passwords>`, [typed, drawn]],
    ["a.plist", `<key>tokens</key>\n<dict>\n<key>acme</key>\n<string>${drawn}</string>\n</dict>`, [drawn]],
    ["a.plist", `<key>tokens</key>\n<array>\n<string>${drawn}</string>\n</array>`, [drawn]],
    ["a.xml", "<credentials><user>bob</user><host>db2.internal</host></credentials>", []],
    ["strings.xml", "<tokens><title>Tokens2</title><text>All 12 tokens</text></tokens>", []],
    ["a.toml", `[api_keys]\nacme = "${drawn}"`, [drawn]],
    ["a.toml", `[prod.tokens]\n"acme.io" = '${drawn}'`, [drawn]],
    [
      "a.ini",
      `[passwords]\n# of people\n\nann = ${typed}\nbob = ${drawn} ; new\n[other]\nhash = ${key}`,
      [typed, drawn]
    ],
    ["a.ini", "[credentials]\nuser = bob\nhost = db2.internal", []],
    ["a.ini", "[tokens]\ncount = 12\nkind = jwt2", []],
    ["a.ini", "[passwords]\nmin_length = 8\npolicy = strong2", []],
    ["a.ini", "[hotkeys]\nsave = Ctrl+Shift+F12", []],
    ["a.toml", `[tool.secrets]\nbaseline = ".secrets.baseline2"`, []]
  ])("%s: %s", (path, text, expected) => {
    assert.deepStrictEqual(values(text, path), expected)
  })
})

describe("a key among other words", () => {
  it.each([
    ["notes.txt", `acme token - '${drawn}'`],
    ["notes.txt", `api key – "${drawn}"`],
    ["notes.txt", `deploy token → ${drawn}`],
    ["notes.txt", `API Key\t${drawn}`],
    ["notes.txt", `Token (staging): ${drawn}`],
    ["notes.txt", `Token [staging]: ${drawn}`],
    ["notes.md", `* API key (live) — ${drawn}`],
    ["mail.eml", `Your temporary token is: ${drawn}`],
    ["a.html", `<tr><td>Token</td><td>${drawn}</td></tr>`],
    ["a.html", `<dt>api_key</dt>\n<dd>${drawn}</dd>`],
    ["sys.config", `[{app, [{<<"api_key">>,<<"${drawn}">>}]}].`],
    ["a.erl", `#{<<"api_key">> => <<"${drawn}">>}`],
    ["notes.md", `The deploy token - \`${drawn}\``],
    ["notes.txt", `tracking api key: ${drawn}`],
    ["a.yml", `api_key: OAuth ${drawn}`],
    ["a.yml", `api_token: "X-Authorization ${drawn}"`],
    ["a.ts", `const authToken = "Token ${drawn}"`],
    ["a.py", `token = '  ${drawn} '`],
    ["a.xml", `<secret>{acme production ${drawn}}</secret>`],
    ["notes.txt", `func acmeToken() string { return "${drawn}" }`],
    ["notes.txt", `variable "acme_api_token" {\n  default = "${drawn}"\n}`],
    ["notes.txt", `<a>Endpoint=https://a.azconfig.io;Id=x1;Secret=${drawn}</a>`],
    ["ci.yml", `password: \${{ secrets.ghp_${key}Aq7B }}`]
  ])("%s: %s", (path, text) => {
    const secret = text.includes("ghp_") ? `ghp_${key}Aq7B` : drawn
    assert.deepStrictEqual(values(text, path), [secret])
  })

  it.each([
    ["notes.txt", "the token - 'a word' - is checked"],
    ["notes.txt", "password (min 8): yes1"],
    ["notes.txt", "token — 16 bytes"],
    ["notes.txt", "token\ttype2"],
    ["a.html", "<td>password</td><td>string2</td>"],
    ["a.html", "<dt>api_key</dt><dd>Your API key 2</dd>"],
    ["notes.txt", "password - 'must have 8 characters'"],
    ["a.ts", "const x = keyLength - '16'"],
    ["a.yml", "token: Bearer authentication-is-required"],
    ["config.xml", `<secret>{AQAAABAAAAAQk9vP2xL0mZ8yQ1wE5rT7yU3iO9pA2sD4fG6hJ8kL0zX=}</secret>`],
    ["a.html", "<secret>{vault production database-password}</secret>"],
    ["ci.yml", "password: ${{ secrets.ghp_token }}"]
  ])("but no words alone: %s: %s", (path, text) => {
    assert.deepStrictEqual(values(text, path), [])
  })
})

describe("names of keys", () => {
  const letters = "PSIYbVgfkbEPQoqJfzHpACTtihONkQcKmOpNDPNiCU"

  it.each([
    ["prod.env", `NEWSAPIKEY=${drawn}`],
    ["prod.env", `GITEA_PAT=${drawn}`],
    ["prod.env", `AZURE_SEARCH_KEY=${drawn}`],
    ["a.sh", `curl "https://api.acme.io/v1/x?tokenkey=${drawn}"`],
    ["prod.env", `CODEMAGIC_KEY=${letters}`],
    ["a.js", `const hapikey = "${uuid}"`],
    ["a.cs", `readonly static string jenkinsToken = "${uuid}";`],
    ["prod.env", `ATLAS_PRIVATE_KEY=${uuid}`],
    ["prod.env", `SNIPCART_KEY=${uuid}`],
    ["values.yaml", `env:\n  PUSHER_KEY: ${uuid}`],
    ["a.js", `const bugsnagKey = "${uuid}"`]
  ])("%s: %s", (path, text) => {
    const found = [letters, uuid, drawn].find((value) => text.includes(value)) ?? ""
    assert.deepStrictEqual(values(text, path), [found])
  })

  it.each([
    ["a.ts", `const correlationToken = "${uuid}"`],
    ["a.py", `client_token = "${uuid}"`],
    ["a.h", `#define PROPERTY_KEY "${uuid}"`],
    ["prod.env", `PARTITION_KEY=${uuid}`],
    ["prod.env", `OAUTH_CONSUMER_KEY=${drawn}`],
    ["a.js", `const searchKey = "${drawn}"`],
    ["a.ts", "const filePat = 'src/generated/Client2/files'"],
    ["a.ts", "const columnKey = 'SomeVeryLongCamelCaseIdentifierThatIsAName'"],
    ["a.html", `<button accesskey="s" class="monkey">Save</button>`]
  ])("but not of ids: %s: %s", (path, text) => {
    assert.deepStrictEqual(values(text, path), [])
  })
})

describe("keys of any alphabet and length", () => {
  const digits = "40947068330383437756"
  const keyboard = "m=Jr|6yDx^z5G*sU1G*^Jcv_[<a)+~jfj[6|EA|>F57g!hQ2"
  const long = Array.from({ length: 100 }, (_, at) => `${drawn}${(at * 7919).toString(36)}/${key}`).join("")

  it.each([
    ["prod.env", digits, `API_KEY=${digits}`],
    ["a.yml", digits, `api_key: "${digits}"`],
    ["a.ts", digits, `const apiKey = "${digits}"`],
    ["prod.env", keyboard, `SECRET_KEY='${keyboard}'`],
    ["a.properties", keyboard, `secret.key=${keyboard}`],
    ["a.py", keyboard, `SECRET_KEY = '${keyboard}'`],
    ["prod.env", long, `PRIVATE_KEY=${long}`],
    ["a.yml", long, `private_key: ${long}`],
    ["a.properties", long, `private.key=${long}`],
    ["a.json", long, `{"access_token": "${long}"}`],
    ["a.xml", long, `<privateKey>${long}</privateKey>`],
    ["a.py", long, `ACCESS_TOKEN = "${long}"`]
  ])("%s: %s", (path, value, text) => assert.deepStrictEqual(values(text, path), [value]))

  it("are no ids, telephone numbers and embedded files", () => {
    assert.deepStrictEqual(values(`token_key = "297496396029"`, "a.py"), [])
    assert.deepStrictEqual(values(`api_key = "1111222233334444"`, "a.py"), [])
    assert.deepStrictEqual(values(`PASSWORD = "${long}"`, "a.py"), [])
    assert.deepStrictEqual(values(`SECRET_KEY = "${long.repeat(2)}"`, "a.py"), [])
  })
})

describe("a statement that is commented out", () => {
  it.each([
    ["a.js", `// const password = "${typed}"`],
    ["a.js", `run()\n//  apiKey: "${drawn}",`],
    ["a.py", `# SECRET_KEY = "${drawn}"`],
    ["A.java", `/* String password = "${typed}"; */`],
    ["A.java", `  // connect(url, "root", "${typed}");`]
  ])("is read as code: %s: %s", (path, text) => {
    assert.deepStrictEqual(values(text, path), [text.includes(drawn) ? drawn : typed])
  })

  it.each([
    ["a.js", `// Usage:\n// const password = "${typed}"`],
    ["a.js", `// Sets the password, for example:\n// reset()\n// login({ password: "${typed}" })`],
    ["a.rb", `# Authenticates.\n#\n#   user.password = "${typed}"`],
    ["A.java", `// token = "${drawn}"`],
    ["A.java", `/**\n * String password = "${typed}";\n */`],
    ["a.rs", `/// let password = "${typed}";`],
    ["a.js", `// the password is "${typed}" in the manual`]
  ])("but no documentation: %s: %s", (path, text) => assert.deepStrictEqual(values(text, path), []))
})

describe("a password that everybody has, and what only looks like one", () => {
  it.each([
    ["prod.env", "DB_PASSWORD=root123"],
    ["docker-compose.yml", "POSTGRES_PASSWORD: postgres1"],
    ["application.properties", "spring.datasource.password=mysql5"],
    ["a.sh", "password=ARGV[index"],
    ["a.conf", "password=argv[i+1]"],
    ["a.yml", "token: com.squareup.okhttp3:okhttp@aar"],
    ["a.gradle", 'keystorePassword = "io.netty:netty-tcnative:2.0.1:linux"'],
    ["Cargo.toml", 'features = ["Win32_Security", "Win32_Foundation", "Win32_Security_Credentials"]']
  ])("is below the threshold: %s: %s", (path, text) => assert.deepStrictEqual(values(text, path), []))
})

describe("a value ends where its format says", () => {
  const cases: ReadonlyArray<readonly [what: string, path: string, text: string, values: ReadonlyArray<string>]> = [
    ["a flow mapping", "a.yml", `- { name: a, password: ${drawn}, roles: [r, w] }`, [drawn]],
    ["a flow mapping, last", "a.yml", `auth: {user: a, password: ${typed}}`, [typed]],
    ["a flow mapping over lines", "a.yml", `auth: {\n  password: ${typed},\n  user: a\n}`, [typed]],
    ["a template is no flow mapping", "a.yml", `x: {{ .Values.x }}\npassword: ab,${typed}`, [`ab,${typed}`]],
    [
      "a data source with blanks",
      "a.cs",
      `x = "Server=h; User Id=a; Password=Gr4(nite>7Tango; Encrypt=true";`,
      ["Gr4(nite>7Tango"]
    ],
    [
      "a data source in XML",
      "App.config",
      `<add connectionString="Data Source=h;User Id=a;Password=Gr4&amp;nite7Tango;" />`,
      ["Gr4&nite7Tango"]
    ],
    [
      "a data source in JSON",
      "a.json",
      `{"db": "Server=h;User Id=a;Password=Gr4\\u0026nite7Tango"}`,
      ["Gr4&nite7Tango"]
    ],
    [
      "a data source that ends with the line",
      "a.ini",
      "x=1\nDriver=O 17;Server=h;UID=a;PWD=Gr4|nite)7Tango",
      ["Gr4|nite)7Tango"]
    ],
    ["options behind a host", "a.json", `{"redis": "h:6380,password=Gr4)nite7Tango,ssl=True"}`, ["Gr4)nite7Tango"]],
    ["a data source of a variable", "a.cs", `x = $"Server=h;User Id=a;Password={secretOfDb};Encrypt=true";`, []],
    ["angles in a word", "a.log", "login password=Win7<9er>Jam42 ok", ["Win7<9er>Jam42"]],
    ["a word before a tag", "a.txt", "password=Win7erJam42<br>next", ["Win7erJam42"]],
    ["a comma in a word of a shell", "a.sh", "PASSWORD=Win,ter7Jam42 psql", ["Win,ter7Jam42"]],
    ["a list in a word of a shell", "a.sh", "helm --set db.password=Win7erJam42,db.user=a", ["Win7erJam42"]],
    ["an ampersand at the end of a word", "a.log", "login user=a password=Win7erJam& host=h", ["Win7erJam&"]],
    ["an ampersand before a parameter", "a.log", "GET /a?password=Win7erJam42&page=2", ["Win7erJam42"]],
    ["a piece of a line, from within a string", "a.json", `lorem ipsum","b":1,"api_key":"${drawn}"}`, [drawn]],
    ["a long line, in a string", "a.json", `{"a":"${"lorem ".repeat(700)}","api_key":"${drawn}"}`, [drawn]],
    ["a long line of many strings", "a.json", `{${'"a":"b",'.repeat(700)}"api_key":"${drawn}"}`, [drawn]],
    [
      "a long line with a sum of strings",
      "a.ts",
      `x = "${"lorem ".repeat(700)}"; y = "token: " + name + "${drawn}"`,
      []
    ],
    ["a statement of minified code", "a.js", 'a.key="x";e.apiKey=t.apiKey||"";n.apiKey=t.apiKey||m;f()', []],
    ["an entry of an environment", "a.json", '{"env": ["DB_PASS=oN7js:|FtW)e^HOyh,CLq"]}', ["oN7js:|FtW)e^HOyh,CLq"]],
    ["a query in a string", "a.ts", `get("token=${drawn}&page=2")`, [drawn]],
    ["a binary of Erlang", "sys.config", `[{app, [{api_key, <<"${drawn}">>}]}].`, [drawn]],
    ["a setting in a string of code", "a.js", `open("a=1;token=${drawn};b=2")`, [drawn]],
    ["base64 with its padding", "a.yml", "api_secret: fZ9weQTd0mKfQw==", ["fZ9weQTd0mKfQw=="]],
    [
      "base64 with slashes",
      "a.yml",
      "api_secret: q7Zr2Vx9/LtWk4Np8Yd3B/Hs6Jc1Mf0Gu",
      ["q7Zr2Vx9/LtWk4Np8Yd3B/Hs6Jc1Mf0Gu"]
    ],
    [
      "base64 for URLs that begins with a dash",
      "a.toml",
      `secret = "-w3${drawn}_-${drawn}"`,
      [`-w3${drawn}_-${drawn}`]
    ],
    ["a password that ends with a question mark", "a.java", 'String password = "Winter4711?";', ["Winter4711?"]],
    ["letters alone that make no word", "a.py", 'password = "usfsvuscwebrblgc"', ["usfsvuscwebrblgc"]],
    ["marks of other keyboards", "a.env", "DB_PASSWORD=k7Vq£9Zr§2tX", ["k7Vq£9Zr§2tX"]],
    ["a TOML string of several lines", "a.toml", `password = """\n${typed}\n"""`, [typed]],
    ["a TOML literal", "a.toml", String.raw`password = 'Winter\nJam42'`, [String.raw`Winter\nJam42`]],
    ["single quotes of YAML", "a.yml", String.raw`password: 'Win''ter\nJam42'`, [String.raw`Win'ter\nJam42`]],
    ["single quotes of a shell", "a.sh", String.raw`PASSWORD='Winter\nJam42'`, [String.raw`Winter\nJam42`]],
    ["a verbatim string of C#", "a.cs", String.raw`string password = @"Winter\Jam42";`, [String.raw`Winter\Jam42`]],
    ["a raw string of Python", "a.py", String.raw`password = r"Winter\nJam42"`, [String.raw`Winter\nJam42`]],
    ["a raw string of Go", "a.go", `apiToken := \`${drawn}\``, [drawn]],
    ["entities of an attribute", "a.xml", `<add key="Password" value="k7&amp;Vq9Zr&lt;2tX"/>`, ["k7&Vq9Zr<2tX"]],
    ["a value on the next line, in code", "a.ts", `const apiToken =\n  "${drawn}"`, [drawn]],
    ["a value on the next line, in brackets", "a.py", `PASSWORD = (\n    "${typed}"\n)`, [typed]],
    ["a value on the next line, in YAML", "a.yml", `db:\n  password:\n    ${typed}\n  user: a`, [typed]],
    ["a value on the next line, in JSON", "a.json", `{"password":\n  "${typed}"}`, [typed]],
    ["a value and its description", "a.yml", `DEPLOY_TOKEN:\n  description: x\n  value: "${drawn}"`, [drawn]],
    ["a value in a flow mapping", "a.yml", `DEPLOY_TOKEN: { value: "${drawn}", description: x }`, [drawn]],
    [
      "a property with accessors",
      "a.cs",
      `public string Token { get; set; } = "${drawn}${drawn}";`,
      [`${drawn}${drawn}`]
    ],
    ["a byte string", "a.rs", `let api_key = b"${drawn}${drawn}";`, [`${drawn}${drawn}`]],
    ["a flag of a command in JSON", "package.json", `{"scripts": {"a": "x --token ${drawn} --b"}}`, [drawn]],
    ["a flag among arguments", "a.yml", `command: ["redis", "--requirepass", "${typed}"]`, [typed]],
    ["one setting of several in a command", "a.yml", `run: helm --set auth.password=${typed} app ./chart`, [typed]],
    ["a property of a command", "Jenkinsfile", `sh "scan -Dsonar.token=${drawn}${drawn}"`, [`${drawn}${drawn}`]],
    ["a password with a bracket", "a.tfvars", `users = { a = { password = "Zw:B(p32CjhfzJ" } }`, ["Zw:B(p32CjhfzJ"]],
    ["a call that goes on in the next line", "a.yml", "api_token: config.get(secret", []],
    ["a pair of a registry", ".yarnrc.yml", `npmAuthIdent: me:${typed}`, [typed]],
    ["a sentence", "README.md", `The API key is ${drawn}${drawn}. Do not share it.`, [`${drawn}${drawn}`]],
    ["a sentence of a note", "notes.txt", `The password of prod is ${typed}.`, [typed]],
    ["a pair of user and password", "a.yml", `cloud.auth: "elastic:${drawn}"`, [drawn]],
    ["an element within an element", "a.xml", `<property name="password"><value>${typed}</value></property>`, [typed]],
    ["an anchor of YAML", "a.yml", `password: &shared ${typed}`, [typed]],
    ["an anchor of YAML before quotes", "a.yml", `password: &shared "${typed}"`, [typed]],
    ["a tag of YAML", "a.yml", `password: !!str ${typed}`, [typed]],
    ["a tag of a stack", "a.yml", `MasterPassword: !Sub "${typed}"`, [typed]],
    ["a reference of a stack", "a.yml", "MasterPassword: !Ref Winter-Jam42", []],
    ["an alias of YAML", "a.yml", "password: *Winter-Jam42", []],
    ["an attribute of JSX", "a.jsx", `<Client token={"${drawn}"} />`, [drawn]],
    ["an object in an attribute of JSX", "a.jsx", `<Client token={{ name: "${drawn}" }} />`, []],
    ["a definition of Lisp", "a.clj", `(def password "${typed}")`, [typed]],
    ["a definition of Scheme", "a.scm", `(define api-token "${drawn}")`, [drawn]],
    ["a macro of Objective-C", "a.m", `#define API_TOKEN @"${drawn}"`, [drawn]],
    ["a name and a value", "a.xml", `<param><name>apiKey</name><value>${drawn}</value></param>`, [drawn]],
    [
      "a name and a value of a servlet",
      "web.xml",
      `<init-param>\n  <param-name>dbPassword</param-name>\n  <param-value>${typed}</param-value>`,
      [typed]
    ],
    ["a pair of Kotlin", "a.kt", `val m = mapOf("keyPassword" to "${typed}", "alias" to "x")`, [typed]],
    ["a block on one line", "a.gradle", `credentials { username "me"; password "${typed}" }`, [typed]],
    ["an entry of a store", "a.swift", `Keychain.set("${typed}", forKey: "user_password")`, [typed]],
    ["a row that is updated", "a.sql", `UPDATE config SET value = '${drawn}' WHERE name = 'api_secret';`, [drawn]],
    ["a value before its key", "a.xml", `<add value="${typed}" key="SmtpPassword" />`, [typed]],
    ["a header of Swift", "a.swift", `request.setValue("${drawn}", forHTTPHeaderField: "X-Api-Key")`, [drawn]],
    ["a header of Objective-C", "a.m", `[r setValue:@"${drawn}" forHTTPHeaderField:@"X-Api-Token"];`, [drawn]],
    ["another header of Swift", "a.swift", `request.setValue("${drawn}", forHTTPHeaderField: "Accept")`, []],
    ["a pair in brackets", "a.rs", `let header = ("x-api-key", "${drawn}${drawn}");`, [`${drawn}${drawn}`]],
    ["a pair in braces", "a.ex", `[{"x-api-key", "${drawn}${drawn}"}, {"accept", "json"}]`, [`${drawn}${drawn}`]],
    ["a pair in a list of pairs", "a.js", `new Headers([["X-Api-Key", "${drawn}${drawn}"]])`, [`${drawn}${drawn}`]],
    ["a list is no pair", "a.js", `const headers = ["X-Api-Key", "${drawn}${drawn}"]`, []],
    ["a shell script in another text", "a.tf", `user_data = <<EOT\nexport DB_PASSWORD=${drawn}\nEOT`, [drawn]],
    ["a user and a password", "a.php", `curl_setopt($c, CURLOPT_USERPWD, 'me:${typed}');`, [typed]],
    ["an attribute of a module", "a.ex", `@api_key "${drawn}${drawn}"`, [`${drawn}${drawn}`]],
    ["bytes of a string", "a.cs", `var key = Encoding.UTF8.GetBytes("${drawn}${drawn}");`, [`${drawn}${drawn}`]],
    [
      "a conversion within another",
      "a.cs",
      `SigningKey = new SymmetricSecurityKey(Encoding.UTF8.GetBytes("${drawn}${drawn}"))`,
      [`${drawn}${drawn}`]
    ],
    ["a constructor of Rust", "a.rs", `let password = String::from("${typed}");`, [typed]],
    ["a seed of one-time passwords", "a.env", "TOTP_SEED=KV7QZRXW3NHLTJ2F", ["KV7QZRXW3NHLTJ2F"]],
    ["unparsed text in an element", "a.xml", "<password><![CDATA[Winter<Jam>42&]]></password>", ["Winter<Jam>42&"]],
    ["a value of an answer file", "a.xml", `<Password><Value>${typed}</Value></Password>`, [typed]],
    ["an attribute with a namespace", "a.xml", `<m a:name="com.acme.API_KEY" a:value="${drawn}"/>`, [drawn]],
    ["a server of libpq", "a.go", `dsn := "host=h user=me password=${typed} dbname=d port=5"`, [typed]],
    ["an option of a mount", "a.conf", `//h/s /mnt cifs username=me,password=${typed},uid=1 0 0`, [typed]],
    ["a directive of a directory client", "a.conf", `binddn cn=me\nbindpw ${typed}`, [typed]],
    ["a token of a directory client", "a.conf", `ldap_default_authtok = ${typed}`, [typed]],
    ["a map of Clojure", "a.clj", `(def db {:user "me" :password "${typed}"})`, [typed]],
    ["a mapping of users to passwords", "a.py", `PASSWORDS = {"me": "${typed}"}`, [typed]],
    ["words with a dot", "a.py", 'password = "Falcon.river68"', ["Falcon.river68"]],
    ["small words with a dot", "a.conf", "default_pass = orange.cloud3148", ["orange.cloud3148"]],
    ["a member of an object", "a.yml", "password: Settings.credentials", []],
    ["a member that is named for a size", "a.yml", "password: Algorithms.sha256", []],
    ["a password of npm, which is in base64", ".npmrc", `//npm.acme.io/:_password=${btoa(typed)}`, [typed]],
    ["an at sign before a dot", "a.yml", "password: k7Vq@zr2tX.9m", ["k7Vq@zr2tX.9m"]],
    [
      "base64 that begins with a slash",
      "a.yml",
      "jwt_secret: /3D4YDJYmzd0PvmUc7byQRptH5mZwkxe/11eVCF1m7IYnB4US",
      ["/3D4YDJYmzd0PvmUc7byQRptH5mZwkxe/11eVCF1m7IYnB4US"]
    ],
    ["a comparison of strings", "a.c", `if (strcmp(password, "${typed}") == 0) unlock();`, [typed]],
    [
      "a default of letters that make no word",
      "a.py",
      'x_password = os.environ.get("X", "usfsvuscwebrblgc")',
      ["usfsvuscwebrblgc"]
    ],
    ["a national string of SQL", "a.sql", `CREATE LOGIN x WITH PASSWORD = N'${typed}';`, [typed]],
    [
      "a header of a proxy",
      "haproxy.cfg",
      `  http-request set-header X-Api-Token ${drawn}${drawn}`,
      [`${drawn}${drawn}`]
    ],
    ["a sentence", "notes.txt", `the wifi password is ${typed}`, [typed]],
    [
      "the key of a cluster",
      "a.hcl",
      `encrypt = "${drawn}Hs6Jc1Mf0Gu5NpQ2Xw8Lz4Rt7Y="`,
      [`${drawn}Hs6Jc1Mf0Gu5NpQ2Xw8Lz4Rt7Y=`]
    ],
    ["a default of Spring", "A.java", `@Value("\${ftp.password:${drawn}}") String p;`, [drawn]],
    ["a parameter of a deployment", "a.json", `{"adminPassword": {"type": "string", "value": "${drawn}"}}`, [drawn]],
    ["a parameter of a stack", "a.yaml", `DbPassword:\n  Type: String\n  NoEcho: true\n  Default: ${drawn}\n`, [drawn]],
    ["a block of one line, with settings below", "a.yml", `a:\n  secret: |\n    ${drawn}\n  user: b\n`, [drawn]],
    ["a tuple of Erlang", "a.erl", `{db, [{user, "a"}, {password, "${drawn}"}]}.`, [drawn]],
    ["a braced value of ODBC", "odbc.ini", `Conn = SERVER=db;UID=a;PWD={${drawn}};`, [drawn]],
    [
      "a parameter of a URL in a template literal",
      "a.js",
      `fetch(\`https://x.example.net/a?access_token=${drawn}${drawn}\`)`,
      [`${drawn}${drawn}`]
    ],
    ["a name of several words", "notes.txt", `Token of the robot: ${drawn}${drawn}`, [`${drawn}${drawn}`]],
    [
      "a mapping of tokens in YAML",
      "a.yml",
      `api_keys:\n  mobile: ${drawn}1a\n  web: "${drawn}2b"\n`,
      [`${drawn}1a`, `${drawn}2b`]
    ],
    ["a serialised array", "a.php", `$x = 'a:1:{s:8:"password";s:20:"${drawn}";}';`, [drawn]],
    ["a list of tokens", "a.py", `API_TOKENS = ["${drawn}1", "${drawn}2"]`, [`${drawn}1`, `${drawn}2`]],
    [
      "a list of tokens over lines",
      "a.go",
      `var tokens = []string{\n\t"${drawn}1",\n\t"${drawn}2",\n}`,
      [`${drawn}1`, `${drawn}2`]
    ],
    ["a list of tokens in YAML", "a.yml", `tokens:\n  - ${drawn}1\n  - ${drawn}2\n`, [`${drawn}1`, `${drawn}2`]],
    [
      "a map of tokens",
      "a.py",
      `tokens = {\n  "alice": "${drawn}1",\n  "bob": "${drawn}2",\n}`,
      [`${drawn}1`, `${drawn}2`]
    ],
    [
      "tokens with labels of their own",
      "a.hcl",
      `tokens { master = "${drawn}1" default = "${drawn}2" }`,
      [`${drawn}1`, `${drawn}2`]
    ]
  ]
  for (const [what, path, text, expected] of cases) {
    it(what, () => assert.deepStrictEqual(values(text, path), expected))
  }
})

describe("names", () => {
  const cases: ReadonlyArray<readonly [what: string, path: string, text: string, values: ReadonlyArray<string>]> = [
    ["in Russian", "a.py", `пароль = "${typed}"\nтокен_бота = "${drawn}"`, [typed, drawn]],
    ["in Chinese", "a.yml", `数据库密码: ${typed}\n密钥: ${drawn}`, [typed, drawn]],
    ["in Japanese and Korean", "a.env", `パスワード=${typed}\n비밀번호=${drawn}`, [typed, drawn]],
    ["in Russian, about a password", "a.yml", `описание_пароля: ${typed}\nдлина_пароля: 12`, []],
    ["of a namespace of Hiera", "a.yaml", `app::api_key: ${drawn}`, [drawn]],
    ["of a namespace of Pulumi", "Pulumi.prod.yaml", `config:\n  app:apiKey: ${drawn}`, [drawn]],
    ["within an address", "a.yaml", `arn:aws:secretsmanager:eu:1:secret:${drawn}`, []],
    ["behind a segment about something encrypted", "a.yml", `encryptedObjects.encryptionKey: "${drawn}"`, [drawn]],
    ["of what is encrypted", "a.yml", `db.encrypted.key: "${drawn}"\nencryptedPassword: "${drawn}"`, []],
    ["of an option in a string", "package.json", `{"cov": "codecov --token=${uuid}"}`, [uuid]],
    ["of a cookie of a cluster", "a.conf", `akka.remote.secure-cookie = "${drawn}"`, [drawn]],
    [
      "of ids",
      "a.ts",
      `const a = { instrumentationKey: "${uuid}", consumer_key: "${drawn}", tokenMint: "${drawn}" }`,
      []
    ],
    ["of the id of a request", "a.json", `{"Postman-Token": "${uuid}"}`, []],
    ["of the salt of a hash", "a.json", `{"salt": "7f3a9c05be61d248"}`, []]
  ]
  for (const [what, path, text, expected] of cases) {
    it(what, () => assert.deepStrictEqual(values(text, path), expected))
  }
})

describe("several values", () => {
  const cases: ReadonlyArray<readonly [what: string, path: string, text: string, values: ReadonlyArray<string>]> = [
    ["a line each", "a.py", `access_tokens = """\n${drawn}\n${key}\n"""\n`, [drawn, key]],
    [
      "pairs with users",
      "a.py",
      `credentials = [("bob", "Copper!Falcon71"), ("al", "${drawn}")]`,
      ["Copper!Falcon71", drawn]
    ],
    ["pairs of names", "a.py", `fields_of_credentials = [("bob", "alice"), ("token", "TokenField")]`, []]
  ]
  for (const [what, path, text, expected] of cases) {
    it(what, () => assert.deepStrictEqual(values(text, path), expected))
  }
})

describe("no value", () => {
  const cases: ReadonlyArray<readonly [what: string, path: string, text: string]> = [
    ["an expression with a command in it", "a.sh", "TOKEN=x$(date +%s)y"],
    ["an interpolation", "a.rb", 'password = "prefix-#{SecureRandom.hex}"'],
    ["a mark of a deployment", "a.json", '{"password": "###DB_PASSWORD###", "token": "#{ApiToken}#"}'],
    ["a reference to a key vault", "a.json", '{"password": "@Microsoft.KeyVault(SecretUri=https://v/s/Db/1)"}'],
    ["a parameter of a pipeline", "a.yml", "password: ((db_password))\ntoken: $(ApiToken)"],
    [
      "a segment of a resource's name",
      "a.json",
      `{"SECRET_ARN": "arn:aws:secretsmanager:eu-west-1:1:secret:app-${drawn}"}`
    ],
    ["a user before a password", "a.ps1", '$c = New-Object PSCredential("CORP\\svc_web01", $password)'],
    ["a cell with a variable", "a.robot", "${PASSWORD}    ${OTHER_PASSWORD}"],
    ["a choice in source", "a.ts", "const token = isToken?first:second"],
    ["a mapping on the next line", "a.yml", "password:\n  secretKeyRef:\n    name: db"],
    [
      "a list of names",
      "a.py",
      'token_names = ["access_token", "refresh_token"]\nsecrets = ["DB_PASSWORD", "API_KEY"]'
    ],
    ["a list of scopes", "a.yml", "tokens:\n  - read:everything\n  - user-profile\n"],
    ["a variable of the environment", "a.yml", "DEPLOY_TOKEN:\n  description: x\n  value: $DEPLOY_TOKEN"],
    ["a flag and the next one", "a.json", '{"a": "x --token --b12345678"}'],
    ["a type in a template", "a.ts", "type T = `${key:string}`"],
    ["a mapping of names", "a.yml", "tokens:\n  primary: brand-colour\n  id: 4a5b6c7d8e\n"],
    ["a sentence about a password", "notes.txt", "the password is 8 characters long, the token is valid for 30 days"],
    ["a comparison with a word", "a.c", 'if (strcmp(password, "none") == 0 || strcmp(token, "token1") == 0) x();'],
    ["the token of a badge", "README.md", "[![x](https://codecov.io/gh/x/graph/badge.svg?token=yZL6LtXkOA9Qw2)](x)"],
    ["a pinned package", "tox.ini", "py3.9-token: PyYAML==6.0.3"],
    ["long words", "a.py", 'password = "internationalization"\ntoken = "bidirectionally"'],
    ["a path", "a.yml", "secret: prod/billing-service/db-main\ntoken: team/app2/config"],
    ["a message that is printed", "a.java", 'pw.printf("%s grabbed %s from queue but %s %s.", a)'],
    ["a country", "locales/ga.php", "'en_PW' => 'B\u00e9arla (Oile\u00e1in Palau)',"],
    ["a translation", "config_pt_BR.properties", "Password=Usu\u00e1rio\ntoken=Palavra-Chave"]
  ]
  for (const [what, path, text] of cases) {
    it(what, () => assert.deepStrictEqual(values(text, path), []))
  }
})

describe("names and values in the notations of one program", () => {
  const cases: ReadonlyArray<readonly [what: string, path: string, text: string, values: ReadonlyArray<string>]> = [
    ["names in French", "a.yml", `mot_de_passe: ${typed}\njeton: ${drawn}\ncle_api: ${drawn}`, [typed, drawn, drawn]],
    ["names in French in one word", "a.ini", `motdepasse = ${typed}`, [typed]],
    ["names in Spanish", "a.php", `$clave = '${drawn}';`, [drawn]],
    ["names in German and Portuguese", "a.ini", `schluessel = ${drawn}\nchave_api = ${drawn}`, [drawn, drawn]],
    ["a question mark in a value", "a.php", "['password' => 'nnkyYM?bf1RdGbJj']", ["nnkyYM?bf1RdGbJj"]],
    ["an environment of a service", "a.service", `Environment=DB_PASSWORD=${typed} LEVEL=info`, [typed]],
    ["a parameter in a flow mapping", "a.yml", `DBPassword: {Type: String, NoEcho: true, Default: ${typed}}`, [typed]],
    ["an object in source", "a.js", `const x = { password: { value: "${typed}" } }`, [typed]],
    ["a name after its value", "a.json", `{"value": "${drawn}", "key": "access_token", "type": "secret"}`, [drawn]],
    ["variables of Robot Framework", "a.robot", `\${PASSWORD}    ${typed}\n\${API_TOKEN}=\t${drawn}`, [typed, drawn]],
    [
      "properties of JMeter",
      "a.jmx",
      `<stringProp name="Header.name">X-Api-Key</stringProp>\n<stringProp name="Header.value">${drawn}</stringProp>`,
      [drawn]
    ]
  ]
  for (const [what, path, text, expected] of cases) {
    it(what, () => assert.deepStrictEqual(values(text, path), expected))
  }
})
