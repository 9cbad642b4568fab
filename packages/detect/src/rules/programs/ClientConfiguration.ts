/**
 * Finds credentials in configurations of clients, servers and devices. Each form is recognized by its words, in any
 * file.
 */
import type { CandidateKind } from "../../Candidate.ts"
import type { Form } from "../../scoring/Evidence.ts"
import { groupsOf, matchAt, withBlanks } from "../../text/MatchAt.ts"
import type { Span } from "../../text/Spans.ts"
import { unescape, unescapeXml } from "../../text/StringLiteral.ts"
import { withoutBackslashes } from "./CredentialFile.ts"
import { secretOfCisco, secretOfJunos } from "./NetworkDevice.ts"
import { keywordsOf } from "../KeywordsOf.ts"
import type { Rule } from "../Rule.ts"

/**
 * A sticky expression that matches at a keyword: each group that matches is a value, and a space matches spaces and
 * tabs.
 */
type Configuration = readonly [id: string, values: RegExp, more?: More]

interface More {
  /** Default: the literal beginnings of the expression. */
  readonly keywords?: ReadonlyArray<string>
  /** Finds the values in the groups: the first group of each match. */
  readonly each?: RegExp
  /** The expression that must precede the keyword on its line. */
  readonly before?: RegExp
  /** The expression that must precede the keyword, perhaps on the line above. */
  readonly after?: RegExp
  /** Removes escapes or an encoding from the value. */
  readonly decode?: (written: string) => string
  /** Default: `generic-secret` for a token, otherwise `password`. */
  readonly kind?: CandidateKind
  /** Default: `login`. */
  readonly form?: Form
}

const indentation = /^[ \t]*$/

/** A Cisco IOS password after some words: type 0 is plain text, type 7 reversible, and the other types are hashes. */
const ciscoPassword = (words: RegExp): Configuration => [
  "network-device",
  new RegExp(String.raw`${words.source} ((?:[07] )?(?!\d[ \t])[^\s"']{4,128})`, "iy"),
  { decode: secretOfCisco }
]

const configurations: ReadonlyArray<Configuration> = [
  // A line of `.netrc`, found in any file.
  [
    "netrc",
    /machine\s{1,40}[\w.-]{1,255}\s{1,40}login\s{1,40}\S{1,128}(?:\s{1,40}(?:port|account)\s{1,40}\S{1,128})?\s{1,40}passw(?:or)?d\s{1,40}((?:(?!\\n)[^\s"']){4,128})/iy,
    { keywords: ["machine "] }
  ],
  // HAProxy 3.2, sections "stats auth" and "userlist".
  [
    "haproxy",
    /stats auth ["']?[^\s:"']{1,64}:((?:[^\s"'\\]|\\.){3,128})(?=["']?(?:\s|$))/iy,
    { decode: withoutBackslashes }
  ],
  ["haproxy", /insecure-password ["']?((?:[^\s"'\\]|\\.){3,128})(?=["']?(?:\s|$))/iy, { decode: withoutBackslashes }],
  // snmpd.conf(5)
  [
    "snmpd",
    /createUser (?:-e \S{1,80} )?\S{1,64} (?:MD5|SHA(?:-?\d{3})?) (?:"([^"\n]{8,128})"|([^\s"]{8,128}))(?: (?:DES|AES(?:-?\d{3})?) (?:"([^"\n]{8,128})"|([^\s"]{8,128})))?/iy
  ],
  ["snmpd", /r[ow]community6? ([^\s"'<$]{4,64})/iy, { before: indentation }],
  [
    "snmpd",
    /snmpv3 user \S{1,64} auth (?:md5|sha)(?:-?\d{3})? ([^\s"']{4,128})(?: priv (?:des|aes)(?:-?\d{3})? ([^\s"']{4,128}))?/iy,
    { before: indentation }
  ],
  // pfSense
  ["snmpd", /<rocommunity>([^<\s]{4,64})<\//iy],
  ["snmpd", /authCommunity \S{1,64} ([^\s"'<$]{4,64})/iy, { before: indentation }],
  ["snmpd", /com2sec6? (?:-Cn \S{1,64} )?\S{1,64} \S{1,64} ([^\s"'<$]{4,64})/iy, { before: indentation }],
  [
    "snmpd",
    /(?:trap2?|inform)sink \S{1,100} ([^\s"'<$]{4,64})/iy,
    { keywords: ["trapsink", "trap2sink", "informsink"], before: indentation }
  ],
  // A setting of Telegraf, exporters or monitoring systems, with SNMP or agents mentioned shortly before.
  [
    "snmp-community",
    /community["'\]]{0,4}(?:\[\])? ?(?:=>?|:|(?=")) ?(?:array\(|\[)? ?["']?([^\s"'<>{}$[\]#(),;]{4,64})(?=["']| ?(?:[#;].*)?\r?$)/imy,
    { after: /snmp|\bagents\b|^auths:/im }
  ],
  ["snmp-community", /CommunityData\(\s*(?:"([^"\n]{4,64})"|'([^'\n]{4,64})')/iy],
  ["snmp-community", /Target\[[^\]\n]{1,80}\]: ?[\w&.-]{1,60}:([^\s:@"'<$]{4,64})@/iy, { before: indentation }],
  // Asterisk: an account on another server, `user[:secret[:login]]@host`.
  [
    "sip-registration",
    /register ?=>? ?(?:[\w?+]{1,20}(?:\?|:\/\/))?[^\s:@]{1,64}:([^\s:@/]{3,64})(?::[^\s@]{1,64})?@[\w.-]/iy,
    { before: indentation }
  ],
  // systemd.exec(5): the id and value of a credential.
  ["systemd-credential", /SetCredential=[\w.-]{1,100}:([^\r\n]{3,512})/iy, { before: /^$/ }],
  // Configuration of a TACACS+ server.
  ["tacacs-user", /cleartext "?([^\s"{}]{4,128})/iy, { before: /= ?$/ }],
  // Cisco IOS.
  ["network-device", /secret 0 ([^\s"']{4,128})/iy, { keywords: ["secret 0"], before: /\busername[ \t]/i }],
  ciscoPassword(/(?:(?:radius|tacacs)-server host|server-private) \S{1,64}(?: (?!key\b)[\w-]{1,32}){0,8} key/),
  ciscoPassword(/(?:radius|tacacs) server \S{1,64} ?\r?\n(?: (?!key\b)[^\n]{1,160}\n){0,8} key/),
  ciscoPassword(/line[ ](?:vty|con(?:sole)?|aux)[ \t\d]{1,20}\r?\n(?: (?!password\b)[^\n]{1,160}\n){0,12} password/),
  ciscoPassword(
    /aaa-server \S{1,64}(?: \([^\s()]{1,40}\))? host \S{1,64}[^\n]{0,40}\r?\n(?: (?!key\b)[^\n]{1,160}\n){0,8} key/
  ),
  ciscoPassword(/neighbor \S{1,64} password/),
  ciscoPassword(/message-digest-key \d{1,3} md5/),
  [
    "network-device",
    /snmp-server user \S{1,64} \S{1,64}(?: v3)? auth (?:md5|sha)(?:-?\d{3})? (?!0x)([^\s"']{4,128})(?: priv (?:(?:3?des|aes)(?:[ \t-]?\d{3})? )?([^\s"']{4,128}))?/iy
  ],
  [
    "network-device",
    /snmp-server host \S{1,64}(?: (?:traps|informs))?(?: version (?:1|2c))? (?!version\b|traps\b|informs\b|vrf\b)([^\s"']{4,64})/iy
  ],
  ["network-device", /authentication-key \d{1,5} (?:md5|sha\d?|hmac-[\w-]{1,20}|aes128-cmac) ([^\s"']{4,128})/iy],
  ["network-device", /snmp-server host \S{1,64} \S{1,64}(?: (?:poll|trap))? community ([^\s"']{4,64})/iy],
  // open-iscsi: the password of the target.
  ["network-device", /auth\.password_in = (\S{3,128})/iy],
  // PAN-OS, in braces and in XML.
  ["network-device", /pre-shared-key\s{1,4}\{\s{0,200}key "?([^\s";]{4,128})/iy],
  ["network-device", /<pre-shared-key>\s{0,200}<key>([^<\s]{4,128})<\//iy, { decode: unescapeXml }],
  // VyOS, OpenWrt.
  [
    "network-device",
    /authentication psk \S{1,64} secret ["']?([^\s"']{4,128})/iy,
    { keywords: ["authentication psk"] }
  ],
  [
    "network-device",
    /option (?:key|password) (?:"([^"\n]{8,63})"|'([^'\n]{8,63})'|([^\s"']{8,63}))/iy,
    { keywords: ["option key", "option password"], before: indentation, form: "credential-file" }
  ],
  // hostapd, wpa_supplicant: a WPA passphrase may contain spaces.
  [
    "network-device",
    /(?:wpa_passphrase|psk) ?= ?(?:"([^"\n]{8,63})";?|([^"\s][^\n]{6,61}[^\s])) ?\r?$/imy,
    {
      keywords: ["wpa_passphrase=", 'psk="', 'psk = "'],
      before: /^ ?(?:\S{1,100}\.)?$/,
      form: "credential-file"
    }
  ],
  // ESPHome, netplan: a passphrase of WPA in YAML.
  [
    "network-device",
    /(?:ssid: [^\n]{1,80}|access-points: ?\r?\n [^\n]{1,80}: ?\r?)\n password: (?:"([^"\n]{8,63})"|'([^'\n]{8,63})')/iy,
    { keywords: ["ssid: ", "access-points:"], form: "credential-file" }
  ],
  // Profile of a wireless network in Windows. A protected key is longer.
  ["network-device", /<keyMaterial>([^<>\n]{8,63})<\//iy, { decode: unescapeXml, form: "credential-file" }],
  // MikroTik.
  ["snmp-community", /\/snmp community\s{1,9}(?:add|set)[^\n]{0,200}? name="?([^\s"]{4,64})/iy],
  // Junos, both as `set` commands and in braces.
  [
    "network-device",
    /(?:tacplus|radius)-server [\w.:-]{1,64} (?:\{[^{}]{0,400}?)?(?:(?!secret\b)[\w-]{1,32} [\w.:-]{1,64} ){0,4}secret (?:"([^"\n]{4,128})"|([^\s"';]{4,128}))/iy
  ],
  ["network-device", /community "?([\w.@#!-]{4,64})"? ?\{/iy, { keywords: ["community "], before: indentation }],
  ["network-device", /"(\$9\$[\w./-]{6,400})"/y, { keywords: ['"$9$'], decode: secretOfJunos }],
  // Inline credentials of an OpenVPN client.
  ["openvpn", /<auth-user-pass> ?\r?\n ?\S{1,128} ?\r?\n ?(\S{3,128}) ?\r?\n ?<\//iy],
  // Postfix, postconf(5).
  ["sasl-password", /static:[^\s:]{1,128}:([^\s"']{4,128})/iy, { before: /_sasl_password_maps ?= ?$/i }],
  // Exim: the strings that a client sends, and servers of lookups.
  [
    "exim-client",
    /client_send = (?:\^[^\s^$]{1,64}\^|"?: [^\s:$]{1,64} : )([^\s:^"$]{3,128})/iy,
    { before: indentation }
  ],
  [
    "exim-client",
    /\w{5,6}_servers = "?[\w.:()-]{1,100}\/[\w.-]{1,64}\/[\w.-]{1,64}\/([^\s:"$]{3,128})/iy,
    { keywords: ["mysql_servers", "pgsql_servers", "redis_servers"], before: /^ ?(?:hide[ \t]+)?$/ }
  ],
  ["squid", /cache_peer[ \t][^\n]{1,300}?[ \t]login=[^\s:]{1,64}:(\S{3,128})/iy],
  ["redis-sentinel", /sentinel auth-pass \S{1,64} "?([^\s"]{3,128})/iy],
  ["proftpd", /SQLConnectInfo \S{1,200} \S{1,64} (\S{3,128})/iy],
  // Network UPS Tools, upsmon.conf(5).
  [
    "ups-monitor",
    /MONITOR \S{1,200}@\S{1,200} \d{1,3} \S{1,64} (\S{3,128}) (?:master|slave|primary|secondary)\b/iy,
    { keywords: ["monitor "], before: indentation }
  ],
  ["sendmail-auth", /AuthInfo:[^\n]{0,400}?"P:([^"\n]{3,128})"/iy],
  ["bundler", /BUNDLE_\w{1,80}: ?"?[\w.@-]{1,64}:([^\s"/]{6,128})"? ?(?:\r?\n|$)/iy],
  // ProxyChains: address, port, user and password of a proxy.
  ["proxychains", /socks[45] [\w.:-]{3,80} \d{2,5} \S{1,64} (\S{3,128})/iy, { before: indentation }],
  // Users in login modules of Kafka and ZooKeeper.
  [
    "jaas-user",
    /LoginModule (?:required|requisite|sufficient|optional)\b([^;]{1,2000})/iy,
    { each: /\buser_[\w.-]{1,64}\s*=\s*(?:"([^"\n]{3,128})"|'([^'\n]{3,128})')/g }
  ],
  // PagerDuty Events API v2, in Alertmanager and Terraform.
  [
    "pagerduty-key",
    /(?:routing|service|integration)_key"? ?[:=] ?["']?([\da-f]{32})(?=["'\s,]|$)/iy,
    { form: "token" }
  ],
  // OVHcloud: the key of a consumer, unlike that of OAuth, is a secret.
  [
    "ovh",
    /consumer_?key["']? ?:?[=:] ?["']?([\w-]{32})(?![\w-])/iy,
    { keywords: ["consumer_key", "consumerkey"], after: /ovh|(?:application|app)_?secret/i, form: "token" }
  ],
  // An Ethereum private key as a number in Solidity.
  [
    "private-key",
    /private_?key = ?(0x[\da-f]{64})\b/iy,
    { keywords: ["privatekey =", "private_key ="], form: "private-key" }
  ],
  // Capistrano.
  [
    "capistrano",
    /set :\w{0,20}(?:password|pass|passphrase|secret|token), ?(?:"([^"\\\n#]{4,128})"|'([^'\\\n]{4,128})')/iy,
    { keywords: ["set :"], before: indentation }
  ],
  // Accounts of a Hardhat network.
  [
    "private-key",
    /accounts["']?\s*:\s*\[([^[\]]{64,4000})\]/iy,
    { each: /["']((?:0x)?[\da-f]{64})["']/gi, form: "private-key" }
  ],
  // Tinyproxy, 3proxy.
  ["proxy-user", /BasicAuth [^\s*]{1,64} ([^\s\x60]{3,128})/iy, { before: indentation }],
  // A proxy without a scheme: `http_proxy=user:password@host:3128`.
  ["proxy-user", /proxy["']? ?[=:] ?["']?[\w.-]{1,64}:([^\s:@"'<${}/]{3,128})@[\w.-]{1,255}/iy],
  ["proxy-user", /upstream \w{1,10} [^\s:@]{1,64}:([^\s@]{3,128})@/iy, { before: indentation }],
  ["proxy-user", /:CL:([^\s"]{3,128})/iy, { before: /^ ?users[ \t]/i }],
  // ZNC: a server's password, and a user's plain-text password.
  ["znc", /Server = \S{1,200} \+?\d{2,5} (\S{3,128})/iy, { keywords: ["server = "], before: indentation }],
  ["znc", /Method = plain ?\r?\n ?Hash = (\S{3,128})/iy, { keywords: ["method = plain"] }],
  // Subversion's credential cache.
  ["subversion", /K 8\npassword\nV \d{1,4}\n([^\n]{3,256})\n/y, { keywords: ["k 8\npassword\n"] }],
  // Users of svnserve and Apache Shiro, administrators of CouchDB, a login in Hurl. Roles may follow the password.
  [
    "user-section",
    /\[(?:users|admins|basicauth)\] ?\r?\n((?:(?!\[)[^\n]{0,300}\n){0,200}(?:(?!\[)[^\n]{1,300})?)/iy,
    {
      each: /^ ?[\w.@-]{1,64} ?[=:] ?(?!-(?:pbkdf2|hashed)-|\d+[a-z]{0,2}(?:[\s,]|$))([^\s,#;]{3,128}) ?(?:,[^\n]*)?\r?$/gm,
      before: /^$/
    }
  ],
  // Functions of Puppet that hash a password, the last argument.
  [
    "credential-call",
    /(?:mysql|postgresql)_?(?:::)?\w{0,20}password\(\s{0,9}(?:["'][\w.-]{1,64}["']\s{0,9},\s{0,9})?(?:'([^'\n]{3,128})'|"([^"$\n]{3,128})")/iy,
    { keywords: ["mysql_password(", "postgresql_password(", "mysql::password(", "postgresql::postgresql_password("] }
  ],
  // TeamCity, in Kotlin.
  [
    "credential-call",
    /password\(\s{0,9}"[\w.:-]{1,100}"\s{0,9},\s{0,9}"(?!credentialsJSON:)([^"\\\n$]{3,128})"/iy,
    { keywords: ['password("'], before: indentation }
  ],
  // ADO: the data source, user and password of a connection.
  ["credential-call", /\.open "[^"\n]{0,300}=[^"\n]{0,300}", "[^"\n]{1,64}", "([^"\n]{3,128})"/iy],
  // An LDAP bind, and a database connection in MATLAB.
  [
    "credential-call",
    /bind(?:_s)?\(\s*[bf]?["'](?:cn|uid|ou|dc)=[^"'\n]{1,200}["']\s*,\s*(?:"([^"\\\n]{4,128})"|'([^'\\\n]{4,128})')/iy,
    { keywords: ["bind(", "bind_s("] }
  ],
  [
    "credential-call",
    /database\((?:\s*["'][^"'\n]{1,64}["'],){2}\s*(?:"([^"\n]{4,128})"|'([^'\n]{4,128})')/iy,
    { keywords: ["database("], before: /= ?$/ }
  ],
  ["credential-call", /:basic-auth \[\s{0,20}"[^"\n]{1,64}"\s{1,20}"([^"\n]{3,128})"/iy],
  // The key of a value that a database encrypts.
  [
    "credential-call",
    /\w{3,7}_(?:en|de)crypt\(\s*(?:'[^'\n]{0,100}'|[^,()'"\n]{1,100}),\s*'([^'\n]{4,128})'/iy,
    { keywords: ["aes_encrypt(", "aes_decrypt(", "pgp_sym_encrypt(", "pgp_sym_decrypt("] }
  ],
  // The password of a Java key store, or one that a key is derived from.
  [
    "credential-call",
    /(?:store\.load|PBEKeySpec|PasswordProtection)\([^"\n;]{0,80}"([^"\\\n]{4,64})"\.toCharArray\(\)/iy
  ],
  // A field of a page that a script fills in: `getByLabel("Password").fill("…")`.
  [
    "credential-call",
    /\)\.\w{4,9}\(\s{0,9}(?:"([^"\\\n]{4,128})"|'([^'\\\n]{4,128})')/iy,
    {
      keywords: [").send_keys(", ").sendkeys(", ").fill(", ").type(", ").setvalue("],
      before: /(?:["'#=]|\W(?:user|login))[^"'\n]{0,40}pass(?:word|wd)?[^"'\n]{0,20}["'][^"'\n]{0,20}$/i
    }
  ],
  // A plain-text `SecretValue` in AWS CDK.
  [
    "credential-call",
    /plainText\(\s*(?:"([^"\\\n$]{3,512})"|'([^'\\\n]{3,512})')/iy,
    { keywords: ["plaintext("], before: /SecretValue\.(?:unsafe_?)?$/i }
  ],
  // The DNS provider for ACME challenges in Caddy.
  [
    "caddy-dns",
    /dns [a-z\d]{2,20} ([\w-]{20,128})(?= ?(?:[}\r\n]|$))/iy,
    { keywords: ["dns "], before: /^ ?(?:tls ?\{ ?|acme_)?$/, form: "token" }
  ],
  // rsyslog: server, database, user and password.
  ["rsyslog", /:om(?:my|pg)sql:[^,\s]{1,100},[^,\s]{1,64},[^,\s]{1,64},([^,;\s]{3,128})/iy],
  [
    "vpnc",
    /(?:IPSec secret|Xauth password) (\S{3,128})/iy,
    { keywords: ["ipsec secret ", "xauth password "], before: indentation }
  ],
  // The answer to a password prompt in Expect, pexpect or telnetlib.
  [
    "expect-answer",
    /(?:send(?:line)?|write)(?: (?:-- )?|\()b?(?:"((?:[^"\\$[\n]|\\[^\n]){3,128}?)(?:\\[rn]){0,2}"|'((?:[^'\\\n]|\\[^\n]){3,128}?)(?:\\[rn]){0,2}')/iy,
    {
      keywords: ['send "', "send -- ", 'send("', "send('", "sendline(", 'write(b"', "write(b'"],
      after:
        /(?:expect[^\n]{0,120}|["'][^"'\n]{0,20}\*p?|read_until[^\n]{0,20})ass(?:word|phrase|code|wd)[^\n]{0,60}(?:\n[^\n]{0,40})?$/i
    }
  ],
  // Passwords and tokens of game servers, as settings and as arguments.
  [
    "game-server",
    /\w{2,4}[._]\w{8,15} "?([^\s"$%<]{4,128})/iy,
    { keywords: ["rcon.password ", "rcon_password ", "sv_password ", "sv_setsteamaccount "], before: /(?:^|[\s"'+])$/ }
  ],
  // Splunk: a value with the prefix `$1$` or `$7$` is encrypted.
  ["splunk", /pass4SymmKey ?= ?(?!\$[17]\$)(\S{4,128})/iy],
  // The token that an frp server and its clients share.
  [
    "frp-token",
    /(?:bind_?port|server_?addr)["']? ?[=:][^]{0,300}?\n ?(?:auth\.)?token["']? ?[=:] ?["']?([^\s"'{}$<>]{6,128})["']? ?(?:#.*)?\r?$/imy,
    { keywords: ["bind_port", "bindport", "server_addr", "serveraddr"], before: indentation }
  ],
  // The user and the password of a script for ftp.
  [
    "command-line",
    /open [\w-]{1,60}\.[\w.-]{1,100}(?: \d{1,5})? ?\r?\n ?user \S{1,64} (\S{3,128})/iy,
    { keywords: ["open "], before: indentation }
  ],
  // WeeChat, without a passphrase.
  [
    "weechat",
    /__passphrase__ = off ?\r?\n((?:[\w.-]{1,64} = [^\n]{1,300}\n){1,100})/iy,
    { each: /^[\w.-]{1,64} = "([^"\n]{3,128})"/gm }
  ],
  ["smtp-auth", /auth plain \S{1,64} ([^\s"'$]{4,128})/iy, { before: indentation }],
  // SoftEther.
  ["softether", /(?:IPsec_Secret|ProxyPassword) ([^\s"]{4,128}) ?\r?$/imy, { before: /^ ?string[ \t]+$/ }],
  // V2Ray, Xray.
  [
    "vless-user",
    /"clients"\s*:\s*\[([^[\]]{1,4000})\]/y,
    { each: /"id"\s*:\s*"([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})"/g, after: /"v[lm]ess"/, form: "token" }
  ],
  ["neo4j", /NEO4J_AUTH["']? ?[=:] ?["']?neo4j\/([^\s"'$/]{4,128})/iy],
  // Tasmota.
  ["tasmota", /Backlog ([^\n]{1,2000})/iy, { each: /\b(?:Mqtt|Web)?Password\d? ([^\s;"']{4,128})/gi }],
  // AutoHotkey: a hotstring that types a password.
  [
    "hotstring",
    /(?:pwd?|pass|word)::([^\s{<]\S{3,127}) ?\r?$/imy,
    { keywords: ["pw::", "pwd::", "pass::", "word::"], before: /^:[*?\w]{0,8}:\w{0,20}$/ }
  ],
  // AppleScript.
  [
    "credential-call",
    /password "([^"\n]{4,128})"/iy,
    { keywords: ['password "'], before: /\buser name \S{1,64}[ \t]+$/i }
  ],
  // kdb+.
  ["credential-call", /hopen[ \t(]{0,4}\x60:[\w.-]{0,100}:\d{2,5}:[\w.-]{1,64}:([^\s:\x60;)]{4,128})/iy],
  // HTML: an input whose value is not quoted.
  [
    "html-input",
    /<input(?=[^<>]{0,300}\s(?:type=["']?password\b|name=["']?\w{0,40}(?:pass(?:word|wd)?|pwd|secret|token)\b))[^<>]{0,300}\svalue=([^\s"'<>{}$]{4,128})/iy
  ],
  // WildFly.
  ["clear-text", /clear-text="([^"<>{}$\n]{3,512})"/iy, { decode: unescapeXml }],
  // KeePass 2, XML export.
  ["keepass", /<Key>Password<\/Key>\s*<Value[^<>]{0,80}>([^<]{3,512})<\/Value>/iy, { decode: unescapeXml }],
  // Key ring of ASP.NET Core Data Protection.
  [
    "data-protection-key",
    /in an unencrypted form[^<>]{0,40}-->\s*<value>([\w+/]{40,512}={0,2})<\/value>/iy,
    { keywords: ["in an unencrypted form"], form: "token" }
  ],
  // minisign: in a secret key without a password, the key derivation algorithm is two zero bytes.
  ["private-key", /(RWQAAEIy[\w+/]{180,260}={0,2})/y, { keywords: ["rwqaaeiy"], form: "private-key" }],
  // Dovecot's passwd-file, and its schemes in other databases.
  ["dovecot", /\{(?:PLAIN|CLEAR|CLEARTEXT)\}([^:\s"'<]{3,128})/iy],
  // Composer's auth.json: a token per host.
  [
    "composer-auth",
    /"(?:bearer|github-oauth|gitlab-oauth|gitlab-token)"\s*:\s*\{([^{}]{1,8000})/y,
    { each: /"[\w.:-]{1,100}"\s*:\s*"([^"\s]{8,256})"/g, form: "token" }
  ],
  // Outputs in the state, and the output of `terraform output -json`.
  [
    "terraform-state",
    /"sensitive":\s*true(?:\s*,\s*"type"\s*:\s*"string")?\s*,\s*"value"\s*:\s*"((?:[^"\\\n]|\\.){3,256})"/y,
    { decode: unescape }
  ],
  [
    "terraform-state",
    /"value":\s*[[{]([^[\]{}]{3,4000})[\]}]\s*,\s*"type"\s*:\s*\[\s*"(?:list|map|set|tuple)"[^{}]{0,200}?\]\s*,\s*"sensitive"\s*:\s*true/y,
    { each: /(?:"[\w.-]{1,80}"\s*:\s*)?"((?:[^"\\\n]|\\.){3,256})"/g, decode: unescape }
  ],
  [
    "terraform-state",
    /"value":\s*"((?:[^"\\\n]|\\.){3,256})"\s*,\s*(?:"type"\s*:\s*"string"\s*,\s*)?"sensitive"\s*:\s*true/y,
    { decode: unescape }
  ],
  // Resources of Terraform that hold one secret.
  [
    "terraform-sensitive",
    /(?:secret_data|plaintext_value|"SecureString"[^{}]{0,300}?\n\s*value)\s*=\s*"((?:[^"\\\n]|\\.){3,256})"/y,
    { decode: unescape, form: "password" }
  ],
  [
    "kubernetes-secret",
    /"kubernetes_secret(?:_v1)?"\s{1,9}"[\w-]{1,100}"\s{0,9}\{[^]{0,1000}?\n\s{1,20}data\s{0,20}=\s{0,9}\{((?:[^{}]|\$\{[^{}\n]{0,200}\}){1,8000})\}/y,
    { each: /^ ?"?[\w.-]{1,100}"? ?= ?"((?:[^"\\\n]|\\.){3,512})"/gm, decode: unescape, form: "kubernetes" }
  ],
  // A sensitive value, for example of the Helm provider.
  [
    "terraform-sensitive",
    /set_sensitive\s*(?:(\{[^{}]{1,1000}\})|=\s*\[([^[\]]{1,4000})\])/y,
    { each: /\bvalue\s*=\s*"((?:[^"\\\n]|\\.){3,256})"/g, decode: unescape, form: "password" }
  ],
  // A Pulumi state exported with secrets. The value is JSON within a string.
  ["pulumi-state", /"plaintext"\s*:\s*"\\"([^\n]{3,512}?)\\""/y, { decode: (written) => unescape(unescape(written)) }]
]

/** A space matches spaces and tabs, and ` ?` none, too. */
const withTabs = (pattern: RegExp) => withBlanks(pattern, "[ \\t]+", "[ \\t]*")

export const clientConfigurations: ReadonlyArray<Rule> = configurations.map(([id, pattern, more = {}]) => {
  const { decode = (written: string) => written, form = "login" } = more
  const [after, before, each] = [more.after, more.before, more.each].map((one) => one && withTabs(one))
  const { kind = form === "token" ? "generic-secret" : form === "private-key" ? form : "password" } = more
  const configuration = withTabs(pattern)
  return {
    id,
    keywords: more.keywords ?? keywordsOf(configuration),
    find: ({ lineStart, text }, start, end, report) => {
      const from = lineStart(start)
      if (before !== undefined && !(start - from <= maxCommand && before.test(text.slice(from, start)))) return end
      const match = matchAt(configuration, text, start)
      if (match === null) return end
      if (after !== undefined && !after.test(text.slice(Math.max(0, start - maxCommand), start))) return end
      const groups = groupsOf(match)
      const values = each === undefined ? groups : groups.flatMap((group) => valuesIn(text, group, each))
      for (const span of values) {
        report({ form, value: decode(text.slice(span.start, span.end)), kind, name: id, ...span })
      }
      return Math.max(end, values.at(-1)?.end ?? 0)
    }
  }
})

/** The first group of each match within a span. */
const valuesIn = (text: string, { end, start }: Span, pattern: RegExp): ReadonlyArray<Span> =>
  Array.from(text.slice(start, end).matchAll(pattern)).flatMap((match) => groupsOf(match, start).slice(0, 1))

/** The result of random_password, in a Terraform or OpenTofu state and in the output of `terraform show -json`. */
export const randomPasswords: Rule = {
  id: "terraform-state",
  keywords: ['"random_password"'],
  find: (source, _start, end, report) => {
    const rest = source.text.slice(end, end + maxResource)
    // The next resource begins with its `mode`.
    const instances = rest.slice(0, /"mode"|"random_password"/.exec(rest)?.index)
    for (const { 0: member, 1: written = "", index } of instances.matchAll(result)) {
      const next = end + index + member.length - 1
      report({
        form: "login",
        value: unescape(written),
        name: "result",
        start: next - written.length,
        end: next
      })
    }
    return end + instances.length
  }
}

const maxResource = 20_000
const result = /"result"\s*:\s*"((?:[^"\\\n]|\\.){3,256})"/g

/** Maximum number of characters in a command before the keyword. */
const maxCommand = 200
