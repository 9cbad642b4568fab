/**
 * Finds credentials in configurations of clients, servers and devices. Each form is recognized by its words, in any
 * file.
 */
import type { CandidateKind } from "../../Candidate.ts"
import type { Form } from "../../scoring/Evidence.ts"
import { matchAt } from "../../text/MatchAt.ts"
import { unescape, unescapeXml } from "../../text/StringLiteral.ts"
import { withoutBackslashes } from "./CredentialFile.ts"
import { secretOfCisco, secretOfJunos } from "./NetworkDevice.ts"
import { keywordsOf } from "../KeywordsOf.ts"
import type { Rule } from "../Rule.ts"

interface Configuration {
  readonly id: string
  /** Default: the literal beginnings of `values`. */
  readonly keywords?: ReadonlyArray<string>
  /**
   * A sticky expression that matches at the keyword. Each group that matches is a value. A space matches spaces and
   * tabs.
   */
  readonly values: RegExp
  /** Finds the values in the groups of `values`: the first group of each match. */
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
const ciscoPassword = (words: string): Configuration => ({
  id: "network-device",
  values: new RegExp(String.raw`${words} ((?:[07] )?(?!\d[ \t])[^\s"']{4,128})`, "iy"),
  decode: secretOfCisco
})

const configurations: ReadonlyArray<Configuration> = [
  // A line of `.netrc`, found in any file.
  {
    id: "netrc",
    keywords: ["machine "],
    values:
      /machine\s{1,40}[\w.-]{1,255}\s{1,40}login\s{1,40}\S{1,128}(?:\s{1,40}(?:port|account)\s{1,40}\S{1,128})?\s{1,40}passw(?:or)?d\s{1,40}([^\s"']{4,128})/iy
  },
  // HAProxy 3.2, sections "stats auth" and "userlist".
  {
    id: "haproxy",
    values: /stats auth ["']?[^\s:"']{1,64}:((?:[^\s"'\\]|\\.){3,128})(?=["']?(?:\s|$))/iy,
    decode: withoutBackslashes
  },
  {
    id: "haproxy",
    values: /insecure-password ["']?((?:[^\s"'\\]|\\.){3,128})(?=["']?(?:\s|$))/iy,
    decode: withoutBackslashes
  },
  // snmpd.conf(5)
  {
    id: "snmpd",
    values:
      /createUser (?:-e \S{1,80} )?\S{1,64} (?:MD5|SHA(?:-?\d{3})?) (?:"([^"\n]{8,128})"|([^\s"]{8,128}))(?: (?:DES|AES(?:-?\d{3})?) (?:"([^"\n]{8,128})"|([^\s"]{8,128})))?/iy
  },
  {
    id: "snmpd",
    values: /r[ow]community6? ([^\s"'<$]{4,64})/iy,
    before: indentation
  },
  // pfSense
  { id: "snmpd", values: /<rocommunity>([^<\s]{4,64})<\//iy },
  {
    id: "snmpd",
    values: /authCommunity \S{1,64} ([^\s"'<$]{4,64})/iy,
    before: indentation
  },
  {
    id: "snmpd",
    values: /com2sec6? (?:-Cn \S{1,64} )?\S{1,64} \S{1,64} ([^\s"'<$]{4,64})/iy,
    before: indentation
  },
  {
    id: "snmpd",
    keywords: ["trapsink", "trap2sink", "informsink"],
    values: /(?:trap2?|inform)sink \S{1,100} ([^\s"'<$]{4,64})/iy,
    before: indentation
  },
  // A setting of Telegraf, exporters or monitoring systems, with SNMP or agents mentioned shortly before.
  {
    id: "snmp-community",
    values:
      /community["'\]]{0,4}(?:\[\])?[ \t]*(?:=>?|:|(?="))[ \t]*(?:array\(|\[)?[ \t]*["']?([^\s"'<>{}$[\]#(),;]{4,64})(?=["']|[ \t]*(?:[#;].*)?\r?$)/imy,
    after: /snmp|\bagents\b|^auths:/im
  },
  { id: "snmp-community", values: /CommunityData\(\s*(?:"([^"\n]{4,64})"|'([^'\n]{4,64})')/iy },
  {
    id: "snmp-community",
    values: /Target\[[^\]\n]{1,80}\]:[ \t]*[\w&.-]{1,60}:([^\s:@"'<$]{4,64})@/iy,
    before: indentation
  },
  // Asterisk: an account on another server, `user[:secret[:login]]@host`.
  {
    id: "sip-registration",
    values:
      /register[ \t]*=>?[ \t]*(?:[\w?+]{1,20}(?:\?|:\/\/))?[^\s:@]{1,64}:([^\s:@/]{3,64})(?::[^\s@]{1,64})?@[\w.-]/iy,
    before: indentation
  },
  // systemd.exec(5): the id and value of a credential.
  {
    id: "systemd-credential",
    values: /SetCredential=[\w.-]{1,100}:([^\r\n]{3,512})/iy,
    before: /^$/
  },
  // Configuration of a TACACS+ server.
  { id: "tacacs-user", keywords: ["cleartext "], values: /cleartext "?([^\s"{}]{4,128})/iy, before: /=[ \t]*$/ },
  // Cisco IOS.
  {
    id: "network-device",
    keywords: ["secret 0"],
    values: /secret 0 ([^\s"']{4,128})/iy,
    before: /\busername[ \t]/i
  },
  ciscoPassword(
    String.raw`(?:(?:radius|tacacs)-server host|server-private) \S{1,64}(?: (?!key\b)[\w-]{1,32}){0,8} key`
  ),
  ciscoPassword(String.raw`(?:radius|tacacs) server \S{1,64}[ \t]*\r?\n(?: (?!key\b)[^\n]{1,160}\n){0,8} key`),
  ciscoPassword(
    String.raw`line[ ](?:vty|con(?:sole)?|aux)[ \t\d]{1,20}\r?\n(?: (?!password\b)[^\n]{1,160}\n){0,12} password`
  ),
  ciscoPassword(
    String.raw`aaa-server \S{1,64}(?: \([^\s()]{1,40}\))? host \S{1,64}[^\n]{0,40}\r?\n(?: (?!key\b)[^\n]{1,160}\n){0,8} key`
  ),
  ciscoPassword(String.raw`neighbor \S{1,64} password`),
  ciscoPassword(String.raw`message-digest-key \d{1,3} md5`),
  {
    id: "network-device",
    values:
      /snmp-server user \S{1,64} \S{1,64}(?: v3)? auth (?:md5|sha)(?:-?\d{3})? (?!0x)([^\s"']{4,128})(?: priv (?:(?:3?des|aes)(?:[ \t-]?\d{3})? )?([^\s"']{4,128}))?/iy
  },
  {
    id: "network-device",
    values:
      /snmp-server host \S{1,64}(?: (?:traps|informs))?(?: version (?:1|2c))? (?!version\b|traps\b|informs\b|vrf\b)([^\s"']{4,64})/iy
  },
  {
    id: "network-device",
    values: /authentication-key \d{1,5} (?:md5|sha\d?|hmac-[\w-]{1,20}|aes128-cmac) ([^\s"']{4,128})/iy
  },
  {
    id: "network-device",
    values: /snmp-server host \S{1,64} \S{1,64}(?: (?:poll|trap))? community ([^\s"']{4,64})/iy
  },
  // A password without a type, unless the end of the line says that it is a hash.
  {
    id: "network-device",
    values: /username (?!and\b|or\b)\S{1,64} password (?!\d[ \t])([^\s"']{4,128})(?= privilege| role|[ \t]*\r?$)/imy,
    before: indentation
  },
  // PAN-OS, in braces and in XML.
  { id: "network-device", values: /pre-shared-key\s{1,4}\{\s{0,200}key "?([^\s";]{4,128})/iy },
  { id: "network-device", values: /<pre-shared-key>\s{0,200}<key>([^<\s]{4,128})<\//iy, decode: unescapeXml },
  // VyOS, OpenWrt.
  {
    id: "network-device",
    keywords: ["authentication psk"],
    values: /authentication psk \S{1,64} secret ["']?([^\s"']{4,128})/iy
  },
  {
    id: "network-device",
    keywords: ["option key", "option password"],
    values: /option (?:key|password) (?:"([^"\n]{8,63})"|'([^'\n]{8,63})'|([^\s"']{8,63}))/iy,
    before: indentation,
    form: "credential-file"
  },
  // hostapd, wpa_supplicant: a WPA passphrase may contain spaces.
  {
    id: "network-device",
    keywords: ["wpa_passphrase=", 'psk="'],
    values: /(?:wpa_passphrase|psk)=(?:"([^"\n]{8,63})"|([^"\s][^\n]{6,61}[^\s]))[ \t]*\r?$/imy,
    before: indentation,
    form: "credential-file"
  },
  // MikroTik.
  { id: "snmp-community", values: /\/snmp community\s{1,9}(?:add|set)[^\n]{0,200}? name="?([^\s"]{4,64})/iy },
  // Junos, both as `set` commands and in braces.
  {
    id: "network-device",
    values:
      /(?:tacplus|radius)-server [\w.:-]{1,64} (?:\{[^{}]{0,400}?)?(?:(?!secret\b)[\w-]{1,32} [\w.:-]{1,64} ){0,4}secret (?:"([^"\n]{4,128})"|([^\s"';]{4,128}))/iy
  },
  {
    id: "network-device",
    keywords: ["community "],
    values: /community "?([\w.@#!-]{4,64})"?[ \t]*\{/iy,
    before: indentation
  },
  {
    id: "network-device",
    keywords: ['"$9$'],
    values: /"(\$9\$[\w./-]{6,400})"/y,
    decode: secretOfJunos
  },
  // Inline credentials of an OpenVPN client.
  {
    id: "openvpn",
    values: /<auth-user-pass>[ \t]*\r?\n[ \t]*\S{1,128}[ \t]*\r?\n[ \t]*(\S{3,128})[ \t]*\r?\n[ \t]*<\//iy
  },
  // Postfix, postconf(5).
  {
    id: "sasl-password",
    values: /static:[^\s:]{1,128}:([^\s"']{4,128})/iy,
    before: /_sasl_password_maps[ \t]*=[ \t]*$/i
  },
  {
    id: "squid",
    values: /cache_peer[ \t][^\n]{1,300}?[ \t]login=[^\s:]{1,64}:(\S{3,128})/iy
  },
  {
    id: "redis-sentinel",
    values: /sentinel auth-pass \S{1,64} "?([^\s"]{3,128})/iy
  },
  {
    id: "proftpd",
    values: /SQLConnectInfo \S{1,200} \S{1,64} (\S{3,128})/iy
  },
  // Network UPS Tools, upsmon.conf(5).
  {
    id: "ups-monitor",
    keywords: ["monitor "],
    values: /MONITOR \S{1,200}@\S{1,200} \d{1,3} \S{1,64} (\S{3,128}) (?:master|slave|primary|secondary)\b/iy,
    before: indentation
  },
  { id: "sendmail-auth", values: /AuthInfo:[^\n]{0,400}?"P:([^"\n]{3,128})"/iy },
  {
    id: "bundler",
    values: /BUNDLE_\w{1,80}:[ \t]*"?[\w.@-]{1,64}:([^\s"/]{6,128})"?[ \t]*(?:\r?\n|$)/iy
  },
  // ProxyChains: address, port, user and password of a proxy.
  {
    id: "proxychains",
    values: /socks[45] [\w.:-]{3,80} \d{2,5} \S{1,64} (\S{3,128})/iy,
    before: indentation
  },
  // Users in login modules of Kafka and ZooKeeper.
  {
    id: "jaas-user",
    values: /LoginModule (?:required|requisite|sufficient|optional)\b([^;]{1,2000})/iy,
    each: /\buser_[\w.-]{1,64}\s*=\s*(?:"([^"\n]{3,128})"|'([^'\n]{3,128})')/g
  },
  // PagerDuty Events API v2, in Alertmanager and Terraform.
  {
    id: "pagerduty-key",
    values: /(?:routing|service|integration)_key"?[ \t]*[:=][ \t]*["']?([\da-f]{32})(?=["'\s,]|$)/iy,
    form: "token"
  },
  // OVHcloud: the key of a consumer, unlike that of OAuth, is a secret.
  {
    id: "ovh",
    values: /consumer_key["']?[ \t]*:?[=:][ \t]*["']?([\w-]{32})(?![\w-])/iy,
    after: /ovh|application_secret/i,
    form: "token"
  },
  // An Ethereum private key as a number in Solidity.
  {
    id: "private-key",
    keywords: ["privatekey =", "private_key ="],
    values: /private_?key =[ \t]*(0x[\da-f]{64})\b/iy,
    form: "private-key",
    kind: "private-key"
  },
  // Capistrano.
  {
    id: "capistrano",
    keywords: ["set :"],
    values:
      /set :\w{0,20}(?:password|pass|passphrase|secret|token),[ \t]*(?:"([^"\\\n#]{4,128})"|'([^'\\\n]{4,128})')/iy,
    before: indentation
  },
  // Accounts of a Hardhat network.
  {
    id: "private-key",
    values: /accounts["']?\s*:\s*\[([^[\]]{64,4000})\]/iy,
    each: /["']((?:0x)?[\da-f]{64})["']/gi,
    form: "private-key",
    kind: "private-key"
  },
  // Tinyproxy, 3proxy.
  { id: "proxy-user", values: /BasicAuth \S{1,64} (\S{3,128})/iy, before: indentation },
  { id: "proxy-user", values: /upstream \w{1,10} [^\s:@]{1,64}:([^\s@]{3,128})@/iy, before: indentation },
  {
    id: "proxy-user",
    values: /:CL:([^\s"]{3,128})/iy,
    before: /^[ \t]*users[ \t]/i
  },
  // ZNC: a server's password, and a user's plain-text password.
  { id: "znc", keywords: ["server = "], values: /Server = \S{1,200} \+?\d{2,5} (\S{3,128})/iy, before: indentation },
  { id: "znc", keywords: ["method = plain"], values: /Method = plain[ \t]*\r?\n[ \t]*Hash = (\S{3,128})/iy },
  // Subversion's credential cache.
  {
    id: "subversion",
    keywords: ["k 8\npassword\n"],
    values: /K 8\npassword\nV \d{1,4}\n([^\n]{3,256})\n/y
  },
  // Users of svnserve and Apache Shiro, administrators of CouchDB, a login in Hurl. Roles may follow the password.
  {
    id: "user-section",
    keywords: ["[users]", "[admins]", "[basicauth]"],
    values: /\[(?:users|admins|basicauth)\][ \t]*\r?\n((?:(?!\[)[^\n]{0,300}\n){0,200}(?:(?!\[)[^\n]{1,300})?)/iy,
    each: /^[ \t]*[\w.@-]{1,64}[ \t]*[=:][ \t]*(?!-(?:pbkdf2|hashed)-|\d+[a-z]{0,2}(?:[\s,]|$))([^\s,#;]{3,128})[ \t]*(?:,[^\n]*)?\r?$/gm,
    before: /^$/
  },
  // ADO: the data source, user and password of a connection.
  {
    id: "credential-call",
    values: /\.open "[^"\n]{0,300}=[^"\n]{0,300}", "[^"\n]{1,64}", "([^"\n]{3,128})"/iy
  },
  // An LDAP bind, and a database connection in MATLAB.
  {
    id: "credential-call",
    keywords: ["bind(", "bind_s("],
    values:
      /bind(?:_s)?\(\s*[bf]?["'](?:cn|uid|ou|dc)=[^"'\n]{1,200}["']\s*,\s*(?:"([^"\\\n]{4,128})"|'([^'\\\n]{4,128})')/iy
  },
  {
    id: "credential-call",
    keywords: ["database("],
    values: /database\((?:\s*["'][^"'\n]{1,64}["'],){2}\s*(?:"([^"\n]{4,128})"|'([^'\n]{4,128})')/iy,
    before: /=[ \t]*$/
  },
  // The key of a value that a database encrypts.
  {
    id: "credential-call",
    keywords: ["aes_encrypt(", "aes_decrypt(", "pgp_sym_encrypt(", "pgp_sym_decrypt("],
    values: /\w{3,7}_(?:en|de)crypt\(\s*(?:'[^'\n]{0,100}'|[^,()'"\n]{1,100}),\s*'([^'\n]{4,128})'/iy
  },
  // The password of a Java key store, or one that a key is derived from.
  {
    id: "credential-call",
    keywords: ["store.load(", "pbekeyspec(", "passwordprotection("],
    values: /(?:store\.load|PBEKeySpec|PasswordProtection)\([^"\n;]{0,80}"([^"\\\n]{4,64})"\.toCharArray\(\)/iy
  },
  // A plain-text `SecretValue` in AWS CDK.
  {
    id: "credential-call",
    keywords: ["plaintext("],
    values: /plainText\(\s*(?:"([^"\\\n$]{3,512})"|'([^'\\\n]{3,512})')/iy,
    before: /SecretValue\.(?:unsafe_?)?$/i
  },
  // The DNS provider for ACME challenges in Caddy.
  {
    id: "caddy-dns",
    keywords: ["dns "],
    values: /dns [a-z\d]{2,20} ([\w-]{20,128})(?=[ \t]*(?:[}\r\n]|$))/iy,
    before: /^[ \t]*(?:tls[ \t]*\{[ \t]*|acme_)?$/,
    form: "token"
  },
  // rsyslog: server, database, user and password.
  {
    id: "rsyslog",
    values: /:om(?:my|pg)sql:[^,\s]{1,100},[^,\s]{1,64},[^,\s]{1,64},([^,;\s]{3,128})/iy
  },
  {
    id: "vpnc",
    keywords: ["ipsec secret ", "xauth password "],
    values: /(?:IPSec secret|Xauth password) (\S{3,128})/iy,
    before: indentation
  },
  // The answer to a password prompt in Expect, pexpect or telnetlib.
  {
    id: "expect-answer",
    keywords: ['send "', "send -- ", 'send("', "send('", "sendline(", 'write(b"', "write(b'"],
    values:
      /(?:send(?:line)?|write)(?: (?:-- )?|\()b?(?:"((?:[^"\\$[\n]|\\[^\n]){3,128}?)(?:\\[rn]){0,2}"|'((?:[^'\\\n]|\\[^\n]){3,128}?)(?:\\[rn]){0,2}')/iy,
    after:
      /(?:expect[^\n]{0,120}|["'][^"'\n]{0,20}\*p?|read_until[^\n]{0,20})ass(?:word|phrase|code|wd)[^\n]{0,60}(?:\n[^\n]{0,40})?$/i
  },
  // Passwords and tokens of game servers, as settings and as arguments.
  {
    id: "game-server",
    keywords: ["rcon.password ", "rcon_password ", "sv_password ", "sv_setsteamaccount "],
    values: /\w{2,4}[._]\w{8,15} "?([^\s"$%<]{4,128})/iy,
    before: /(?:^|[\s"'+])$/
  },
  // Splunk: a value with the prefix `$1$` or `$7$` is encrypted.
  { id: "splunk", values: /pass4SymmKey[ \t]*=[ \t]*(?!\$[17]\$)(\S{4,128})/iy },
  // The token that an frp server and its clients share.
  {
    id: "frp-token",
    keywords: ["bind_port", "bindport", "server_addr", "serveraddr"],
    values:
      /(?:bind_?port|server_?addr)["']?[ \t]*[=:][^]{0,300}?\n[ \t]*(?:auth\.)?token["']?[ \t]*[=:][ \t]*["']?([^\s"'{}$<>]{6,128})["']?[ \t]*(?:#.*)?\r?$/imy,
    before: indentation
  },
  // The user and the password of a script for ftp, as a file or written by `echo`.
  {
    id: "command-line",
    keywords: ["open "],
    values: /open \S{1,100}(?: \d{1,5})?[ \t]*\r?\n[ \t]*user \S{1,64} (\S{3,128})/iy,
    before: indentation
  },
  { id: "command-line", values: /echo user \S{1,64} ([^\s>]{3,128})[ \t]*>/iy },
  // WeeChat, without a passphrase.
  {
    id: "weechat",
    values: /__passphrase__ = off[ \t]*\r?\n((?:[\w.-]{1,64} = [^\n]{1,300}\n){1,100})/iy,
    each: /^[\w.-]{1,64} = "([^"\n]{3,128})"/gm
  },
  // Exim.
  { id: "exim-client", values: /client_send = (?:: ?\S{1,64} ?: ?|\^\S{1,64}\^)([^\s:^$]{3,128})[ \t]*\r?$/imy },
  { id: "smtp-auth", values: /auth plain \S{1,64} ([^\s"'$]{4,128})/iy, before: indentation },
  // SoftEther.
  {
    id: "softether",
    values: /(?:IPsec_Secret|ProxyPassword) ([^\s"]{4,128})[ \t]*\r?$/imy,
    before: /^[ \t]*string[ \t]+$/
  },
  // V2Ray, Xray.
  {
    id: "vless-user",
    values: /"clients"\s*:\s*\[([^[\]]{1,4000})\]/y,
    each: /"id"\s*:\s*"([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})"/g,
    after: /"v[lm]ess"/,
    form: "token"
  },
  { id: "neo4j", values: /NEO4J_AUTH["']?[ \t]*[=:][ \t]*["']?neo4j\/([^\s"'$/]{4,128})/iy },
  // Tasmota.
  {
    id: "tasmota",
    values: /Backlog ([^\n]{1,2000})/iy,
    each: /\b(?:Mqtt|Web)?Password\d? ([^\s;"']{4,128})/gi
  },
  // AutoHotkey: a hotstring that types a password.
  {
    id: "hotstring",
    keywords: ["pw::", "pwd::", "pass::", "word::"],
    values: /(?:pwd?|pass|word)::([^\s{<]\S{3,127})[ \t]*\r?$/imy,
    before: /^:[*?\w]{0,8}:\w{0,20}$/
  },
  // AppleScript.
  {
    id: "credential-call",
    keywords: ['password "'],
    values: /password "([^"\n]{4,128})"/iy,
    before: /\buser name \S{1,64}[ \t]+$/i
  },
  // kdb+.
  { id: "credential-call", values: /hopen[ \t(]{0,4}\x60:[\w.-]{0,100}:\d{2,5}:[\w.-]{1,64}:([^\s:\x60;)]{4,128})/iy },
  // HTML: an input whose value is not quoted.
  {
    id: "html-input",
    keywords: ["<input "],
    values:
      /<input(?=[^<>]{0,300}\s(?:type=["']?password\b|name=["']?\w{0,40}(?:pass(?:word|wd)?|pwd|secret|token)\b))[^<>]{0,300}\svalue=([^\s"'<>{}$]{4,128})/iy
  },
  // WildFly.
  { id: "clear-text", values: /clear-text="([^"<>{}$\n]{3,512})"/iy, decode: unescapeXml },
  // KeePass 2, XML export.
  {
    id: "keepass",
    values: /<Key>Password<\/Key>\s*<Value[^<>]{0,80}>([^<]{3,512})<\/Value>/iy,
    decode: unescapeXml
  },
  // Key ring of ASP.NET Core Data Protection.
  {
    id: "data-protection-key",
    keywords: ["in an unencrypted form"],
    values: /in an unencrypted form[^<>]{0,40}-->\s*<value>([\w+/]{40,512}={0,2})<\/value>/iy,
    form: "token"
  },
  // minisign: in a secret key without a password, the key derivation algorithm is two zero bytes.
  {
    id: "private-key",
    keywords: ["rwqaaeiy"],
    values: /(RWQAAEIy[\w+/]{180,260}={0,2})/y,
    form: "private-key",
    kind: "private-key"
  },
  // Dovecot's passwd-file, and its schemes in other databases.
  {
    id: "dovecot",
    values: /\{(?:PLAIN|CLEAR|CLEARTEXT)\}([^:\s"'<]{3,128})/iy
  },
  // Composer's auth.json: a token per host.
  {
    id: "composer-auth",
    values: /"(?:bearer|github-oauth|gitlab-oauth|gitlab-token)"\s*:\s*\{([^{}]{1,8000})/y,
    each: /"[\w.:-]{1,100}"\s*:\s*"([^"\s]{8,256})"/g,
    form: "token"
  },
  // Outputs in the state, and the output of `terraform output -json`.
  {
    id: "terraform-state",
    values: /"sensitive":\s*true(?:\s*,\s*"type"\s*:\s*"string")?\s*,\s*"value"\s*:\s*"((?:[^"\\\n]|\\.){3,256})"/y,
    decode: unescape
  },
  {
    id: "terraform-state",
    values:
      /"value":\s*[[{]([^[\]{}]{3,4000})[\]}]\s*,\s*"type"\s*:\s*\[\s*"(?:list|map|set|tuple)"[^{}]{0,200}?\]\s*,\s*"sensitive"\s*:\s*true/y,
    each: /(?:"[\w.-]{1,80}"\s*:\s*)?"((?:[^"\\\n]|\\.){3,256})"/g,
    decode: unescape
  },
  {
    id: "terraform-state",
    values: /"value":\s*"((?:[^"\\\n]|\\.){3,256})"\s*,\s*(?:"type"\s*:\s*"string"\s*,\s*)?"sensitive"\s*:\s*true/y,
    decode: unescape
  },
  // A sensitive value, for example of the Helm provider.
  {
    id: "terraform-sensitive",
    values: /set_sensitive\s*(?:(\{[^{}]{1,1000}\})|=\s*\[([^[\]]{1,4000})\])/y,
    each: /\bvalue\s*=\s*"((?:[^"\\\n]|\\.){3,256})"/g,
    decode: unescape,
    form: "password"
  },
  // A Pulumi state exported with secrets. The value is JSON within a string.
  {
    id: "pulumi-state",
    values: /"plaintext"\s*:\s*"\\"([^\n]{3,512}?)\\""/y,
    decode: (written) => unescape(unescape(written))
  }
]

/** Makes a space match spaces and tabs, except after an opening bracket. */
const withTabs = ({ flags, source }: RegExp) => new RegExp(source.replaceAll(/(?<!\[) /g, String.raw`[ \t]+`), flags)

export const clientConfigurations: ReadonlyArray<Rule> = configurations.map((configuration) => {
  const { after, before, decode = (written: string) => written, each, form = "login", id } = configuration
  const { kind = form === "token" ? "generic-secret" : "password" } = configuration
  const values = withTabs(configuration.values)
  return {
    id,
    keywords: configuration.keywords ?? keywordsOf(values),
    find: ({ lineStart, text }, start, end, report) => {
      const from = lineStart(start)
      if (before !== undefined && !(start - from <= maxCommand && before.test(text.slice(from, start)))) return end
      const match = matchAt(values, text, start)
      if (match === null) return end
      if (after !== undefined && !after.test(text.slice(Math.max(0, start - maxCommand), start))) return end
      const groups = match.slice(1).filter((group) => group !== undefined)
      let next = start
      for (const value of each === undefined ? groups : groups.flatMap((group) => valuesIn(group, each))) {
        const at = text.indexOf(value, next)
        next = at + value.length
        report({ form, value: decode(value), kind, name: id, start: at, end: next })
      }
      return Math.max(end, next)
    }
  }
})

const valuesIn = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  Array.from(text.matchAll(pattern), (match) => match.slice(1).find((group) => group !== undefined) ?? "")

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
