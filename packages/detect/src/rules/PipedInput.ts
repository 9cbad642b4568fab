/** Finds passwords that a script writes to the standard input of a program: by a pipe, in a here document or string. */
import { matchAt } from "../text/MatchAt.ts"
import type { Rule } from "./Rule.ts"

/** The keyword of a program that reads a secret, the expression for the text after it, and the one for its input. */
type Reader = readonly [keyword: string, rest?: RegExp, line?: RegExp]

/** Arguments with which any program reads a secret, and programs, which have the name of one word. */
const readers: ReadonlyArray<Reader> = [
  ..."--password-stdin|--passwd-on-stdin|--with-token|pass stdin|passin stdin|passout stdin|/dev/stdin|stdin-password|secret create |secret set |secret put |secret-tool store|op signin|vault login -|pass insert|realm join|-keystore add|keepassxc-cli|passwd|vncpasswd|kinit|cryptsetup"
    .split("|")
    .map((keyword): Reader => [keyword]),
  ["--passphrase-fd", /^[ =]["']?0\b/],
  ["smbpasswd", /^\s.{0,100}-\w{0,8}s/],
  ["htpasswd", /^\s.{0,100}-\w{0,8}i/],
  ["sudo", /^\s{1,20}(?:-\S{1,40}\s{1,20}){0,8}(?:-\w{0,8}S|--stdin)\b/],
  ["chpasswd", /^/, /^[\w.@-]{1,64}:(.{3,128})$/],
  ["ftp", /^\s.{0,100}-\w{0,8}n/, /^(?:quote\s{1,20})?(?:user\s{1,20}\S{1,64}|pass)\s{1,20}(\S{3,128})$/i]
]

const makeRule = ([keyword, rest, pattern]: Reader): Rule => {
  const isProgram = /^\w+$/.test(keyword)
  const find: Rule["find"] = (source, start, end, report) => {
    const { text } = source
    if (isProgram && (/[\w-]/.test(text.charAt(start - 1)) || /\w/.test(text.charAt(end)))) return end
    const lineEnd = source.lineEnd(start)
    const after = text.slice(end, Math.min(lineEnd, end + maxCommand))
    if (rest?.test(after) === false) return end
    const from = Math.max(source.lineStart(start), start - maxCommand)
    const before = text.slice(from, start)
    const command = Math.max(...[..."|;&({"].map((mark) => before.lastIndexOf(mark)))
    if (isProgram && !beforeProgram.test(before.slice(command + 1))) return end
    const hereString = hereStringIn.exec(after)
    const document = hereString === null ? documentBelow(text, before + after, lineEnd) : undefined
    const lines =
      hereString === null ? (document?.split("\n") ?? pipedLines(before)) : hereString.slice(1).filter(isDefined)
    const written = hereString === null ? (document ?? before) : after
    const offset = hereString !== null ? end : document === undefined ? from : lineEnd + 1
    let next = 0
    for (const line of lines.map((one) => one.trim()).filter((one) => one !== "")) {
      const value = pattern === undefined ? line : (pattern.exec(line)?.[1] ?? "")
      const at = written.indexOf(value, next)
      if (value.length < minValue || at < 0 || /^[$<`-]/.test(value)) continue
      next = at + value.length
      report({ form: "login", value, start: offset + at, end: offset + next })
      // The program asks for the same password again.
      if (pattern === undefined) break
    }
    return end + after.length
  }
  return { id: "command-line", keywords: [keyword], find }
}

export const pipedInputs: ReadonlyArray<Rule> = readers.map(makeRule)

/** Maximum number of characters of a command before and after the keyword. */
const maxCommand = 500
const minValue = 4

/** The lines that `echo` or `printf` writes into the pipe before a program. */
const pipedLines = (before: string): ReadonlyArray<string> => {
  const match = matchAt(writer, before, Math.max(0, before.lastIndexOf("echo "), before.lastIndexOf("printf ")))
  const [, command = "", written = ""] = match ?? []
  const words = Array.from(written.matchAll(word), ([, ...groups]) => groups.find((group) => group !== undefined) ?? "")
  const operands = words.filter((one, index) => index > 0 || !/^-[neE]{1,3}$/.test(one))
  const [first = "", ...rest] = operands
  if (command === "echo" && rest.length > 0) return []
  return first.replace(/%[sb]/g, () => rest.shift() ?? "").split(/\\{1,2}n/)
}

/** A word in quotes, which a string in code or JSON may escape, or a bare one. */
const anyWord = String.raw`\\?"(?:[^"\\\n]|\\[^"\n])+\\?"|'[^'\n]+'|[^\s"'|;&<>()]+`
const writer = new RegExp(
  String.raw`(echo|printf)((?:\s{1,20}(?:${anyWord})){1,6})\s{0,20}(?:;?\s{0,20}[)}]\s{0,20})?\|[^|;]{0,300}$`,
  "y"
)
const word = /\\?"((?:[^"\\\n]|\\[^"\n])+)\\?"|'([^'\n]+)'|([^\s"'|;&<>()]+)/g
/** The beginning of a command, perhaps of one that runs it elsewhere, or of a step in YAML. */
const beforeProgram =
  /^\s{0,20}(?:-\s{1,9})?(?:\w{1,20}:\s{1,9})?(?:(?:RUN|sudo|docker|podman|kubectl|ssh|chroot|arch-chroot|lxc)\s(?:.*\s)?)?(?:\/(?:usr\/)?s?bin\/)?$/

const isDefined = (group: string | undefined) => group !== undefined
const hereStringIn = /<<<\s{0,20}(?:\\?"([^"\\\n]+)\\?"|'([^'\n]+)'|([^\s"'|;&<>()]+))/

/** The lines of the here document of a command. */
const documentBelow = (text: string, command: string, lineEnd: number): string | undefined => {
  const label = hereDocument.exec(command)?.[1]
  if (label === undefined) return undefined
  const below = text.slice(lineEnd + 1, lineEnd + 1 + maxDocument)
  const end = new RegExp(String.raw`^[ \t]*${label}[ \t]*\r?$`, "m").exec(below)?.index
  return end === undefined ? undefined : below.slice(0, end)
}

const hereDocument = /<<[-~]?[ \t]{0,3}["'\\]?([A-Za-z_]\w{0,40})["']?/
const maxDocument = 2000
