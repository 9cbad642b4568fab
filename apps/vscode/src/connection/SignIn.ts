/** Signing in and out, and choosing a profile. */
import { Effect, Layer, Redacted } from "effect"
import { filled } from "../Checks.ts"
import { Commands } from "../Commands.ts"
import { type Cancelled, Editor } from "../Editor.ts"
import { t } from "../Localisation.ts"
import { type Failure, problemOf } from "../Problem.ts"
import { Settings } from "../Settings.ts"
import { faultOf } from "./ClientRules.ts"
import { Connections } from "./Connections.ts"
import type { Profile } from "./Profile.ts"
import { Profiles } from "./Profiles.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const connections = yield* Connections
    const profiles = yield* Profiles
    const settings = yield* Settings
    const title = t("Sign In to a Threat-Exposure Service")

    const signIn = Effect.fnUntraced(function* (): Effect.fn.Return<void, Failure | Cancelled> {
      const known = yield* profiles.all
      const chosen =
        known.length === 0
          ? undefined
          : yield* editor.pick<Profile | undefined>(
              [
                ...known.map(({ profile, isSignedIn }) => ({
                  label: profile.name,
                  description: profile.baseUrl,
                  icon: isSignedIn ? "pass-filled" : "account",
                  value: profile
                })),
                { label: t("New profile…"), icon: "add", value: undefined }
              ],
              { title, placeholder: t("Sign in again, or to another service") }
            )
      const profile = chosen ?? (yield* askProfile(known.map(({ profile }) => profile.name)))
      yield* askSecret(profile)
    })

    const askProfile = Effect.fnUntraced(function* (
      taken: ReadonlyArray<string>
    ): Effect.fn.Return<Profile, Cancelled> {
      const baseUrl = (yield* editor.ask({
        title,
        prompt: t("Address of the service"),
        placeholder: "https://api.example.com",
        check: faultOfUrl
      })).trim()
      const pathPrefix = (yield* editor.ask({
        title,
        prompt: t("The first word of the service's paths; keep “svc” unless your service says otherwise"),
        value: "svc",
        check: (text) => faultOf({ baseUrl, pathPrefix: text.trim() })
      })).trim()
      const signInWith = yield* editor.pick<"token" | "apiKey">(
        [
          {
            label: t("Access token"),
            detail: t("Sent as it is; lives an hour as a rule"),
            icon: "symbol-key",
            value: "token"
          },
          {
            label: t("API key"),
            detail: t("Exchanged for tokens, which are renewed by themselves"),
            icon: "key",
            value: "apiKey"
          }
        ],
        { title }
      )
      const tenant =
        signInWith === "apiKey"
          ? yield* editor.ask({
              title,
              prompt: t("Number of the tenant, if the key has several; else leave it empty"),
              check: (text) => (/^\d*$/u.test(text.trim()) ? undefined : t("This is not a whole number"))
            })
          : ""
      const host = new URL(baseUrl).host
      const name = yield* editor.ask({
        title,
        prompt: t("Name of the profile"),
        value: taken.includes(host) ? `${host} 2` : host,
        check: (text) =>
          filled(text) ?? (taken.includes(text.trim()) ? t("There is a profile of this name already") : undefined)
      })
      return {
        name: name.trim(),
        baseUrl,
        pathPrefix,
        // The specification uses one word in both places.
        linkField: `${pathPrefix.split("/").at(-1) ?? pathPrefix}_url`,
        signInWith,
        ...(tenant.trim() === "" ? {} : { tenantId: Number(tenant) })
      }
    })

    const askSecret = Effect.fnUntraced(function* (profile: Profile): Effect.fn.Return<void, Failure | Cancelled> {
      const isKey = profile.signInWith === "apiKey"
      for (;;) {
        const text = yield* editor.ask({
          title,
          prompt: isKey ? t("API key for {0}", profile.name) : t("Access token for {0}", profile.name),
          placeholder: t("Kept in the editor's secret storage, and nowhere else"),
          password: true,
          check: (text) => filled(text) ?? faultOf({ ...profile, token: text.trim() })
        })
        const secret = Redacted.make(text.trim())
        const failure = yield* editor
          .progress(t("Signing in to {0}", profile.baseUrl), () => connections.probe(profile, secret))
          .pipe(
            Effect.as(undefined),
            Effect.catchIf(
              (failure) => failure._tag !== "Cancelled",
              (failure) => Effect.succeed(failure)
            )
          )
        if (failure === undefined) return yield* finish(profile, secret)
        yield* editor.log("error", `signIn: ${failure._tag}: ${failure.message}`)
        const again = t("Try Again")
        const keep = t("Sign In Anyway")
        const isRefused = failure._tag === "Unauthorized"
        const message = isRefused
          ? t("The service refused this token or key.")
          : failure._tag === "NotFound"
            ? t(
                "There is no such service at {0} under “{1}”: check the address and the word.",
                profile.baseUrl,
                profile.pathPrefix ?? "svc"
              )
            : problemOf(failure).message
        const answer = yield* editor.notify("error", message, ...(isRefused ? [again] : [again, keep]))
        if (answer._tag === "Some" && answer.value === keep) return yield* finish(profile, secret)
        if (answer._tag === "None") return
      }
    })

    const finish = Effect.fnUntraced(function* (profile: Profile, secret: Redacted.Redacted) {
      yield* profiles.signIn(profile, secret)
      yield* editor.notify("info", t("Signed in to {0}.", profile.name)).pipe(Effect.forkDetach)
      yield* editor.execute("threatExposure.events.focus")
    })

    yield* commands.on("signIn", () => signIn())
    yield* commands.on("signOut", () =>
      Effect.andThen(profiles.signOut, Effect.forkDetach(editor.notify("info", t("Signed out."))))
    )
    yield* commands.on(
      "switchProfile",
      Effect.fnUntraced(function* () {
        const known = yield* profiles.all
        if (known.length === 0) return yield* signIn()
        const now = yield* profiles.now
        const profile = yield* editor.pick<Profile | undefined>(
          [
            ...known.map(({ profile, isSignedIn }) => ({
              label: profile.name,
              description: isSignedIn ? profile.baseUrl : t("signed out"),
              icon: isSignedIn ? "pass-filled" : "account",
              picked: now._tag !== "SignedOut" && now.profile.name === profile.name,
              value: profile
            })),
            { label: t("New profile…"), icon: "add", value: undefined }
          ],
          { title: t("Switch Profile") }
        )
        if (profile === undefined) return yield* signIn()
        yield* profiles.select(profile)
        if ((yield* profiles.now)._tag === "SignedOut") yield* askSecret(profile)
      })
    )
    yield* commands.on(
      "testConnection",
      Effect.fnUntraced(function* () {
        const quota = yield* editor.progress(t("Testing the connection"), () => connections.test)
        const remaining = quota.searchesRemaining
        yield* editor
          .notify(
            "info",
            remaining === undefined
              ? t("The service answers and knows you.")
              : t("The service answers and knows you. {0} searches are left.", remaining)
          )
          .pipe(Effect.forkDetach)
      })
    )
    yield* commands.on("showLog", () => editor.showLog)
    yield* commands.on(
      "toggleMasking",
      Effect.fnUntraced(function* () {
        yield* settings.set("masking", !(yield* settings.get("masking")))
      })
    )
  })
)

const faultOfUrl = (text: string) => filled(text) ?? faultOf({ baseUrl: text.trim() })
