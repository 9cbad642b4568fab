/**
 * Finds passwords that a sentence names: `the password for the vpn is hunter2`, `creds: jane / hunter2`, `use "hunter2"
 * as pw`.
 */
import { isEmail } from "../../text/Address.ts"
import type { Span } from "../../text/Spans.ts"
import { proseRule } from "./ProseRule.ts"

export const passwordPhrases = proseRule((text) => passwordsInPhrases(text))

const passwordsInPhrases = (text: string): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  const applicable = [
    ...(name.test(text) ? phrasePatterns() : []),
    ...(text.includes("@") ? besideAddress : []),
    ...(/[:/]/.test(text) ? besideAccount : []),
    ...(text.includes(" -") ? options : [])
  ]
  for (const pattern of applicable) {
    for (const { groups = {}, indices } of text.matchAll(pattern)) {
      const { sign, typed, word } = groups
      const kind = ["quoted", "word", "typed"].find((group) => groups[group] !== undefined) ?? ""
      const [start, end] = indices?.groups?.[kind] ?? [0, 0]
      const bare = text.slice(start, end).replace(/[.,;:!?)\]}*]+$/, "")
      if (bare === "" || noValue.test(bare)) continue
      // After an operator, any word is the value; after a verb, only a word that is unlikely in a sentence about
      // passwords.
      if (word !== undefined && sign === undefined && ordinary.test(bare)) continue
      if (typed !== undefined && (!isTyped(bare) || isEmail(bare))) continue
      found.push({ start, end: start + bare.length })
    }
  }
  return found
}

const names = [
  "pass(?:words?|wd|phrases?|codes?)?",
  "pwd",
  "pw",
  "psw",
  "pin(?:[ -]?code)?",
  "(?:wpa2?|wi-?fi|wlan|api|access|private|secret|master|encryption|licen[cs]e)[ _-]?keys?",
  "(?:backup|recovery|security|verification|2fa|mfa|otp)[ _-]codes?",
  "(?:seed|recovery)[ _-]phrases?",
  "secret",
  "(?:api|access|auth|bot|session)[ _-]tokens?",
  "mots? de passe",
  "mdp",
  "contrase(?:ñ|n)as?",
  "clave",
  "senhas?",
  "passwor[dt]e?",
  "kennwort",
  "wachtwoord",
  "has(?:ł|l)o",
  "parol[ae]?",
  "(?:ş|s)ifre",
  "парол[ьяи]",
  "密码",
  "密碼",
  "パスワード",
  "비밀번호"
].join("|")

const name = new RegExp(`${names}|cred|login|logged|acc|user|\\bu ?[:/]`, "iu")

const whosePassword = String.raw`(?:(?:the|a|an|your|my|our|his|her|their|its)[ \t]{1,8})?(?:[\p{L}-]{1,20}[ \t]{1,8})?`
const before = String.raw`(?<![\p{L}\p{N}_-])`
const after = String.raw`(?![\p{L}\p{N}])`
const value = String.raw`(?:["'\x60“„«‘](?<quoted>[^"'\x60“”„«»‘’\n]{1,256})|(?<word>[^\s"'\x60<>“”„«»‘’]{3,256}))`
/** An operator such as `=`, `->` or `👉`. A hyphen needs spaces around it. */
const sign = String.raw`[ \t"'*_\x60)\]]{0,8}(?<sign>(?:[:=>|~•]|[-–—]>|\p{So}|\p{Sm}|：){1,3})[*_\uFE0F]{0,4}[ \t]{0,8}`
const whose = String.raw`(?:[ \t]{1,8}(?:for|of|to|on|at|de|del|du|für|von)[ \t][^\n.:=]{1,40}?|[ \t]{0,8}\([^()\n]{1,40}\))?`
const verb = String.raw`[ \t]{1,8}(?:(?:is|was|are|est|es|ist|war|lautet|è|é|jest|это)(?:[ \t]{1,8}(?:now|set|changed|reset|still|currently|again)){0,2}(?:[ \t]{1,8}to)?|(?:changed|reset|set)[ \t]{1,8}to)[ \t]{0,8}:?[ \t]{1,8}`
const address = String.raw`(?<![\p{L}\p{N}])[^\s"'<>:;|@/]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}`
const account = String.raw`[^\s"'\x60<>/|,;:]{2,128}`

const pattern = (source: string): RegExp => new RegExp(source, "dgiu")

let made: ReadonlyArray<RegExp> | undefined

/** Created at the first use: V8 takes milliseconds to compile them, and a scan of files does not need them. */
const phrasePatterns = (): ReadonlyArray<RegExp> =>
  (made ??= [
    pattern(
      `${before}(?:${names})${after}["'*_\x60]{0,4}${whose}(?:${sign}|[ \t]{1,8}[-–—][ \t]{1,8}|${verb})${value}`
    ),
    // In a router's configuration, the digit is the type of encryption: `username admin password 0 S`.
    pattern(
      `${before}(?:${names})${after}[ \t]{0,8}(?:\\([ \t]{0,8}|[ \t])(?:\\d[ \t]{1,8})?(?<typed>[^\\s"'\x60<>()]{6,256})`
    ),
    // Unlike `password`, `pw` rarely occurs in a sentence about passwords.
    pattern(`${before}(?:pw|pwd|psw|mdp)${after}[ \t]{1,8}(?<word>[^\\s"'\x60<>()]{3,256})`),
    pattern(`${before}(?:${names})${after}[ \t]{1,8}["'\x60“„«](?<quoted>[^\\s"'\x60“”„«»]{3,256})["'\x60“”»]`),
    new RegExp(
      `^[ \t]{0,8}(?:${names})(?<sign>)[ \t]{0,8}:?[ \t]{0,8}\\r?\\n[ \t]{0,8}(?<word>[^\\s"'\x60<>]{3,256})[ \t]{0,8}$`,
      "dgimu"
    ),
    pattern(
      `(?<=${before}${value}["'\x60]?[ \t]{1,8}(?:is|was)[ \t]{1,8}(?:the|my|our|your|his|her|their|its)[ \t]{1,8}(?:[\\p{L}-]{1,20}[ \t]{1,8})?)(?:${names})${after}`
    ),
    pattern(
      `${before}(?:use|and|with|try|using|enter|type)[ \t]{1,8}${value}["'\x60”]?[ \t]{1,8}(?:as|for)[ \t]{1,8}${whosePassword}(?:${names})${after}`
    ),
    // `changed the root password to S`, `old password was R, new one is S`
    pattern(
      `${before}(?:change|reset|set|update|switch)(?:d|s|ted|ting|ing)?[ \t]{1,8}${whosePassword}(?:${names})${after}${whose}[ \t]{1,8}(?:back[ \t]{1,8})?(?:to|into)[ \t]{1,8}${value}`
    ),
    // `what is the pass again? it's S`
    pattern(
      `${before}(?:${names})${after}[^\\n]{1,80}?${before}it(?:['’]?s|[ \t]{1,8}is)[ \t]{1,8}(?<typed>[^\\s"'\x60<>()]{6,256})`
    ),
    // `what is the pass? it's S`, `the password S still works`, `password (S)`, `root password S`
    pattern(
      `${before}what(?:['’]?s|[ \t]{1,8}is|[ \t]{1,8}was)[^\\n?]{1,40}?${before}(?:${names})${after}[^\\n?]{0,40}\\?[^\\p{L}\\n]{0,8}it(?:['’]?s|[ \t]{1,8}is)[ \t]{1,8}${value}`
    ),
    pattern(
      `${before}(?:${names})${after}[ \t]{1,8}(?<word>[^\\s"'\x60<>]{3,256})[ \t]{1,8}(?:still[ \t]{1,8})?work(?:s|ed)${after}`
    ),
    pattern(`${before}(?:${names})${after}[ \t]{0,8}\\((?<word>[^\\s"'\x60<>()]{3,256})\\)`),
    new RegExp(
      `${before}(?:root|sudo)[ \t]{1,8}(?:${names})${after}[ \t]{1,8}(?<word>[^\\s"'\x60<>()]{3,256})[ \t]{0,8}$`,
      "dgimu"
    ),
    // Polish: `hasło to S`
    pattern(`${before}has(?:ł|l)o[ \t]{1,8}to(?<sign>)[ \t]{0,8}:?[ \t]{1,8}${value}`),
    pattern(`${before}(?:new|old|other|second|current)[ \t]{1,8}one(?:${sign}|${verb})${value}`),
    pattern(
      `${before}(?:creds?|credentials?|logins?|logged[ \t]in|acc(?:ount)?s?|u/p)(?:[ \t]{1,8}(?:for|of|to|on)[ \t][^\\n.:=]{1,40}?)?(?:[ \t]{0,8}(?:[:=]|->)|[ \t]{1,8}(?:are|is|with|as|using))[ \t]{0,8}(?!\\d+[ \t])${account}[ \t]{0,8}[/|;:](?<sign>)[ \t]{0,8}(?<word>[^\\s"'\x60<>]{3,256})`
    ),
    pattern(
      `${before}(?:login|user(?:name)?|u)[ \t:=]{1,8}${account}[ \t,;|]{1,8}(?:pass(?:word)?|pwd|pw|p)(?<sign>)[ \t:=]{1,8}(?<word>[^\\s"'\x60<>]{3,256})`
    )
  ])

/** `jane@example.com S`, and a line with only an address before a line with one word. */
const besideAddress: ReadonlyArray<RegExp> = [
  pattern(`${address}[ \t]{1,8}(?<typed>[^\\s"'\x60<>()]{6,256})`),
  new RegExp(
    `^[ \t]{0,8}${address}(?<sign>)[ \t]{0,8}\r?\n[ \t]{0,8}(?!\\S+@\\S+\\.\\w)(?<word>[^\\s"'\x60<>]{4,256})[ \t]{0,8}$`,
    "dgimu"
  )
]

/** `'CORP\\jane:S'`, `admin/S`, `10.0.0.1, root:S` */
const besideAccount: ReadonlyArray<RegExp> = [
  pattern(
    `${before}(?:(?:admin|administrator|root|guest|test|sa|sysadmin|operator|support)[ \t]{0,8}[:/][ \t]{0,8}|user[:/])(?<typed>[^\\s"'\x60<>()/:]{6,256})`
  ),
  pattern(`(["'])[\\w.-]{1,64}\\\\[A-Za-z][\\w.-]{1,63}:(?<sign>)(?<word>[^\\s"'/:]{3,256})\\1`),
  pattern(
    `(?:\\d{1,3}\\.){3}\\d{1,3}(?::\\d{2,5})?[ \t,;(-]{1,8}(?:admin|administrator|root|user|guest)[:/](?<sign>)(?<word>[^\\s"'\x60<>()/:]{3,256})`
  ),
  pattern(`(["'])(?:[\\w.-]{1,64}\\\\)?[A-Za-z][\\w.-]{1,63}:(?<typed>[^\\s"'/:]{6,256})\\1`)
]

/** The most common short options for a password. */
const options: ReadonlyArray<RegExp> = [
  pattern(`[ \t]-[pPw][ \t=]?["']?(?<typed>[^\\s"'\x60<>|;&/-][^\\s"'\x60<>|;&]{5,256})`)
]

/** Whether the value has a digit, letters of both cases or a sign inside, unlike a word of a sentence. */
const isTyped = (text: string): boolean =>
  text.length >= 6 &&
  ((/\p{L}/u.test(text) && /\p{N}/u.test(text)) || /\p{Ll}\.?\p{Lu}|\p{L}[!#$%&*+^~@_]\p{L}/u.test(text))

const noValue = /^(?:null|none|nil|true|false|undefined)$/i

/** Words after `the password is` in a sentence that gives no password. */
const ordinary =
  /^(?:required|not|now|weak|strong|empty|blank|wrong|incorrect|the|a|an|your|my|our|their|his|her|its|in|on|at|for|from|by|of|to|and|or|if|as|so|protected|encrypted|hashed|salted|stored|saved|kept|changed|reset|sent|being|been|also|still|too|very|it|that|this|these|those|available|needed|necessary|optional|valid|invalid|correct|known|unknown|same|different|expired|secure|insecure|compromised|leaked|exposed|stolen|cracked|visible|hidden|displayed|shown|used|reused|set|created|generated|only|case-sensitive|long|short|longer|good|bad|safe|unsafe|missing|included|inside|below|above|here|there|listed|published|sold|shared|public|plain|plaintext|cleartext|default|easy|hard|simple|no|yes|all|just|really|probably|likely|always|never|must|should|what|where|when|how|why|who|which|because|but|than|then|with|without|until|unless|before|after|under|over|about|into|out|up|down|off|again|already|enough|more|most|less|least|much|many|some|any|every|each|both|either|neither|nor)[.,;:!?]*$/i
