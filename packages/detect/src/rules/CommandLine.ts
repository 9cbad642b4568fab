/** Passwords among the arguments of programs. */
import type { Rule } from "./Rule.ts"

export const commandLines: Rule = {
  id: "command-line",
  keywords: [
    "curl ",
    "wget ",
    "https ",
    "http -",
    "sshpass",
    "mysql ",
    "mysqldump",
    "mysqladmin",
    "mariadb ",
    "mongo ",
    "mongosh ",
    "mongodump ",
    "mongorestore ",
    "mongoexport ",
    "mongoimport ",
    "vsce ",
    "twine ",
    "psexec",
    "cqlsh ",
    "rabbitmqadmin ",
    "plink ",
    "pscp ",
    "psftp ",
    "ldapsearch ",
    "ldapmodify ",
    "ldapadd ",
    "zip ",
    "mosquitto_",
    "ipmitool ",
    "rdesktop ",
    "beeline ",
    "ncftp",
    "rabbitmqctl ",
    "nmcli ",
    "wpa_passphrase ",
    "snmpwalk ",
    "snmpbulkwalk ",
    "snmpget ",
    "snmpset ",
    "snmptrap ",
    "etcdctl ",
    "<<<",
    "ldappasswd ",
    "ssh-keygen ",
    "doctl auth ",
    "samba-tool ",
    "passwd --stdin",
    "cargo login ",
    "poetry config ",
    "config http-basic.",
    "config --global http-basic.",
    "bcp ",
    "7z ",
    "7za ",
    "schtasks ",
    "xfreerdp ",
    "smbclient ",
    "net use",
    "snyk auth ",
    "sonar.",
    "configure set ",
    "config set ",
    "--password-",
    " login",
    "sqlcmd",
    "osql ",
    "redis-cli",
    "openssl ",
    "htpasswd ",
    "lftp ",
    "net user ",
    "cmdkey ",
    "wmic ",
    "sudo ",
    "sqlplus ",
    "expdp ",
    "impdp ",
    "sqlldr ",
    "rman ",
    "isql ",
    "tsql ",
    "chpasswd",
    "rootpw ",
    "secret set ",
    "put-parameter ",
    "alias set ",
    "config host add ",
    "convertto-securestring"
  ],
  find: (source, start, _end, report) => {
    const { text } = source
    const from = Math.max(source.lineStart(start), start - maxCommand)
    let to = source.lineEnd(start)
    while (text.charAt(to - 1) === "\\" && to < text.length && to - start < maxCommand) to = source.lineEnd(to + 1)
    to = Math.min(to, start + maxCommand)
    const line = text.slice(from, to)
    for (const [program, argument] of commands) {
      if (!program.test(line)) continue
      for (const match of line.matchAll(argument)) {
        const value = match.slice(1).findLast((group) => group !== undefined) ?? ""
        const at = from + match.index + match[0].lastIndexOf(value)
        report({ form: "login", value, kind: "password", start: at, end: at + value.length })
      }
    }
    return to
  }
}

/** A word of a command, between quotes or bare: between quotes it may hold what ends a bare one. */
const word = String.raw`(?:\\?(?:"([^\s"$<\\-][^\s"\\]{3,127})\\?"|'([^\s'$<\\-][^\s'\\]{3,127})\\?')|([^\s"'$<>|;&,\\-](?:[^\s"'<>|;&,\\]|,(?=[^\s"'])){3,127}))(?=[\s"',;|&\])}\\]|$)`

/** `-p value` or `-p=value`; glued: `-pvalue`. */
const separate = (flag: string) => new RegExp(`[\\s"']${flag}["']?(?:[ =]|,\\s)\\s{0,20}${word}`, "g")
const glued = (flag: string) => new RegExp(`[\\s"']${flag}${word}`, "g")

/** Programs that take a password among their arguments, and where. The last group that matches is the password. */
const commands: ReadonlyArray<readonly [program: RegExp, argument: RegExp]> = [
  [
    /\b(?:curl|wget|https?)\b/,
    /\s(?:-u|--(?:proxy-)?user)[ =]{0,20}(["']?)[^\s:"'$]{0,64}:([^\s"']{3,128})\1(?=\s|$)/g
  ],
  [/\bhttps? -/, /\s(?:-a|--auth)[ =]{0,20}(["']?)[^\s:"'$]{0,64}:([^\s"']{3,128})\1(?=\s|$)/g],
  [/\bsshpass\b/, /\s-p\s{0,20}(["']?)([^\s"']{3,128})\1/g],
  [/\bmysql\w*|\bmariadb\b/, glued("-p(?!=)")],
  [
    /\b(?:docker|podman|helm|az|oc|cf|skopeo) .{0,200}login\b/,
    new RegExp(String.raw`\blogin\b[^|;&\n]{0,200}?[\s"']-p["']?(?:[ =]|,\s)\s{0,20}${word}`, "g")
  ],
  [/\b(?:mongo\w*|vsce|twine|psexec(?:64)?|cqlsh|rabbitmqadmin)\b/i, separate("-p")],
  [/\b(?:plink|pscp|psftp)\b/, separate("-pw")],
  [/\b(?:sqlcmd|bcp|osql|isql|tsql)\b/, /\s-P\s{0,20}(["']?)([^\s"'-][^\s"']{3,127})\1/g],
  [/\bldap(?:search|modify|add|delete|passwd|whoami)\b/, separate("-w")],
  [/\b(?:un)?zip\b|\bmosquitto_\w+\b|\bipmitool\b/, separate("-P")],
  [/\bldappasswd\b/, separate("-s")],
  [/\bssh-keygen\b/, separate("-N")],
  [/\bdoctl\s{1,8}auth\b/, separate("-t")],
  [/\bsamba-tool\b/, new RegExp(String.raw`\buser\s{1,8}(?:create|add)\s{1,8}\S{1,64}\s{1,8}${word}`, "g")],
  [/\bipmitool\b/, new RegExp(String.raw`\bset\s{1,8}password\s{1,8}\d{1,3}\s{1,8}${word}`, "g")],
  [/\b(?:rdesktop|beeline|ncftp\w*)\b/, separate("-p")],
  [/\brabbitmqctl\b/, new RegExp(String.raw`\b(?:add_user|change_password)\s{1,8}\S{1,64}\s{1,8}${word}`, "g")],
  [/\bnmcli\b/, new RegExp(String.raw`\spassword\s{1,8}${word}`, "g")],
  [
    /\bwpa_passphrase\b/,
    new RegExp(String.raw`\bwpa_passphrase\s{1,8}(?:"[^"\n]{1,64}"|'[^'\n]{1,64}'|\S{1,64})\s{1,8}${word}`, "g")
  ],
  [/\bsnmp(?:walk|bulkwalk|get|getnext|bulkget|set|trap|inform|table|status)\b/, separate("-[AXc]")],
  [/\betcdctl\b/, /\s--user[ =]{1,8}(["']?)[^\s:"'$]{1,64}:([^\s"']{3,128})\1(?=\s|$)/g],
  [/\b(?:kinit|passwd|vncpasswd|cryptsetup|sudo|su)\b.{0,200}<<</, new RegExp(String.raw`<<<\s{0,8}${word}`, "g")],
  [
    /\bcargo\s{1,8}login\b/,
    new RegExp(String.raw`\bcargo\s{1,8}login\s{1,8}(?:--registry[ =]\S{1,64}\s{1,8})?${word}`, "g")
  ],
  [/\bpoetry\s{1,8}config\b/, new RegExp(String.raw`\bpypi-token\.[\w-]{1,64}\s{1,8}${word}`, "g")],
  [
    /\b(?:poetry|composer)\b.{0,80}\bconfig\b/,
    new RegExp(String.raw`\bhttp-basic\.[\w.-]{1,100}\s{1,8}\S{1,64}\s{1,8}${word}`, "g")
  ],
  [/\b7za?\b/, glued("-p")],
  [/\bschtasks\b/i, separate("/rp")],
  [/\bxfreerdp\b/, glued("/p:")],
  [/\bsmbclient\b|\bmount\.cifs\b/, /\s-U\s{0,20}(["']?)[^\s"'%]{1,64}%([^\s"']{4,127})\1/g],
  [/\bnet {1,8}use\b/i, new RegExp(String.raw`/user:\S{1,64}\s{1,20}${word}`, "gi")],
  [
    /\bnet {1,8}use\b/i,
    new RegExp(String.raw`\\\\[^\s\\]{1,64}(?:\\[^\s\\]{1,64})?\s{1,20}${word}\s{1,20}/user:`, "gi")
  ],
  [/\bcmdkey\b/i, glued("/pass:")],
  [/\bwmic\b/i, glued("/password:")],
  [/\bsnyk {1,8}auth\b/, new RegExp(String.raw`\bauth {1,8}${word}`, "g")],
  [/\bsonar/, new RegExp(String.raw`sonar\.(?:login|token)=${word}`, "g")],
  [
    /\bconfig(?:ure)? set\b/,
    new RegExp(String.raw`\bset {1,8}[\w.:/-]{0,80}(?:key|token|password|secret) {1,8}${word}`, "gi")
  ],
  [/\bopenssl\b/, /\s-pass(?:in|out)?\s{1,20}(["']?)pass:([^\s"']{4,128})\1/g],
  [/\bopenssl enc\b/, separate("-k")],
  [/\blftp\b/, /\s-u\s{1,20}[^\s,"']{1,64},(["']?)([^\s"'$-][^\s"']{3,127})\1/g],
  [/\bhtpasswd\b/, /\s-\w{0,8}b\w{0,8}\s(?:.{0,200}\s)?(["']?)([^\s"'$-][^\s"']{3,127})\1\s{0,20}(?:[;&|>].*)?$/g],
  [/\bnet1? user\b/i, /\buser\s{1,20}[^\s"'/]{1,64}\s{1,20}(["']?)([^\s"'/*-][^\s"']{3,127})\1(?=\s|$)/gi],
  [
    /\s--password-(?:stdin|command)\b|\bpasswd\s{1,8}--stdin\b|\bsudo\s{1,20}(?:-\S{1,40}\s{1,20}){0,8}-\w{0,8}S\b/,
    /\becho\s{1,20}(?:-n\s{1,20})?(["']?)([^\s"'$-][^\s"']{3,127})\1\s{0,20}(?:\||['"])/g
  ],
  [/\bchpasswd\b/, /\becho\s{1,20}(?:-\w{1,8}\s{1,20})?(["']?)[\w.-]{1,32}:([^\s"'$]{4,127})\1\s{0,20}\|/g],
  [
    /\b(?:sqlplus|expdp|impdp|sqlldr|rman)\b/,
    /\b(?:sqlplus|expdp|impdp|sqlldr|rman(?:\s{1,20}target)?)\s{1,20}(?:-\S{1,40}\s{1,20}){0,8}(["']?)[\w$.]{1,64}\/([^\s"'$/@&][^\s"'@]{3,127})(?=@|\1(?:\s|$)|\sas\ssys)/g
  ],
  [
    /\bisql\b/,
    new RegExp(String.raw`\bisql\s{1,8}(?:-\w{1,8}\s{1,8}){0,6}[\w-]{1,64}\s{1,8}[\w.@-]{1,64}\s{1,8}${word}`, "g")
  ],
  // The answers of an installer.
  [/\brootpw\b/, new RegExp(String.raw`\brootpw\s{1,20}(?:--plaintext\s{1,20})?${word}`, "g")],
  [/\bredis-cli\b/, separate("-a")],
  [/\bgh {1,8}secret {1,8}set\b/, separate("(?:-b|--body)")],
  [
    /\baz {1,8}keyvault {1,8}secret {1,8}set\b|\baws {1,8}ssm {1,8}put-parameter\b.{0,400} SecureString\b/,
    separate("--value")
  ],
  [
    /\bmc {1,8}(?:alias {1,8}set|config {1,8}host {1,8}add)\b/,
    new RegExp(
      String.raw`\b(?:set|add)\s{1,20}[\w-]{1,64}\s{1,20}\S{1,128}\s{1,20}["']?[\w.@-]{1,64}["']?\s{1,20}${word}`,
      "g"
    )
  ],
  [/\bConvertTo-SecureString\b/i, /(["'])([^"'\n\\$]{3,128})\1\s{0,20}\|\s{0,20}ConvertTo-SecureString/gi],
  [/\bConvertTo-SecureString\b/i, /ConvertTo-SecureString\s{1,20}(?:-String\s{1,20})?(\\?["'])([^"'\n\\]{3,128})\1/gi]
]

/** Characters before and after the name of a program that are looked at. */
const maxCommand = 2000
