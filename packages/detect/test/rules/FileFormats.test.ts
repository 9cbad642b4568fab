/** The secret of a line in the files of many programs, as the program reads it: without the escapes of its format. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { candidatesIn } from "../../src/Text.ts"

const lines: ReadonlyArray<readonly [path: string, line: string, ...secrets: ReadonlyArray<string>]> = [
  [".netrc", String.raw`machine db.internal login bob password "Vq7m\"Xt92LkPw"`, 'Vq7m"Xt92LkPw'],
  [".git-credentials", "https://bob:Vq7m%40Xt92LkPw@git.internal", "Vq7m@Xt92LkPw"],
  [".curlrc", 'user = "bob:Vq7mXt92LkPw"', "Vq7mXt92LkPw"],
  [".fetchmailrc", 'poll mail.internal proto imap user "bob" password "Vq7mXt92LkPw" ssl', "Vq7mXt92LkPw"],
  ["ipsec.secrets", ': RSA key.pem "Vq7mXt92LkPw"', "Vq7mXt92LkPw"],
  ["users", "bob:{PLAIN}Tn4uGq8sWz1e:1000:1000::/home/bob", "Tn4uGq8sWz1e"],
  ["haproxy.cfg", "listen stats\n  stats auth admin:Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["haproxy.cfg", 'userlist u\n  user bob insecure-password "Vq7m#Xt92LkPw"', "Vq7m#Xt92LkPw"],
  ["haproxy.cfg", String.raw`stats auth admin:Vq7m\ Xt92\#LkPw`, "Vq7m Xt92#LkPw"],
  ["haproxy.cfg", `stats auth 'admin:Vq7m$Xt92LkPw'`, "Vq7m$Xt92LkPw"],
  ["snmpd.conf", 'createUser bob SHA "Vq7mXt92LkPw" AES "Tn4uGq8sWz1e"', "Vq7mXt92LkPw", "Tn4uGq8sWz1e"],
  ["router.cfg", "username ops privilege 15 secret 0 Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["aaa.cfg", "radius-server host 10.0.0.1 key Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["junos.conf", "set system tacplus-server 10.0.0.1 secret Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["auth.json", '{ "bearer": { "repo.internal": "pRk83hfT7vQm2LzX9wBd" } }', "pRk83hfT7vQm2LzX9wBd"],
  [
    "alertmanager.yml",
    "pagerduty_configs:\n  - routing_key: e93facc04764012d7bfb002500d5d1a6",
    "e93facc04764012d7bfb002500d5d1a6"
  ],
  ["docker-compose.yml", "environment:\n  DB_PASSWORD: Vq7m$$Xt92LkPw", "Vq7m$Xt92LkPw"],
  ["compose.prod.yaml", "environment:\n  - DB_URL=postgres://bob:Vq7m$$Xt92LkPw@db/shop", "Vq7m$Xt92LkPw"],
  ["deployment.yml", "env:\n  DB_PASSWORD: Vq7m$$Xt92LkPw", "Vq7m$$Xt92LkPw"],
  ["application.properties", String.raw`db.password=#Vq7m\:Xt92\\LkPw`, String.raw`#Vq7m:Xt92\LkPw`],
  [
    "terraform.tfstate",
    '{ "type": "random_password", "instances": [{ "attributes": { "result": "Zx9cVb3nMq7wEr5t" } }] }',
    "Zx9cVb3nMq7wEr5t"
  ],
  [
    "terraform.tfstate",
    '{ "admin": { "value": "Tn4uGq8sWz1e", "type": "string", "sensitive": true } }',
    "Tn4uGq8sWz1e"
  ],
  [
    "cookies.txt",
    "#HttpOnly_.a.internal\tTRUE\t/\tTRUE\t1999999999\tsessionid\tq7mlkpw92vtx4ugs8wz1erb6yhn3jmk5",
    "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5"
  ],
  [
    "state.json",
    '{ "cookies": [{ "name": "sessionid", "value": "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5" }] }',
    "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5"
  ],
  [
    "page.har",
    '{ "request": { "cookies": [{ "name": "sessionid", "value": "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5" }] } }',
    "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5"
  ],
  [".pgpass.bak", "db.internal:5432:app:bob:Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["main.cf", "smtp_sasl_password_maps = static:bob:Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  [
    "jaas.conf",
    'PlainLoginModule required user_bob="Vq7mXt92LkPw" user_al="Tn4uGq8sWz1e";',
    "Vq7mXt92LkPw",
    "Tn4uGq8sWz1e"
  ],
  ["tacacs.cfg", "tacacs server A\n address ipv4 10.0.0.1\n key 0 Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["radius.conf", 'set system radius-server 10.0.0.1 secret "$9$LbH7w24aUm5Q4aCpuOSyJGUimftpORhrwYF/"', "Vq7mXt92LkPw"],
  ["web.config", '<add connectionString="Server=db;Uid=app;Pwd=&quot;Vq7m;Xt92LkPw&quot;;" />', "Vq7m;Xt92LkPw"],
  [
    "export.json",
    '{ "name": "sid", "path": "/", "session": true, "value": "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5" }',
    "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5"
  ],
  [
    "headers.har",
    '{ "name": "Set-Cookie", "value": "sessionid=q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5; HttpOnly" }',
    "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5"
  ],
  [
    "plan.json",
    '{ "type": "random_password", "name": "p", "values": { "length": 16, "result": "Zx9cVb3nMq7wEr5t" } }',
    "Zx9cVb3nMq7wEr5t"
  ],
  ["rsyncd.secrets.j2", "bob:Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["chap-secrets", '"bob" l2tpd "Vq7m Xt92LkPw" *', "Vq7m Xt92LkPw"],
  ["smtp.properties", "mail.password=Vq7mXt92 #LkPw", "Vq7mXt92 #LkPw"],
  ["settings.ini", "password = ;Vq7mXt92LkPw", ";Vq7mXt92LkPw"],
  ["config.lua", 'local password = [[Vq7m"Xt92LkPw]]', 'Vq7m"Xt92LkPw'],
  ["App.cs", String.raw`string password = @"Vq7m""Xt92\LkPw";`, String.raw`Vq7m"Xt92\LkPw`],
  ["main.rs", 'let password = r#"Vq7m"Xt92LkPw"#;', 'Vq7m"Xt92LkPw'],
  ["Main.vb", String.raw`Dim password = "Vq7m""Xt92\LkPw"`, String.raw`Vq7m"Xt92\LkPw`],
  [
    "cookies.yaml",
    "cookies:\n  - name: sessionid\n    value: q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5",
    "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5"
  ],
  [
    "plan.jmx",
    '<elementProp name="sid" elementType="Cookie"><stringProp name="Cookie.value">q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5</stringProp></elementProp>',
    "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5"
  ],
  ["helm.tf", 'set {\n  value = "Vq7mXt92LkPw"\n  name  = "auth.password"\n}', "Vq7mXt92LkPw"],
  ["helm.tf", 'set_sensitive {\n  name  = "license"\n  value = "Vq7mXt92LkPw"\n}', "Vq7mXt92LkPw"],
  ["squid.conf", "cache_peer 10.0.0.1 parent 3128 0 login=bob:Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["sentinel.conf", "sentinel auth-pass main Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["proxychains.conf", "socks5 10.0.0.1 1080 bob Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["mosquitto.conf", "remote_username a\nremote_password Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["psk.txt", "# racoon\n10.0.0.1 Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["passwd.client", "# host:login:password\nsmtp.internal:bob:Vq7m:Xt92LkPw", "Vq7m:Xt92LkPw"],
  ["ntp.keys", "1 SHA1 Vq7mXt92LkPw # first", "Vq7mXt92LkPw"],
  ["monitrc", "set httpd port 2812\n  allow localhost\n  allow admin:Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["resource.cfg", "$USER1$=/usr/lib/nagios/plugins\n$USER3$=Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["proftpd.conf", "SQLConnectInfo ftp@db ftpuser Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["upsmon.conf", "MONITOR ups@localhost 1 bob Vq7mXt92LkPw master", "Vq7mXt92LkPw"],
  ["authinfo", 'AuthInfo:smtp.internal "U:bob" "P:Vq7mXt92LkPw" "M:PLAIN"', "Vq7mXt92LkPw"],
  [".bundle/config", 'BUNDLE_PATH: "vendor"\nBUNDLE_GEMS__A__ORG: "bob:Vq7mXt92LkPw"', "Vq7mXt92LkPw"],
  ["sidekiq.yml", ":password: Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["soapui.xml", '<wsse:Password Type="text">Vq7mXt92LkPw</wsse:Password>', "Vq7mXt92LkPw"],
  ["app.erl", '{password, <<"Vq7mXt92LkPw">>}', "Vq7mXt92LkPw"],
  ["config.ex", '{:password, "Vq7mXt92LkPw"}', "Vq7mXt92LkPw"],
  ["init.el", '(setq erc-password "Vq7mXt92LkPw")', "Vq7mXt92LkPw"],
  ["config.fish", "set -g -x DB_PASSWORD Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["mount.applescript", 'mount volume "smb://a" as user name "b" with password "Vq7mXt92LkPw"', "Vq7mXt92LkPw"],
  ["nginx.conf", "fastcgi_param DB_PASSWORD Vq7mXt92LkPw;", "Vq7mXt92LkPw"],
  ["snmp.conf", "snmp {\n    community Vq7mXt92LkPw {\n        authorization read-only;\n    }\n}", "Vq7mXt92LkPw"],
  ["switch.cfg", "snmp-server host 10.0.0.1 version 2c Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["switch.cfg", "aaa group server tacacs+ A\n server-private 10.0.0.1 key Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["switch.cfg", "ntp authentication-key 1 md5 Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["asa.cfg", "tunnel-group A ipsec-attributes\n ikev1 pre-shared-key Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["vyos.conf", "set vpn ipsec authentication psk a secret 'Vq7mXt92LkPw'", "Vq7mXt92LkPw"],
  ["vyos.conf", "set system login user a plaintext-password 'Vq7mXt92LkPw'", "Vq7mXt92LkPw"],
  ["wireless", "config wifi-iface\n\toption key 'Vq7mXt92LkPw'", "Vq7mXt92LkPw"],
  ["huawei.cfg", "local-user bob password simple Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["hp.cfg", "password manager plaintext Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["login.py", 'session.cookies["sessionid"] = "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5"', "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5"],
  [
    "login.rb",
    'get("/", cookies: { "_session_id" => "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5" })',
    "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5"
  ],
  ["load.js", "jar.set(url, 'sessionid', 'q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5')", "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5"],
  ["Pulumi.prod.yaml", "config:\n  app:dbPassword: Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["stack.json", String.raw`{ "plaintext": "\"Vq7mXt92LkPw\"" }`, "Vq7mXt92LkPw"],
  ["app.service", "[Service]\nSetCredential=smtp:Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["sip.conf", "register => 6001:Vq7mXt92LkPw@sip.internal/6001", "Vq7mXt92LkPw"],
  ["snmpd.conf", "trap2sink 10.0.0.1 Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["telegraf.conf", '[[inputs.snmp]]\n  agents = ["udp://10.0.0.1:161"]\n  community = "Vq7mXt92LkPw"', "Vq7mXt92LkPw"],
  ["snmp.yml", "auths:\n  site:\n    version: 2\n    community: Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["collectd.conf", '<Plugin snmp>\n  <Host "a">\n    Community "Vq7mXt92LkPw"', "Vq7mXt92LkPw"],
  ["config.php", "<?php $config['snmp']['community'][] = 'Vq7mXt92LkPw';", "Vq7mXt92LkPw"],
  ["poll.go", 'g := &gosnmp.GoSNMP{Community: "Vq7mXt92LkPw"}', "Vq7mXt92LkPw"],
  ["poll.py", 'CommunityData("Vq7mXt92LkPw", mpModel=1)', "Vq7mXt92LkPw"],
  ["mrtg.cfg", "Target[site]: 2:Vq7mXt92LkPw@10.0.0.1", "Vq7mXt92LkPw"],
  ["tac_plus.conf", "user = bob { login = cleartext Vq7mXt92LkPw }", "Vq7mXt92LkPw"],
  ["config.vdf", '"Accounts"\n{\n  "bob"\n  {\n    "Password"  "Vq7mXt92LkPw"\n  }\n}', "Vq7mXt92LkPw"],
  ["secrets.yaml", 'router: Vq7mXt92LkPw\nnas: "Tn4uGq8s Wz1e"\nlatitude: 52.37', "Vq7mXt92LkPw"],
  ["vpn/auth.txt", "bob\nVq7mXt92LkPw", "Vq7mXt92LkPw"],
  [".erlang.cookie", "k3Jd92mXq8LwZ0bV7sRt", "k3Jd92mXq8LwZ0bV7sRt"],
  ["app.conf.j2", "password={{ pw | default('Vq7mXt92LkPw') }}", "Vq7mXt92LkPw"],
  ["app.yml.tmpl", 'password: {{ .Pw | default "Vq7mXt92LkPw" }}', "Vq7mXt92LkPw"],
  ["unrealircd.conf", 'oper bob { password "Vq7mXt92LkPw"; }', "Vq7mXt92LkPw"],
  [".env", "DB_PASSWORD=velvet harbour", "velvet harbour"],
  [".env", "ADMIN_PASSWORD='winter Palace9'", "winter Palace9"],
  ["site.do", 'local password "Vq7mXt92LkPw"', "Vq7mXt92LkPw"],
  ["standalone.xml", '<credential-reference clear-text="Vq7m&amp;Xt92LkPw"/>', "Vq7m&Xt92LkPw"],
  ["link.sql", 'CREATE DATABASE LINK l CONNECT TO scott IDENTIFIED BY "Vq7mXt92LkPw"', "Vq7mXt92LkPw"],
  ["login.http", "GET https://a.internal\nAuthorization: Basic bob Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["login.http", "GET https://a.internal\nAuthorization: Basic bob:Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["login.http", "Authorization: Basic {{user}} {{password}}"],
  ["a.ps1", '$c = [System.Net.NetworkCredential]::new("svc", "Vq7mXt92LkPw")', "Vq7mXt92LkPw"],
  ["config.php", "'passwordsalt' => 'q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5',", "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5"],
  ["site.pp", "mysql::db { 'a': user => 'b', password => Sensitive('Vq7mXt92LkPw') }", "Vq7mXt92LkPw"],
  ["a.nix", '{ networks."office".psk = "Vq7mXt92LkPw"; }', "Vq7mXt92LkPw"],
  ["a.cue", 'apiKey: *"q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5" | string', "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5"],
  [
    "consul.json",
    '{ "tokens": { "agent": "8d2f6a1e-7d8c-4d3e-9a1b-2c3d4e5f6a7b", "default": "0b6d5a1e-1c9f-4d3e-9a1b-7f3d4e5f6a21" } }',
    "8d2f6a1e-7d8c-4d3e-9a1b-2c3d4e5f6a7b",
    "0b6d5a1e-1c9f-4d3e-9a1b-7f3d4e5f6a21"
  ],
  ["main.tf", "content = <<-EOT\n  DB_PASSWORD=Vq7mXt92LkPw\nEOT", "Vq7mXt92LkPw"],
  ["main.tf", "user_data = <<EOF\n#!/bin/bash\nDB_PASSWORD=Vq7mXt92LkPw ./run.sh\nEOF", "Vq7mXt92LkPw"],
  ["main.tf", 'master_password = coalesce(var.password, "Vq7mXt92LkPw")', "Vq7mXt92LkPw"],
  ["database.yml", 'password: <%= ENV.fetch("DB_PASSWORD") { "Vq7mXt92LkPw" } %>', "Vq7mXt92LkPw"],
  ["ci.yml", "run: |\n  DB_PASSWORD=Vq7mXt92LkPw ./migrate.sh", "Vq7mXt92LkPw"],
  ["Config.hs", 'dbPassword = T.pack "Vq7mXt92LkPw"', "Vq7mXt92LkPw"],
  ["Config.hs", 'password = Just (fromString "Vq7mXt92LkPw")', "Vq7mXt92LkPw"],
  ["config.dhall", '{ apiKey = Some "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5" }', "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5"],
  ["a.jl", 'password::String = "Vq7mXt92LkPw"', "Vq7mXt92LkPw"],
  ["a.jl", 'token::Union{Nothing,String} = "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5"', "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5"],
  ["a.jsonnet", "{ token:: 'q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5' }", "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5"],
  ["a.odin", 'PASSWORD :: "Vq7mXt92LkPw"', "Vq7mXt92LkPw"],
  ["a.adb", 'Password : constant String := "Vq7mXt92LkPw";', "Vq7mXt92LkPw"],
  ["a.cob", '       01 WS-PASSWORD PIC X(12) VALUE "Vq7mXt92LkPw".', "Vq7mXt92LkPw"],
  ["a.nim", 'const dbPassword* = "Vq7mXt92LkPw"', "Vq7mXt92LkPw"],
  ["a.nim", 'let dbPassword*: string = "Vq7mXt92LkPw"', "Vq7mXt92LkPw"],
  ["load.R", '"Vq7mXt92LkPw" -> db_password', "Vq7mXt92LkPw"],
  ["load.tcl", "set password {Vq7mXt92LkPw}", "Vq7mXt92LkPw"],
  ["load.tcl", "set password {name of it}"],
  ["a.scm", '(define-public password "Vq7mXt92LkPw")', "Vq7mXt92LkPw"],
  ["a.el", '(let ((password "Vq7mXt92LkPw")) (connect password))', "Vq7mXt92LkPw"],
  ["a.clj", '(let [user "app"\n      password "Vq7mXt92LkPw"] (connect))', "Vq7mXt92LkPw"],
  ["a.clj", '(def password (or (System/getenv "P") "Vq7mXt92LkPw"))', "Vq7mXt92LkPw"],
  ["a.clj", '(def password (or (:a opts) (throw (Exception. "none set 1"))))'],
  ["a.m", "weboptions('Username', 'app', 'Password', 'Vq7mXt92LkPw')", "Vq7mXt92LkPw"],
  ["a.bas", 'cn.Open "DSN=app", "svc", "Vq7mXt92LkPw"', "Vq7mXt92LkPw"],
  ["a.exp", 'expect "assword:"\nsend "Vq7mXt92LkPw\\r"', "Vq7mXt92LkPw"],
  ["a.exp", 'expect "*assword:*" { send -- "Vq7mXt92LkPw\\n" }', "Vq7mXt92LkPw"],
  ["a.exp", 'expect "assword:"\nsend "$password\\r"'],
  ["a.exp", 'expect "login:"\nsend "Vq7mXt92LkPw\\r"'],
  ["a.exp", 'expect {\n  "*assword:*" { send "Vq7mXt92LkPw\\r" }\n}', "Vq7mXt92LkPw"],
  ["a.py", 'tn.read_until(b"Password: ")\ntn.write(b"Vq7mXt92LkPw\\n")', "Vq7mXt92LkPw"],
  ["a.py", 'print("Password: ")\nchannel.send("Vq7mXt92LkPw\\n")'],
  ["a.lisp", '(defparameter *api-key* "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5")', "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5"],
  ["a.rkt", '(connect #:user "app" #:password "Vq7mXt92LkPw")', "Vq7mXt92LkPw"],
  ["a.fnl", '(local password "Vq7mXt92LkPw")', "Vq7mXt92LkPw"],
  ["a.css", '[data-token*="q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5"] { color: red }'],
  ["a.cmd", "wmic /node:a /user:bob /password:Vq7mXt92LkPw os get name", "Vq7mXt92LkPw"],
  ["a.py", "child.expect('Password:')\nchild.sendline('Vq7mXt92LkPw')", "Vq7mXt92LkPw"],
  ["a.py", 'url = "mssql+pyodbc:///?odbc_connect=UID%3Dapp%3BPWD%3DVq7m%21Xt92%2BLk"', "Vq7m!Xt92+Lk"],
  [".env", "URL=mssql+pyodbc:///?odbc_connect=UID%3Dapp%3BPWD%3D%7BVq7m%3BXt92Lk%7D%3BEncrypt%3Dyes", "Vq7m;Xt92Lk"],
  [".env", "URL=mssql+pyodbc:///?odbc_connect=UID%3Dapp%3Bpwd%3dVq7mXt92LkPw%3BEncrypt%3Dyes", "Vq7mXt92LkPw"],
  ["a.py", 'url = f"mssql+pyodbc:///?odbc_connect=UID%3D{user}%3BPWD%3D{password}"'],
  [
    "environment.yml",
    "channels:\n  - https://conda.anaconda.org/t/ab-3f81c2d0-7e46-4a95-b1c8-0d2f6e93a754/acme",
    "ab-3f81c2d0-7e46-4a95-b1c8-0d2f6e93a754"
  ],
  [".condarc", "channels:\n  - https://repo.internal/t/k7xq2mzv8lr5tn1wb4yc9hd3/private", "k7xq2mzv8lr5tn1wb4yc9hd3"],
  ["a.html", '<a href="https://forum.internal/t/how-to-reset-the-password-of-2024/1842">'],
  ["a.html", '<a href="https://t.internal/t/k7xq2mzv8lr5tn1wb4yc9hd3/x">'],
  ["environment.yml", "  - https://conda.anaconda.org/t/<TOKEN>/acme"],
  [
    "svn.simple/8c1f",
    "K 8\npasstype\nV 6\nsimple\nK 8\npassword\nV 12\nVq7mXt92LkPw\nK 8\nusername\nV 3\nbob\nEND",
    "Vq7mXt92LkPw"
  ],
  [
    "conf/passwd",
    "[users]\nharry = Vq7mXt92LkPw\n# sally = none\nsally = Tn4uGq8sWz1e",
    "Vq7mXt92LkPw",
    "Tn4uGq8sWz1e"
  ],
  ["shiro.ini", "[users]\nroot = Vq7mXt92LkPw, admin, ops\n[roles]\nadmin = *", "Vq7mXt92LkPw"],
  ["local.ini", "[admins]\nadmin = -pbkdf2-f1b7a7c9e4d5,7e0b3c1d,10\nbob = Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["grafana.ini", "[users]\nmax = 100\ninvite_lifetime = 24h\nallow_sign_up = false"],
  ["50-db.conf", "*.* :ommysql:db.internal,Syslog,writer,Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["vpnc.conf", "IPSec secret Vq7mXt92LkPw\nXauth password Tn4uGq8sWz1e", "Vq7mXt92LkPw", "Tn4uGq8sWz1e"],
  [".kube/config", "users:\n- user: { username: bob, password: Vq7mXt92LkPw }", "Vq7mXt92LkPw"],
  ["bamboo-specs/bamboo.yml", "variables:\n  db_password: Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["bamboo-specs/bamboo.yml", "variables:\n  db_password: BAMSCRT@0@0@aB3dE5fG7hI9jK1lM2nO4pQ=="],
  [
    "stack.ts",
    "credentials: Credentials.fromPassword('a', SecretValue.unsafePlainText('Vq7mXt92LkPw'))",
    "Vq7mXt92LkPw"
  ],
  ["Caddyfile", "tls {\n  dns cloudflare q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5\n}", "q7mlkpw92vtx4ugs8wz1erb6yhn3jmk5"],
  ["Caddyfile", "tls {\n  dns cloudflare {env.CLOUDFLARE_TOKEN}\n}"],
  ["turnserver.conf", "user=bob:Vq7mXt92LkPw\nuser=al:0xbc807ee29df3c9ffa736523fb2c4e8ee", "Vq7mXt92LkPw"],
  ["a.sh", 'sqlplus "sys/Vq7mXt92LkPw as sysdba"', "Vq7mXt92LkPw"],
  ["a.sh", "expdp system/Vq7mXt92LkPw@pdb directory=d", "Vq7mXt92LkPw"],
  ["a.sh", "isql -v orders bob Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["a.sh", "tsql -S db -U bob -P 'Vq7mXt92LkPw'", "Vq7mXt92LkPw"],
  ["Fastfile", 'match(git_basic_authorization: "Ym9iOlZxN21YdDkyTGtQdw==")', "Vq7mXt92LkPw"],
  [
    "a.py",
    "c.NotebookApp.password = 'argon2:$argon2id$v=19$m=10240,t=10,p=8$q8Zk2mXv5TtLw7RbN1yHcw$k7Qz2mWv8Lr5Tn1Xb4Yc9Q'"
  ],
  ["a.php", "ldap_bind($c, 'cn=app', 'Vq7mXt92LkPw');", "Vq7mXt92LkPw"],
  ["a.kt", 'Credentials.basic("app", "Vq7mXt92LkPw")', "Vq7mXt92LkPw"],
  ["stream.conf", "  api key = 3f81c2d0-7e46-4a95-b1c8-0d2f6e93a754", "3f81c2d0-7e46-4a95-b1c8-0d2f6e93a754"],
  ["mail.conf", "password = Quarry.Dust88x", "Quarry.Dust88x"],
  ["emqx.conf", 'node.cookie = "k3Jd92mXq8LwZ0bV7sRt"', "k3Jd92mXq8LwZ0bV7sRt"],
  ["motion.conf", "netcam_userpass viewer:Vq7mXt92LkPw", "Vq7mXt92LkPw"],
  ["a.dart", "pb.authWithPassword('bob', 'Vq7mXt92LkPw');", "Vq7mXt92LkPw"],
  ["login.rb", 'fill_in "Password", with: "Vq7mXt92LkPw"', "Vq7mXt92LkPw"],
  ["a.raku", "my $password = q{Vq7mXt92LkPw};", "Vq7mXt92LkPw"],
  ["nginx.conf", 'set $api_token "k3Jd92mXq8LwZ0bV7sRtk3Jd92mX";', "k3Jd92mXq8LwZ0bV7sRtk3Jd92mX"],
  // Written by WinSCP's own algorithm for this account: a mark, a version, the length, a shift and seven bytes before the text.
  [
    "WinSCP.ini",
    "[Sessions\\db]\nHostName=db.internal\nUserName=bob\nPassword=A35C465B576C0926C398B53E333E383E72353228392E323D300A2D6B310428656E10370C2B7BDE8164CFB215F8A306E94C379A7D208B",
    "Vq7mXt92LkPw"
  ],
  [
    "winscp.reg",
    '[HKEY_CURRENT_USER\\Software\\Martin Prikryl\\WinSCP 2\\Sessions\\db]\n"HostName"="db.internal"\n"UserName"="bob"\n"Password"="A35C465B576C0926C398B53E333E383E72353228392E323D300A2D6B310428656E10370C2B7BDE8164CFB215F8A306E94C379A7D208B"',
    "Vq7mXt92LkPw"
  ]
]

describe("the format of a file", () => {
  it.each(lines)("%s: %s", (path, line, ...secrets) => {
    assert.deepStrictEqual(
      candidatesIn(`${line}\n`, { path }).map(({ value }) => Redacted.value(value)),
      secrets
    )
  })

  it("has the place of the password, also where the user's name begins with the same text", () => {
    const [found] = candidatesIn("Authorization: Basic Vq7mXt92LkPwx Vq7mXt92LkPw\n", { path: "login.http" })
    assert.deepInclude(found?.location, { column: 36, endColumn: 48 })
  })
})
