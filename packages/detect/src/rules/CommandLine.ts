/** Passwords among the arguments of programs. */
import type { Rule } from "./Rule.ts"

export const commandLines: Rule = {
  id: "command-line",
  keywords: [
    "curl ",
    "wget ",
    "https ",
    "sshpass",
    "mysql ",
    "mysqldump ",
    "mysqladmin ",
    "mariadb ",
    " login",
    "sqlcmd",
    "osql ",
    "redis-cli",
    "openssl ",
    "htpasswd ",
    "lftp ",
    "net user ",
    "sudo ",
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
        const value = match[2] ?? ""
        const at = from + match.index + match[0].lastIndexOf(value)
        report({ form: "login", value, kind: "password", start: at, end: at + value.length })
      }
    }
    return to
  }
}

/** Programs that take a password among their arguments, and where. The last group is the password. */
const commands: ReadonlyArray<readonly [program: RegExp, argument: RegExp]> = [
  [/\b(?:curl|wget|https?)\b/, /\s(?:-u|--user)[ =]*(["']?)[^\s:"'$]{0,64}:([^\s"']{3,128})\1(?=\s|$)/g],
  [/\bsshpass\b/, /\s-p\s*(["']?)([^\s"']{3,128})\1/g],
  [/\b(?:mysql|mysqldump|mysqladmin|mariadb)\b/, /\s-p(["']?)([^\s"'=-][^\s"']{3,127})\1/g],
  [/\b(?:docker|podman|helm|az|oc|cf|skopeo) .*login\b/, /\s-p[ =](["']?)([^\s"'-][^\s"']{3,127})\1/g],
  [/\b(?:sqlcmd|bcp|osql)\b/, /\s-P\s*(["']?)([^\s"'-][^\s"']{3,127})\1/g],
  [/\bopenssl\b/, /\s-pass(?:in|out)?\s+(["']?)pass:([^\s"']{4,128})\1/g],
  [/\bopenssl enc\b/, /\s-k\s+(["']?)([^\s"'$-][^\s"']{3,127})\1/g],
  [/\blftp\b/, /\s-u\s+[^\s,"']{1,64},(["']?)([^\s"'$-][^\s"']{3,127})\1/g],
  [/\bhtpasswd\b/, /\s-\w*b\w*\s(?:.*\s)?(["']?)([^\s"'$-][^\s"']{3,127})\1\s*(?:[;&|>].*)?$/g],
  [/\bnet1? user\b/i, /\buser\s+[^\s"'/]{1,64}\s+(["']?)([^\s"'/*-][^\s"']{3,127})\1(?=\s|$)/gi],
  [/\s--password-stdin\b|\bsudo\s+(?:-\S+\s+)*-\w*S\b/, /\becho\s+(?:-n\s+)?(["']?)([^\s"'$-][^\s"']{3,127})\1\s*\|/g],
  [/\bredis-cli\b/, /\s-a\s+(["']?)([^\s"'-][^\s"']{3,127})\1/g],
  [/\bConvertTo-SecureString\b/i, /ConvertTo-SecureString\s+(?:-String\s+)?(\\?["'])([^"'\n\\]{3,128})\1/gi]
]

/** Characters before and after the name of a program that are looked at. */
const longestCommand = 2000
