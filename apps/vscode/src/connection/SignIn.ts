/** Commands to sign in and out, and to choose, add, rename and remove profiles. */
import { defaultPathPrefix } from "@threat-exposure/core/domain/ServiceNames"
import { Context, Effect, Layer, Option } from "effect"
import { Commands } from "../editor/Commands.ts"
import { type Cancelled, type Choice, Editor, type Question } from "../editor/Editor.ts"
import { type Failure, problemOf } from "../editor/Problem.ts"
import { filled } from "../editor/form/Validation.ts"
import { number, t } from "../words/Localisation.ts"
import type { Connection } from "./Connection.ts"
import { Connections } from "./Connections.ts"
import type { Profile } from "./Profile.ts"
import { type KnownProfile, Profiles } from "./Profiles.ts"
import type { Answers } from "./SignInForm.ts"
import type * as SignInForm from "./SignInForm.ts"

/** Finds an installed program by its name; always undefined in a browser. */
export const FindProgram = Context.Reference<(name: string) => Promise<string | undefined>>(
  "threat-exposure/connection/SignIn/FindProgram",
  { defaultValue: () => async () => undefined }
)

const form = Effect.promise(() => import("./SignInForm.ts"))

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const connections = yield* Connections
    const profiles = yield* Profiles
    const findProgram = yield* FindProgram
    let signedInLast = Option.none<string>()
    const asking = <A, E>(question: (form: typeof SignInForm) => Effect.Effect<A, E, Editor>) =>
      Effect.provideService(Effect.flatMap(form, question), Editor, editor)

    const addProfile = Effect.fnUntraced(function* (): Effect.fn.Return<void, Failure | Cancelled> {
      const taken = (yield* profiles.all).map(({ profile }) => profile.name)
      yield* signInWith(yield* asking(({ askProfile }) => askProfile(taken)))
    })

    const choose = Effect.fnUntraced(function* (known: ReadonlyArray<KnownProfile>, question: Question) {
      const taken = known.map(({ profile }) => profile.name)
      const choices = choicesOf(known, yield* profiles.now)
      return yield* asking(({ chooseProfile }) => chooseProfile(choices, question, taken))
    })

    const signInTo = Effect.fnUntraced(function* (profile: Profile): Effect.fn.Return<void, Failure | Cancelled> {
      yield* signInWith({ profile, secret: yield* asking(({ askSecret }) => askSecret(profile)) })
    })

    /** Repeats the questions until the service answers or the person cancels; valid answers are not asked again. */
    const signInWith = Effect.fnUntraced(function* (first: Answers): Effect.fn.Return<void, Failure | Cancelled> {
      const again = t("Try Again")
      const correct = t("Change the Address")
      const anotherPrefix = t("Change the Path Prefix")
      const anyway = t("Sign In Anyway")
      let answers = first
      for (;;) {
        const { profile, secret } = answers
        const failure = yield* editor
          .progress(t("Signing in to {0}", profile.baseUrl), () => connections.probe(profile, secret))
          .pipe(
            Effect.as(undefined),
            Effect.catchIf(
              (failure) => failure._tag !== "Cancelled",
              (failure) => Effect.succeed(failure)
            )
          )
        if (failure === undefined) return yield* finish(answers)
        yield* editor.log("error", `signIn: ${failure._tag}: ${failure.message}`)
        if (failure._tag === "Unauthorized") {
          const refused =
            profile.signInWith === "none"
              ? t("The service asks for credentials: the proxy has added none.")
              : t("The service refused this token or key.")
          if (Option.isNone(yield* editor.notify("error", refused, again))) return
          answers = { profile, secret: yield* asking(({ askSecret }) => askSecret(profile)) }
          continue
        }
        const isMissing = failure._tag === "NotFound"
        const message = isMissing
          ? t(
              "No service found at {0} under “{1}”. Check the address and the path prefix.",
              profile.baseUrl,
              profile.pathPrefix ?? defaultPathPrefix
            )
          : problemOf(failure).message
        const actions = isMissing ? [correct, anotherPrefix, anyway] : [again, correct, anyway]
        const answer = Option.getOrUndefined(yield* editor.notify("error", message, ...actions))
        if (answer === undefined) return
        if (answer === anyway) return yield* finish(answers)
        if (answer === correct) answers = yield* asking(({ askProfile }) => askProfile([], profile))
        if (answer === anotherPrefix) {
          answers = { profile: yield* asking(({ askPathPrefix }) => askPathPrefix(profile, defaultPathPrefix)), secret }
        }
      }
    })

    const finish = Effect.fnUntraced(function* ({ profile, secret }: Answers) {
      yield* profiles.signIn(profile, secret)
      signedInLast = Option.some(profile.name)
      yield* editor.notify("info", t("Signed in to {0}.", profile.name)).pipe(Effect.forkDetach)
      yield* editor.execute("threatExposure.events.focus")
    })

    yield* commands.on(
      "signIn",
      Effect.fnUntraced(function* () {
        const known = yield* profiles.all
        if (known.length === 0) return yield* addProfile()
        const { profile, secret } = yield* choose(known, {
          title: t("Sign In"),
          placeholder: t("Sign in again or choose another service")
        })
        yield* secret === undefined ? signInTo(profile) : signInWith({ profile, secret })
      })
    )
    yield* commands.on("signOut", () =>
      Effect.andThen(profiles.signOut(), Effect.forkDetach(editor.notify("info", t("Signed out."))))
    )
    yield* editor.onAccounts({
      // The command shows its own failures.
      signIn: Effect.suspend(() => {
        signedInLast = Option.none()
        return Effect.andThen(
          editor.execute("threatExposure.signIn"),
          Effect.sync(() => signedInLast)
        )
      }),
      signOut: profiles.signOut
    })
    yield* commands.on(
      "switchProfile",
      Effect.fnUntraced(function* () {
        const known = yield* profiles.all
        if (known.length === 0) return yield* addProfile()
        const { profile, secret } = yield* choose(known, { title: t("Switch Profile") })
        if (secret !== undefined) return yield* signInWith({ profile, secret })
        yield* profiles.select(profile)
        if ((yield* profiles.now)._tag === "SignedOut") yield* signInTo(profile)
      })
    )

    yield* commands.on("trySample", () =>
      asking(({ askProfile, trySample }) =>
        trySample(findProgram, (profile) => Effect.flatMap(askProfile([], profile), signInWith))
      )
    )

    yield* commands.on("profiles.add", addProfile)
    const pickSaved = Effect.fnUntraced(function* (title: string) {
      const saved = (yield* profiles.all).filter(({ isGiven }) => !isGiven)
      return yield* editor.pick(saved.map(choiceOf), { title })
    })
    yield* commands.on(
      "profiles.rename",
      Effect.fnUntraced(function* () {
        const title = t("Rename Profile")
        const profile = yield* pickSaved(title)
        const taken = new Set((yield* profiles.all).map((each) => each.profile.name))
        taken.delete(profile.name)
        const name = yield* editor.ask({
          title,
          prompt: t("Name of the profile"),
          value: profile.name,
          check: (text) =>
            filled(text) ?? (taken.has(text.trim()) ? t("A profile with this name already exists") : undefined)
        })
        if (name.trim() !== profile.name) yield* profiles.rename(profile, name.trim())
      })
    )
    yield* commands.on(
      "profiles.remove",
      Effect.fnUntraced(function* () {
        const profile = yield* pickSaved(t("Remove Profile"))
        yield* editor.confirm(
          t("Remove the profile “{0}”?", profile.name),
          t(
            "Its token or key is deleted, and so is the list of its identifiers and policies. The service keeps monitoring them."
          ),
          t("Remove")
        )
        yield* profiles.remove(profile)
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
              ? t("Connected and signed in.")
              : t("Connected and signed in. Searches left: {0}.", number(remaining))
          )
          .pipe(Effect.forkDetach)
      })
    )
  })
)

const choiceOf = ({ isSignedIn, profile }: KnownProfile): Choice<Profile> => ({
  label: profile.name,
  description: isSignedIn ? profile.baseUrl : `${profile.baseUrl} · ${t("signed out")}`,
  icon: isSignedIn ? "pass-filled" : "account",
  value: profile
})

/** All profiles, and the choice to add one. */
const choicesOf = (known: ReadonlyArray<KnownProfile>, now: Connection): ReadonlyArray<Choice<Profile | undefined>> => [
  ...known.map((each) => ({
    ...choiceOf(each),
    picked: now._tag !== "SignedOut" && now.profile.name === each.profile.name
  })),
  { label: t("New profile…"), icon: "add", value: undefined }
]
