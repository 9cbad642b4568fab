/** Finds passwords in arguments of programs. */
import { groupsOf, withBlanks } from "../text/MatchAt.ts"
import type { Rule } from "./Rule.ts"

/** A word of a command, quoted or bare; quotes may contain characters that end a bare word. */
const word = String.raw`(?:\\?(?:"([^\s"$<\\-][^\s"\\]{3,127})\\?"|'([^\s'$<\\-][^\s'\\]{3,127})\\?')|([^\s"'$<>|;&,\\-](?:[^\s"'<>|;&,\\]|,(?=[^\s"'])){3,127}))(?=[\s"',;|&\])}\\]|$)`

/** An option with its own word, `-p value` or `-p=value`; `attachedArgument` is for `-pvalue`. */
const separateArgument = (flag: string) => new RegExp(`[\\s"']${flag}["']?(?:[ =]|,\\s) ?${word}`, "g")
const attachedArgument = (flag: string) => new RegExp(`[\\s"']${flag}${word}`, "g")
/** The word after others. */
const argumentAfter = (others: RegExp, blanks = " ") => new RegExp(`${others.source}${blanks}${word}`, "gi")

/**
 * Beginnings of commands, separated by bars, and an expression for the rest of the line: its last matching group is the
 * password, and a space matches any white space.
 */
const commands: ReadonlyArray<readonly [keywords: string, argument: RegExp]> = [
  [
    "curl |wget |https |http -|etcdctl ",
    /[\s"'](?:-[ua]|--auth|--(?:proxy-)?user)(?:["'],)?[ =]{0,20}(["']?)(?:[^\s:"'$]{0,64}:(?:([^\s"']{3,128})\1|["']([^\s"'$]{3,128})["']|([\w-]{2,12}(?: [\w-]{2,12}){2,7})(?=["'])\1)|([\w.-]{20,128}):\1)(?=[\s,\])]|$)/g
  ],
  ["sshpass", attachedArgument(String.raw`-p(?:["'],)? ?`)],
  ["mysql |mysqldump|mysqladmin|mariadb ", attachedArgument("-p(?!=)")],
  [
    " login",
    new RegExp(
      String.raw`(?<=\b(?:docker|podman|helm|az|oc|cf|skopeo) [^|;&\n]{0,200})\blogin\b[^|;&\n]{0,200}?[\s"']-p["']?(?:[ =]|,\s) ?${word}`,
      "g"
    )
  ],
  [
    "mongo |mongosh |mongodump |mongorestore |mongoexport |mongoimport |vsce |twine |psexec|cqlsh |rabbitmqadmin |rdesktop |beeline |ncftp|cypher-shell |mcrcon |racadm |check_mysql |check_pgsql |elasticsearch-users |pcs host auth ",
    separateArgument("-p")
  ],
  ["plink |pscp |psftp ", separateArgument("-pw")],
  ["sqlcmd|bcp |osql |isql |tsql ", attachedArgument(String.raw`-P ?`)],
  ["ldapsearch |ldapmodify |ldapadd |ldapdelete |ldapwhoami |ldappasswd |kadmin ", separateArgument("-w")],
  ["zip |mosquitto_|ipmitool |kdb5_util ", separateArgument("-P")],
  ["signtool ", separateArgument("/p")],
  ["ldappasswd ", separateArgument("-s")],
  ["ssh-keygen ", separateArgument("-N")],
  ["doctl auth ", separateArgument("-t")],
  ["ipmitool ", argumentAfter(/\bset password \d{1,3}/)],
  // A password after a keyword of the command, or after a user.
  [
    "nmcli |snyk auth |rootpw |set-initial-password |-setcookie ",
    argumentAfter(/(?:\spassword|\bauth|\brootpw(?: --plaintext)?|set-initial-password|-setcookie)/)
  ],
  [
    "rabbitmqctl |samba-tool |drush |+login |bw login ",
    argumentAfter(
      /(?:\badd_user|\bchange_password|\buser (?:create|add)|\bdrush\b.{0,80}? user[-:]password|\+login|\bbw login) \S{1,64}/
    )
  ],
  ["wpa_passphrase ", argumentAfter(/\bwpa_passphrase (?:"[^"\n]{1,64}"|'[^'\n]{1,64}'|\S{1,64})/)],
  ["snmpwalk |snmpbulkwalk |snmpget |snmpset |snmptrap ", separateArgument("-[AXc]")],
  ["check_snmp", separateArgument("-C")],
  ["gpg ", separateArgument("--passphrase")],
  ["-generic-password |-internet-password ", separateArgument("-w")],
  ["unlock-keychain |security import ", separateArgument("-[pP]")],
  [
    "create secret generic ",
    /--from-literal[= ]["']?(?![\w.-]*(?:user|name|host|port|url)\w*=)[\w.-]{1,60}=(["']?)([^\s"'$]{4,128})\1/g
  ],
  ["openssl passwd ", /\bopenssl passwd(?: -salt \S{1,40}| -\w{1,8}){1,3} (["']?)([^\s"'$()-][^\s"'()]{3,127})\1/g],
  ["cargo login ", argumentAfter(/\bcargo login(?: --registry[ =]\S{1,64})?/)],
  ["poetry config ", argumentAfter(/\bpypi-token\.[\w-]{1,64}/)],
  ["config http-basic.|config --global http-basic.", argumentAfter(/\bhttp-basic\.[\w.-]{1,100} \S{1,64}/)],
  ["7z |7za |unrar ", attachedArgument("-p")],
  ["schtasks ", separateArgument("/rp")],
  ["xfreerdp ", attachedArgument("/p:")],
  ["smbclient |mount.cifs |net rpc |net ads |rpcclient ", /\s-U ?(["']?)[^\s"'%]{1,64}%([^\s"']{4,127})\1/g],
  ["impacket-|exec.py |secretsdump", /\s(["']?)[\w./-]{1,100}:([^\s"'@:$]{4,127})@(?=[\w.-]+\1(?:\s|$))/g],
  ["net use", argumentAfter(/\/user:\S{1,64}/)],
  ["net use", new RegExp(String.raw`\\\\[^\s\\]{1,64}(?:\\[^\s\\]{1,64})? ${word} /user:`, "gi")],
  [
    "reg add ",
    /\s\/v\s{1,9}["']?\w{0,60}(?:password|passwd|secret|token|apikey)["']?\s(?:.{0,200}?\s)?\/d\s{1,9}(["']?)([^\s"'%]{3,128})\1(?=\s|$)/gi
  ],
  [
    "-itemproperty ",
    /-Name\s{1,9}["']?\w{0,60}(?:password|passwd|secret|token|apikey)["']?\s(?:.{0,200}?\s)?-Value\s{1,9}(["'])([^"'\n$]{3,128})\1/gi
  ],
  ["cmdkey ", attachedArgument("/pass:")],
  ["wmic ", attachedArgument("/password:")],
  ["sonar.", new RegExp(String.raw`sonar\.(?:login|token)=${word}`, "g")],
  [
    "configure set |config set |consul kv put |etcdctl put ",
    argumentAfter(/\b(?:set|put) [\w.:/-]{0,80}(?:key|token|password|secret)/)
  ],
  ["rclone config ", argumentAfter(/\b(?:secret_access_key|client_secret|pass)/)],
  ["openssl ", /\s-pass(?:in|out)? (["']?)pass:([^\s"']{4,128})\1/g],
  ["openssl enc ", separateArgument("-k")],
  ["lftp |open -u ", /\s-u [^\s,"']{1,64},(["']?)([^\s"'$-][^\s"']{3,127})\1/g],
  [
    "htpasswd |mosquitto_passwd ",
    /\s-\w{0,8}b\w{0,8}\s(?:.{0,200}\s)?(["']?)([^\s"'$-][^\s"']{3,127})\1 ?(?:[;&|>].*)?$/g
  ],
  ["net user |net1 user ", /\buser [^\s"'/]{1,64} (["']?)([^\s"'/*-][^\s"']{3,127})\1(?=\s|$)/gi],
  ["--password-command", argumentAfter(/--password-command["']?[ =]["']echo/)],
  [
    "sqlplus |expdp |impdp |sqlldr |rman |sql -s |sql -l ",
    /\b(?:sqlplus|sql(?= -)|expdp|impdp|sqlldr|rman(?: target)?) (?:-\S{1,40} ){0,8}(["']?)[\w$.]{1,64}\/([^\s"'$/@&][^\s"'@]{3,127})(?=@|\1(?:\s|$)|\sas\ssys)/g
  ],
  ["isql ", argumentAfter(/\bisql (?:-\w{1,8} ){0,6}[\w-]{1,64} [\w.@-]{1,64}/)],
  [
    "connect |conn ",
    /^\s{0,40}conn(?:ect)?\s{1,9}["']?[\w$.]{1,64}\/(["']?)([^\s"'$/@&][^\s"'@]{3,127})\1(?=@[\w/(]|["']?\s{1,9}as\s{1,9}sys)/gim
  ],
  ["turnserver |lt-cred-mech", /[\s"'](?:-u|--user)[ =](["']?)[\w.@-]{1,64}:(?!0x)([^\s"'$]{4,127})\1(?=[\s"',]|$)/g],
  [".logon ", argumentAfter(/\.logon (?:[\w.-]{1,64}\/)?[\w.-]{1,64},/, "")],
  ["-createcredential ", argumentAfter(/-createCredential \S{1,100} \S{1,64}/)],
  ["/admins/", /\/_config\/admins\/\S{1,64}\s.{0,80}?-d\s{0,4}'"([^"'$\s]{4,128})"'/g],
  ["task.setvariable ", /issecret=true[^\]\n]{0,100}\]([^\s"'$]{4,128})/g],
  ["crypt(", /\b(?:perl|python\d?|php|ruby) ?-.{0,100}?\bcrypt\(\s{0,9}\\?["']([^"'$\\\n]{3,128})\\?["']/g],
  ["redis-cli", separateArgument("-a")],
  ["secret set ", separateArgument("(?:-b|--body)")],
  ["keyvault secret set |type securestring", separateArgument("--value")],
  ["alias set |config host add ", argumentAfter(/\b(?:set|add) [\w-]{1,64} \S{1,128} ["']?[\w.@-]{1,64}["']?/)],
  [
    "convertto-securestring",
    /(["'])([^"'\n\\$]{3,128})\1 ?\| ?ConvertTo-SecureString|ConvertTo-SecureString (?:-String )?(?:(\\?["'])([^"'\n\\]{3,128})\3|([^\s"'$()-][^\s"'$()]{3,127}) -A)/gi
  ]
]

export const commandLines: ReadonlyArray<Rule> = commands.map(([keywords, written]): Rule => {
  const argument = withBlanks(written, String.raw`\s{1,20}`, String.raw`\s{0,20}`)
  return {
    id: "command-line",
    // The program is a word of a command, or an element of a list.
    keywords: keywords.split("|").flatMap((one) => (/^\w+ $/.test(one) ? [one, one.replace(" ", '",')] : one)),
    find: (source, start, _end, report) => {
      const { text } = source
      const from = Math.max(source.lineStart(start), start - maxCommand)
      let to = source.lineEnd(start)
      while (text.charAt(to - 1) === "\\" && to < text.length && to - start < maxCommand) to = source.lineEnd(to + 1)
      to = Math.min(to, start + maxCommand)
      for (const match of text.slice(from, to).matchAll(argument)) {
        const password = groupsOf(match, from).at(-1)
        if (password !== undefined)
          report({ form: "login", value: text.slice(password.start, password.end), ...password })
      }
      return to
    }
  }
})

/** Maximum number of characters searched before and after the program name. */
const maxCommand = 2000
