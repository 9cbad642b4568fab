import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { mayMeanSecret, nameParts, secretName } from "../../src/rules/SecretName.ts"

it("every name that means a secret has a part that may mean one", () => {
  const written = ["credential", "creds", "passwd", "passphrase", "passcode", "pswd", "mypwd", "authtok", "masterauth"]
  const words = [...nameParts, ...written, "wd", "word", "s", "x", "A", "_", "-", ".", "7", "é"]
  const upper = (text: string) => text.toUpperCase()
  const title = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)
  const word = fc.constantFrom(...new Set(words.flatMap((text) => [text, upper(text), title(text)])))
  const parts = new RegExp(`(?=(${nameParts.join("|")}))`, "gi")
  fc.assert(
    fc.property(fc.array(word, { maxLength: 4 }), (array) => {
      const name = array.join("")
      // Several parts may match at one offset, and a shorter one may be the beginning of a longer one.
      const found = Array.from(name.matchAll(parts), ({ index }) =>
        nameParts.some(
          (part) =>
            name.slice(index, index + part.length).toLowerCase() === part &&
            mayMeanSecret(name, index, index + part.length)
        )
      )
      assert.isTrue(secretName(name) === "none" || found.includes(true), name)
    }),
    { numRuns: 5000 }
  )
})
