/** A password with any sign of a keyboard is read whole in every notation, as the reader of the file reads it. */
import { assert, it } from "@effect/vitest"
import { Redacted } from "effect"
import { candidatesIn } from "../../src/Text.ts"

const values = [
  "Vq7#mXt92LkPw",
  "Vq7;mXt92LkPw",
  "Vq7,mXt92LkPw",
  "Vq7'mXt92LkPw",
  'Vq7"mXt92LkPw',
  "Vq7\\mXt92LkPw",
  "Vq7&mXt92LkPw",
  "Vq7<mXt92>LkPw",
  "Vq7{mXt9}2LkPw",
  "Vq7$mXt92LkPw",
  "Vq7%mXt92LkPw",
  "Vq7!mXt92LkPw",
  "Vq7@mXt92LkPw",
  "Vq7:mXt92LkPw",
  "Vq7=mXt92LkPw",
  "Vq7|mXt92LkPw",
  "Vq7`mXt92LkPw",
  "Vq7~mXt92*LkPw?",
  "Vq7(mXt92)LkPw",
  "Vq7[mXt92]LkPw",
  "Vq7/mXt92LkPw",
  "Vq7 mXt92LkPw",
  "Vq7éXt92LkPw",
  "Vq7mXt92LkPw\\",
  "#Vq7mXt92LkPw",
  "'Vq7mXt92LkPw",
  "Vq7mXt92LkPw=="
]
const escaping = (q: string) => (v: string) => q + v.replaceAll("\\", "\\\\").replaceAll(q, "\\" + q) + q
const doubling = (q: string) => (v: string) => q + v.replaceAll(q, q + q) + q
/** Undefined for values that cannot be written so. */
const except = (no: RegExp, write: (v: string) => string) => (v: string) => (no.test(v) ? undefined : write(v))
const dq = escaping('"')
const sq = escaping("'")
const xml = (v: string) =>
  v.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
const notations: ReadonlyArray<readonly [path: string, name: string, write: (v: string) => string | undefined]> = [
  ["a.yaml", "plain", except(/^[#'"`@%!|>&*{[]|: |[ ]#|^[ ]|[{}[\],]/, (v) => `db:\n  password: ${v}\n`)],
  ["a.yaml", "single", (v) => `db:\n  password: ${doubling("'")(v)}\n`],
  ["a.yaml", "double", (v) => `db:\n  password: ${dq(v)}\n`],
  ["a.yaml", "flow", (v) => `db: {user: app, password: ${dq(v)}}\n`],
  ["a.json", "", (v) => `{"password": ${JSON.stringify(v)}}\n`],
  ["a.toml", "basic", (v) => `password = ${dq(v)}\n`],
  ["a.toml", "literal", except(/'/, (v) => `password = '${v}'\n`)],
  ["a.ini", "plain", except(/^[#']|[;#]| /, (v) => `[db]\npassword = ${v}\n`)],
  ["a.properties", "", (v) => `db.password=${v.replaceAll("\\", "\\\\")}\n`],
  [".env", "plain", except(/[#'"`\\$ ]/, (v) => `DB_PASSWORD=${v}\n`)],
  [".env", "single", except(/'|\\$/, (v) => `DB_PASSWORD='${v}'\n`)],
  [".env", "double", except(/["\\$`]/, (v) => `DB_PASSWORD="${v}"\n`)],
  ["a.sh", "single", (v) => `DB_PASSWORD='${v.replaceAll("'", `'"'"'`)}'\n`],
  ["a.sh", "double", (v) => `export DB_PASSWORD="${v.replace(/[\\$`"]/g, "\\$&")}"\n`],
  ["a.sh", "backslash", except(/[^\x20-\x7e]/, (v) => `DB_PASSWORD=${v.replace(/[^\w=@:,.%+/-]/g, "\\$&")}\n`)],
  ["a.sh", "option", (v) => `tool --password='${v.replaceAll("'", `'\\''`)}' run\n`],
  ["a.sh", "optionspace", (v) => `tool --password "${v.replace(/[\\$`"]/g, "\\$&")}" run\n`],
  ["a.xml", "element", (v) => `<a><password>${xml(v)}</password></a>\n`],
  ["a.xml", "attribute", (v) => `<a password="${xml(v)}"/>\n`],
  ["a.xml", "cdata", (v) => `<a><password><![CDATA[${v}]]></password></a>\n`],
  ["a.xml", "namevalue", (v) => `<a><property name="db.password" value="${xml(v)}"/></a>\n`],
  ["a.plist", "", (v) => `<dict><key>password</key><string>${xml(v)}</string></dict>\n`],
  ["a.py", "double", (v) => `password = ${dq(v)}\n`],
  ["a.py", "single", (v) => `password = ${sq(v)}\n`],
  ["a.py", "raw", except(/["]|\\$/, (v) => `password = r"${v}"\n`)],
  ["a.py", "kwarg", (v) => `connect(host="db", password=${dq(v)})\n`],
  ["a.py", "dict", (v) => `d = {"password": ${sq(v)}, "b": 1}\n`],
  ["a.js", "single", (v) => `const password = ${sq(v)};\n`],
  ["a.ts", "template", except(/[`\\]/, (v) => `const password = \`${v}\`;\n`)],
  ["a.go", "interpreted", (v) => `var password = ${dq(v)}\n`],
  ["a.go", "raw", except(/`/, (v) => `password := \`${v}\`\n`)],
  ["A.java", "", (v) => `String password = ${dq(v)};\n`],
  ["A.java", "setter", (v) => `ds.setPassword(${dq(v)});\n`],
  ["A.cs", "verbatim", (v) => `var password = @${doubling('"')(v)};\n`],
  ["A.cs", "", (v) => `public string Password { get; set; } = ${dq(v)};\n`],
  ["a.vb", "", (v) => `Dim password As String = ${doubling('"')(v)}\n`],
  ["a.php", "single", (v) => `<?php $password = ${sq(v)};\n`],
  ["a.php", "double", (v) => `<?php $password = "${v.replace(/[\\$"]/g, "\\$&")}";\n`],
  ["a.php", "array", (v) => `<?php return ['password' => ${sq(v)}];\n`],
  ["a.rb", "", (v) => `password = ${sq(v)}\n`],
  ["a.rb", "q", except(/[()\\]/, (v) => `password = %q(${v})\n`)],
  ["a.rs", "", (v) => `let password = ${dq(v)};\n`],
  ["a.rs", "raw", (v) => `let password = r##"${v}"##;\n`],
  ["a.swift", "", (v) => `let password = ${dq(v)}\n`],
  ["a.kt", "", (v) => `val password = "${v.replace(/[\\$"]/g, "\\$&")}"\n`],
  ["a.kt", "raw", except(/["$]/, (v) => `val password = """${v}"""\n`)],
  ["a.dart", "", (v) => `const password = '${v.replace(/[\\$']/g, "\\$&")}';\n`],
  ["a.lua", "long", except(/\]/, (v) => `password = [==[${v}]==]\n`)],
  ["a.pl", "q", except(/[{}\\]/, (v) => `my $password = q{${v}};\n`)],
  ["a.sql", "pg", except(/\\/, (v) => `ALTER USER app WITH PASSWORD ${doubling("'")(v)};\n`)],
  ["a.sql", "mysql", (v) => `CREATE USER app IDENTIFIED BY ${sq(v)};\n`],
  ["a.sql", "insert", (v) => `INSERT INTO users (id, password) VALUES (1, ${sq(v)});\n`],
  ["a.tf", "", except(/[$%]\{/, (v) => `password = ${dq(v)}\n`)],
  ["a.nix", "", except(/[$]\{/, (v) => `password = ${dq(v)};\n`)],
  ["a.nix", "ind", except(/''|^'|'$/, (v) => `password = ''${v}'';\n`)],
  ["users.csv", "", (v) => `user,password\nbob,${doubling('"')(v)}\n`],
  ["Dockerfile", "env", except(/[\\$]/, (v) => `FROM a\nENV DB_PASSWORD=${dq(v)}\n`)],
  ["Dockerfile", "envsingle", except(/['\\]/, (v) => `FROM a\nENV DB_PASSWORD='${v}'\n`)],
  [
    "docker-compose.yml",
    "",
    except(/['\\]/, (v) => `services:\n  a:\n    environment:\n      DB_PASSWORD: '${v.replaceAll("$", "$$")}'\n`)
  ],
  [
    "docker-compose.yml",
    "list",
    except(/['\\]/, (v) => `services:\n  a:\n    environment:\n      - 'DB_PASSWORD=${v.replaceAll("$", "$$")}'\n`)
  ],
  ["a.service", "", except(/["\\]/, (v) => `[Service]\nEnvironment="DB_PASSWORD=${v.replaceAll("%", "%%")}"\n`)],
  ["a.ps1", "single", (v) => `$password = ${doubling("'")(v)}\n`],
  ["a.ps1", "double", (v) => `$password = "${v.replace(/[`$"]/g, "`$&")}"\n`],
  ["a.bat", "", except(/[&|<>^"%' ()]/, (v) => `set DB_PASSWORD=${v}\n`)],
  ["a.bat", "quoted", except(/["%]|\\$/, (v) => `set "DB_PASSWORD=${v}"\n`)],
  ["a.conf", "url", (v) => `url = https://bob:${encodeURIComponent(v).replaceAll("'", "%27")}@git.acme.io/x\n`],
  [
    "a.py",
    "pgurl",
    (v) => `DSN = "postgresql://bob:${encodeURIComponent(v).replaceAll("'", "%27").replaceAll("(", "%28")}@db/acme"\n`
  ],
  ["a.http", "basic", (v) => `GET https://a.io\nAuthorization: Basic ${Buffer.from(`bob:${v}`).toString("base64")}\n`],
  [
    "a.json",
    "conn",
    except(/[;{}"'`]/, (v) => `{"Db": ${JSON.stringify(`Server=db;Database=a;User Id=app;Password=${v};`)}}\n`)
  ],
  [
    "secret.yaml",
    "k8s",
    (v) => `apiVersion: v1\nkind: Secret\ndata:\n  password: ${Buffer.from(v).toString("base64")}\n`
  ],
  ["secret.yaml", "k8sstring", (v) => `apiVersion: v1\nkind: Secret\nstringData:\n  password: ${doubling("'")(v)}\n`],
  ["a.exs", "", (v) => `config :a, password: ${dq(v)}\n`],
  ["a.clj", "", (v) => `(def c {:password ${dq(v)}})\n`],
  ["a.scala", "", (v) => `val password = ${dq(v)}\n`],
  ["a.groovy", "", (v) => `def password = ${sq(v)}\n`],
  ["a.hs", "", (v) => `password = ${dq(v)}\n`],
  ["a.R", "", (v) => `password <- ${dq(v)}\n`],
  ["a.jl", "", (v) => `password = "${v.replace(/[\\$"]/g, "\\$&")}"\n`],
  ["a.m", "", (v) => `password = ${doubling("'")(v)};\n`],
  ["a.pas", "", (v) => `const Password = ${doubling("'")(v)};\n`],
  ["a.c", "", (v) => `#define PASSWORD ${dq(v)}\n`],
  ["a.cpp", "raw", (v) => `std::string password = R"x(${v})x";\n`],
  ["my.cnf", "", except(/["#;]/, (v) => `[client]\npassword="${v.replaceAll("\\", "\\\\")}"\n`)],
  [".pgpass", "", (v) => `db:5432:app:bob:${v.replace(/[\\:]/g, "\\$&")}\n`],
  [".netrc", "", except(/["\\# ]|^'/, (v) => `machine a.io login bob password ${v}\n`)],
  ["a.ipynb", "", (v) => `{"cells": [{"source": [${JSON.stringify(`password = ${dq(v)}\n`)}]}]}\n`],
  ["a.md", "fence", (v) => "# A\n\n```yaml\npassword: " + doubling("'")(v) + "\n```\n"],
  ["a.har", "", (v) => `{"postData": {"text": ${JSON.stringify(JSON.stringify({ user: "bob", password: v }))}}}\n`],
  ["a.yaml", "blockjson", (v) => `data:\n  a.json: |\n    {"password": ${JSON.stringify(v)}}\n`],
  ["values.yaml", "anchored", (v) => `a: &a\n  password: &pw ${dq(v)}\n`]
]
it.each(notations)("%s, %s", (path, _, write) => {
  const faults = values.flatMap((value) => {
    const text = write(value)
    const found = text === undefined ? [] : candidatesIn(text, { path }).map((one) => Redacted.value(one.value))
    return text === undefined || (found.length === 1 && found[0] === value) ? [] : [{ text, found }]
  })
  assert.deepStrictEqual(faults, [])
})
