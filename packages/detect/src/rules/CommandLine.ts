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
    "unzip ",
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
    "sudo ",
    "sqlplus ",
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
    const from = Math.max(source.lineStart(start), start - longestCommand)
    let to = source.lineEnd(start)
    while (text.charAt(to - 1) === "\\" && to < text.length && to - start < longestCommand) to = source.lineEnd(to + 1)
    to = Math.min(to, start + longestCommand)
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
const separate = (flag: string) => new RegExp(`[\\s"']${flag}["']?(?:[ =]|,\\s*)\\s*${word}`, "g")
const glued = (flag: string) => new RegExp(`[\\s"']${flag}${word}`, "g")

/** Programs that take a password among their arguments, and where. The last group that matches is the password. */
const commands: ReadonlyArray<readonly [program: RegExp, argument: RegExp]> = [
  [/\b(?:curl|wget|https?)\b/, /\s(?:-u|--(?:proxy-)?user)[ =]*(["']?)[^\s:"'$]{0,64}:([^\s"']{3,128})\1(?=\s|$)/g],
  [/\bhttps? -/, /\s(?:-a|--auth)[ =]*(["']?)[^\s:"'$]{0,64}:([^\s"']{3,128})\1(?=\s|$)/g],
  [/\bsshpass\b/, /\s-p\s*(["']?)([^\s"']{3,128})\1/g],
  [/\bmysql\w*|\bmariadb\b/, glued("-p(?!=)")],
  [
    /\b(?:docker|podman|helm|az|oc|cf|skopeo) .*login\b/,
    new RegExp(String.raw`\blogin\b[^|;&\n]*?[\s"']-p["']?(?:[ =]|,\s*)\s*${word}`, "g")
  ],
  [/\b(?:mongo\w*|vsce|twine|psexec(?:64)?|cqlsh|rabbitmqadmin)\b/i, separate("-p")],
  [/\b(?:plink|pscp|psftp)\b/, separate("-pw")],
  [/\b(?:sqlcmd|bcp|osql|isql|tsql)\b/, /\s-P\s*(["']?)([^\s"'-][^\s"']{3,127})\1/g],
  [/\bldap(?:search|modify|add|delete|passwd|whoami)\b/, separate("-w")],
  [/\bunzip\b/, separate("-P")],
  [/\b7za?\b/, glued("-p")],
  [/\bschtasks\b/i, separate("/rp")],
  [/\bxfreerdp\b/, glued("/p:")],
  [/\bsmbclient\b|\bmount\.cifs\b/, /\s-U\s*(["']?)[^\s"'%]{1,64}%([^\s"']{4,127})\1/g],
  [/\bnet +use\b/i, new RegExp(String.raw`/user:\S{1,64}\s+${word}`, "gi")],
  [/\bnet +use\b/i, new RegExp(String.raw`\\\\\S{1,128}\s+${word}\s+/user:`, "gi")],
  [/\bcmdkey\b/i, glued("/pass:")],
  [/\bsnyk +auth\b/, new RegExp(String.raw`\bauth +${word}`, "g")],
  [/\bsonar/, new RegExp(String.raw`sonar\.(?:login|token)=${word}`, "g")],
  [/\bconfig(?:ure)? set\b/, new RegExp(String.raw`\bset +[\w.:/-]*(?:key|token|password|secret) +${word}`, "gi")],
  [/\bopenssl\b/, /\s-pass(?:in|out)?\s+(["']?)pass:([^\s"']{4,128})\1/g],
  [/\bopenssl enc\b/, separate("-k")],
  [/\blftp\b/, /\s-u\s+[^\s,"']{1,64},(["']?)([^\s"'$-][^\s"']{3,127})\1/g],
  [/\bhtpasswd\b/, /\s-\w*b\w*\s(?:.*\s)?(["']?)([^\s"'$-][^\s"']{3,127})\1\s*(?:[;&|>].*)?$/g],
  [/\bnet1? user\b/i, /\buser\s+[^\s"'/]{1,64}\s+(["']?)([^\s"'/*-][^\s"']{3,127})\1(?=\s|$)/gi],
  [
    /\s--password-(?:stdin|command)\b|\bsudo\s+(?:-\S+\s+)*-\w*S\b/,
    /\becho\s+(?:-n\s+)?(["']?)([^\s"'$-][^\s"']{3,127})\1\s*(?:\||['"])/g
  ],
  [/\bchpasswd\b/, /\becho\s+(?:-\w+\s+)?(["']?)[\w.-]{1,32}:([^\s"'$]{4,127})\1\s*\|/g],
  [/\bsqlplus\b/, /\bsqlplus\s+(?:-\S+\s+)*(["']?)[\w$.]{1,64}\/([^\s"'$/@&][^\s"'@]{3,127})(?=@|\1(?:\s|$))/g],
  // The answers of an installer.
  [/\brootpw\b/, new RegExp(String.raw`\brootpw\s+(?:--plaintext\s+)?${word}`, "g")],
  [/\bredis-cli\b/, separate("-a")],
  [/\bgh +secret +set\b/, separate("(?:-b|--body)")],
  [/\baz +keyvault +secret +set\b|\baws +ssm +put-parameter\b.* SecureString\b/, separate("--value")],
  [
    /\bmc +(?:alias +set|config +host +add)\b/,
    new RegExp(String.raw`\b(?:set|add)\s+[\w-]+\s+\S+\s+["']?[\w.@-]+["']?\s+${word}`, "g")
  ],
  [/\bConvertTo-SecureString\b/i, /(["'])([^"'\n\\$]{3,128})\1\s*\|\s*ConvertTo-SecureString/gi],
  [/\bConvertTo-SecureString\b/i, /ConvertTo-SecureString\s+(?:-String\s+)?(\\?["'])([^"'\n\\]{3,128})\1/gi]
]

/** Characters before and after the name of a program that are looked at. */
const longestCommand = 2000
