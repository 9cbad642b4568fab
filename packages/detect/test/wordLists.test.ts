import { assert, describe, it } from "@effect/vitest"
import { secretName, wordLists } from "@threat-exposure/detect/rules/SecretName"
import {
  isCounted,
  isFragment,
  isPublic,
  isWeak,
  isWord,
  published,
  runs,
  weak,
  words
} from "@threat-exposure/detect/scoring/Placeholder"
import { standIns } from "@threat-exposure/detect/text/AssignedName"
import { extensions, fileKind } from "@threat-exposure/detect/text/FileKind"

const never = (entries: Iterable<string>, matches: (entry: string) => boolean) =>
  Array.from(entries).filter((entry) => !matches(entry))

describe("every entry of a list matches something", () => {
  it.each([
    ["words", words, isWord],
    ["weak", weak, isWeak],
    ["published", published, isPublic],
    ["runs", runs, isCounted],
    ["ordinaryWords", wordLists.ordinaryWords, (word: string) => secretName(word) === "none"],
    ["keyBefore", wordLists.keyBefore, (word: string) => secretName(`${word}_key`) === "token"],
    ["notAKeyBefore", wordLists.notAKeyBefore, (word: string) => secretName(`${word}_key`) === "none"],
    ["notAPassBefore", wordLists.notAPassBefore, (word: string) => secretName(`${word}_pass`) === "none"],
    ["notATokenBefore", wordLists.notATokenBefore, (word: string) => secretName(`${word}_token`) === "none"],
    ["turnsAway", wordLists.turnsAway, (word: string) => secretName(`password_${word}`) === "none"],
    ["denies", wordLists.denies, (word: string) => secretName(`${word}_password`) === "none"],
    ["standIns", standIns, (word: string) => secretName(`${word}_password`) === "none"],
    ["deniesTokens", wordLists.deniesTokens, (word: string) => secretName(`${word}_token`) === "none"]
  ] as const)("%s", (_name, list, matches) => {
    assert.deepStrictEqual(never(list, matches), [])
  })

  it("extensions", () => {
    for (const [format, list] of Object.entries(extensions)) {
      assert.deepStrictEqual(
        never(list.split(" "), (extension) => fileKind(`a.${extension}`).format === format),
        [],
        format
      )
    }
  })
})

describe("no entry of a list is implied by another", () => {
  it("turnsAway has no plural of its own words", () => {
    assert.deepStrictEqual(
      Array.from(wordLists.turnsAway).filter(
        (word) => word.endsWith("s") && wordLists.turnsAway.has(word.slice(0, -1))
      ),
      []
    )
    assert.strictEqual(secretName("password_fields"), "none")
  })

  it("weak has no word with a number", () => {
    assert.deepStrictEqual(
      Array.from(weak).filter((value) => isWeak(`${value}!`)),
      []
    )
    assert.isTrue(isWeak("p4ssw0rd"))
  })
})

it("a secret that signs the tokens of pages is found", () => {
  assert.strictEqual(secretName("CSRF_SECRET"), "token")
  assert.strictEqual(secretName("xsrf-token"), "none")
  assert.strictEqual(secretName("csrfMiddlewareToken"), "none")
})

it("a community of SNMP is its password", () => {
  assert.strictEqual(secretName("snmp_community"), "password")
  assert.strictEqual(secretName("community"), "none")
})

it("either operand of an `or` is code, with or without a quote after it", () => {
  assert.isTrue(isFragment("config || fallback"))
  assert.isTrue(isFragment('name" + suffix'))
  assert.isTrue(isFragment("enabled?yes"))
  assert.isFalse(isFragment("Bronze?757"))
  assert.isFalse(isFragment("Apple?Sapph1r38"))
})
