/** Tests the connection as activation reads it. */
import { assert, describe, it } from "vitest"
import { savedAccounts, savedConnection, savedEnvironment } from "../../src/connection/Connection.ts"
import { profileIn } from "../../src/connection/Profile.ts"
import { statusOf } from "../../src/connection/StatusText.ts"

const one = { name: "one", baseUrl: "https://one.example.com" }
const two = { name: "two", baseUrl: "https://two.example.com" }

const saved = (kept: Readonly<Record<string, unknown>>, secrets: Readonly<Record<string, string>>) => ({
  setting: (name: string) => (name === "profiles" ? [one, { name: 7 }, two] : undefined),
  recall: (scope: string, key: string) => kept[`${scope} ${key}`],
  secret: async (key: string) => secrets[key]
})
const bothSecrets = { "threatExposure.secret.one": "a", "threatExposure.secret.two": "b" }
const nameIn = async (...args: Parameters<typeof savedConnection>) => {
  const connection = await savedConnection(...args)
  return connection._tag === "SignedOut" ? undefined : connection.profile.name
}

describe("the accounts of the editor", () => {
  it("are the profiles with a sign-in, each with its way to sign in", async () => {
    const given = profileIn({ THREAT_EXPOSURE_BASE_URL: "https://given.example.com", THREAT_EXPOSURE_TOKEN: "t" })
    assert.deepStrictEqual(await savedAccounts(saved({ "everywhere left.two": true }, bothSecrets), given), [
      { name: "environment", scope: "token", token: "t" },
      { name: "one", scope: "token", token: "a" }
    ])
    const moved = {
      "threatExposure.secret.one": "https://one.example.com\na",
      "threatExposure.secret.two": "https://a.org\nb"
    }
    assert.deepStrictEqual(await savedAccounts(saved({}, moved), undefined), [
      { name: "one", scope: "token", token: "a" }
    ])
    const proxied = { ...saved({}, bothSecrets), setting: () => [{ ...one, signInWith: "none" }] }
    assert.deepStrictEqual(await savedAccounts(proxied, undefined), [{ name: "one", scope: "none", token: "" }])
  })
})

it("passes the current profile to the command line in its variables", async () => {
  assert.deepStrictEqual(await savedEnvironment(saved({ "here profile": "two" }, bothSecrets), undefined), {
    THREAT_EXPOSURE_BASE_URL: "https://two.example.com",
    THREAT_EXPOSURE_TOKEN: "b"
  })
  const keyed = { ...saved({}, bothSecrets), setting: () => [{ ...one, signInWith: "apiKey", pathPrefix: "watch" }] }
  assert.deepStrictEqual(await savedEnvironment(keyed, undefined), {
    THREAT_EXPOSURE_BASE_URL: "https://one.example.com",
    THREAT_EXPOSURE_API_KEY: "a",
    THREAT_EXPOSURE_PATH_PREFIX: "watch"
  })
  const proxied = { ...saved({}, bothSecrets), setting: () => [{ ...one, signInWith: "none" }] }
  assert.isUndefined(await savedEnvironment(proxied, undefined))
  assert.isUndefined(await savedEnvironment(saved({}, {}), undefined))
})

describe("who is signed in on activation", () => {
  it("is the first profile, or the profile chosen for this folder, or the one chosen for all folders", async () => {
    assert.strictEqual(await nameIn(saved({}, bothSecrets), undefined), "one")
    assert.strictEqual(await nameIn(saved({ "everywhere profile": "two" }, bothSecrets), undefined), "two")
    const both = { "everywhere profile": "two", "here profile": "one" }
    assert.strictEqual(await nameIn(saved(both, bothSecrets), undefined), "one")
  })

  it("is nobody without a secret, after a sign-out, or once the chosen profile was removed", async () => {
    assert.isUndefined(await nameIn(saved({}, {}), undefined))
    assert.isUndefined(await nameIn(saved({ "everywhere left.one": true }, bothSecrets), undefined))
    assert.isUndefined(await nameIn(saved({ "here profile": "gone" }, bothSecrets), undefined))
  })

  it("is the profile of the environment rather than a saved one, unless the user signed out of it", async () => {
    const given = profileIn({ THREAT_EXPOSURE_BASE_URL: "https://given.example.com", THREAT_EXPOSURE_TOKEN: "t" })
    assert.strictEqual(await nameIn(saved({}, bothSecrets), given?.profile), "environment")
    assert.isUndefined(await nameIn(saved({ "everywhere left.environment": true }, bothSecrets), given?.profile))
    assert.isUndefined(profileIn({ THREAT_EXPOSURE_BASE_URL: "https://given.example.com" }))
  })

  it("is shown in the status bar, with the command that changes it", () => {
    assert.strictEqual(statusOf({ _tag: "SignedOut" }, false).command, "signIn")
    assert.include(statusOf({ _tag: "SignedIn", profile: one }, true).text, "one $(eye-closed)")
    assert.strictEqual(statusOf({ _tag: "Expired", profile: one }, false).command, "signIn")
  })
})
