/** Manages the profiles and their sign-in state. Does not need a client, so activation does not load one. */
import { Context, Effect, Layer, Option, PubSub, Redacted, Semaphore, Stream } from "effect"
import { Editor } from "../editor/Editor.ts"
import { SignedOut, Superseded } from "../editor/Problem.ts"
import {
  bindSecret,
  boundSecret,
  chosenAmong,
  chosenKey,
  type Connection,
  isBound,
  keptKey,
  keptOfProfile,
  leftKey,
  secretKey,
  type SignedIn,
  signedIn,
  signedOut,
  withGiven
} from "./Connection.ts"
import { isProfile, type Profile, wrongFields } from "./Profile.ts"

/** The profile from the environment, with its secret; undefined in a browser. */
export class GivenProfile extends Context.Reference<
  Option.Option<{ readonly profile: Profile; readonly secret: Redacted.Redacted }>
>("threat-exposure/connection/Profiles/GivenProfile", { defaultValue: () => Option.none() }) {}

export interface KnownProfile {
  readonly profile: Profile
  readonly isSignedIn: boolean
  /** Whether the profile comes from the environment, so that no setting contains it. */
  readonly isGiven: boolean
}

export class Profiles extends Context.Service<
  Profiles,
  {
    readonly now: Effect.Effect<Connection>
    /** Emits each new connection. */
    readonly changes: Stream.Stream<Connection>
    /** All profiles, each with its sign-in state. */
    readonly all: Effect.Effect<ReadonlyArray<KnownProfile>>
    readonly signIn: (profile: Profile, secret: Redacted.Redacted) => Effect.Effect<void>
    /** Deletes the secret of a profile, by default the current one, but keeps the profile. */
    readonly signOut: (name?: string) => Effect.Effect<void>
    readonly select: (profile: Profile) => Effect.Effect<void>
    /** Renames the profile and moves its stored data. The profile from the environment cannot be renamed. */
    readonly rename: (profile: Profile, name: string) => Effect.Effect<void>
    /** Deletes the profile, its secret and its stored data. */
    readonly remove: (profile: Profile) => Effect.Effect<void>
    /** Fails if another profile or another sign-in has replaced this connection. */
    readonly requireCurrent: (connection: Connection) => Effect.Effect<void, Superseded>
    /** Marks the sign-in as expired, after the service has rejected it. */
    readonly expire: (connection: SignedIn) => Effect.Effect<void>
    readonly requireSignedIn: Effect.Effect<SignedIn, SignedOut>
    /** The current sign-in with its token or key. */
    readonly current: Effect.Effect<{ readonly connection: SignedIn; readonly secret: Redacted.Redacted }, SignedOut>
  }
>()("threat-exposure/connection/Profiles") {
  static readonly layer = Layer.effect(
    Profiles,
    Effect.gen(function* () {
      const editor = yield* Editor
      const given = yield* GivenProfile
      const isGiven = (profile: Profile) => Option.isSome(given) && given.value.profile.name === profile.name

      const reported = new Set<string>()
      const written = Effect.map(editor.setting("profiles"), (setting): ReadonlyArray<unknown> =>
        Array.isArray(setting) ? setting : []
      )
      const saved = Effect.gen(function* () {
        const entries = yield* written
        for (const [index, entry] of entries.entries()) {
          const wrong = wrongFields(entry).join(", ")
          const line = `Entry ${index + 1} of the setting threatExposure.profiles is left out: correct its ${wrong}`
          if (wrong !== "" && !reported.has(line)) yield* editor.log("warn", line)
          reported.add(line)
        }
        return entries.filter(isProfile)
      })

      const all = Effect.map(saved, (profiles) =>
        withGiven(profiles, Option.getOrUndefined(Option.map(given, ({ profile }) => profile)))
      )

      const secretOf = Effect.fnUntraced(function* (profile: Profile) {
        if ((yield* editor.recall("everywhere", leftKey(profile))) === true) return Option.none()
        if (Option.isSome(given) && isGiven(profile)) return Option.some(given.value.secret)
        const stored = Option.getOrUndefined(yield* editor.secret(secretKey(profile)))
        const secret = boundSecret(profile, stored)
        if (stored === undefined || secret === undefined) return Option.none()
        if (!isBound(stored)) yield* editor.setSecret(secretKey(profile), Option.some(bindSecret(profile, secret)))
        return Option.some(Redacted.make(secret))
      })

      const find = Effect.gen(function* () {
        const chosen = (yield* editor.recall("here", chosenKey)) ?? (yield* editor.recall("everywhere", chosenKey))
        const profile = chosenAmong(yield* all, chosen)
        if (profile === undefined) return signedOut
        return Option.isSome(yield* secretOf(profile)) ? signedIn(profile) : signedOut
      })

      let state: Connection = yield* find
      const connections = yield* PubSub.unbounded<Connection>()
      const become = (connection: Connection) =>
        Effect.suspend(() => {
          if (state._tag === "SignedOut" && connection._tag === "SignedOut") return Effect.void
          state = connection
          return PubSub.publish(connections, connection)
        })

      const choose = ({ name }: Profile) =>
        Effect.andThen(editor.remember("here", chosenKey, name), editor.remember("everywhere", chosenKey, name))

      /** Replaces the entry of one profile and keeps all others, including invalid ones. */
      const replace = Effect.fnUntraced(function* ({ name }: Profile, ...by: ReadonlyArray<Profile>) {
        const entries = yield* written
        const at = entries.findIndex((entry) => isProfile(entry) && entry.name === name)
        yield* editor.setSetting("profiles", entries.toSpliced(at < 0 ? entries.length : at, at < 0 ? 0 : 1, ...by))
      })

      /** Moves all stored data of a profile, including its secret, or deletes it if `to` is undefined. */
      const moveKept = Effect.fnUntraced(function* (profile: Profile, to: Profile | undefined) {
        const secret = yield* editor.secret(secretKey(profile))
        if (to !== undefined) yield* editor.setSecret(secretKey(to), secret)
        yield* editor.setSecret(secretKey(profile), Option.none())
        for (const scope of ["everywhere", "here"] as const) {
          for (const what of keptOfProfile) {
            const value = yield* editor.recall(scope, keptKey(what, profile))
            if (value === undefined) continue
            if (to !== undefined) yield* editor.remember(scope, keptKey(what, to), value)
            yield* editor.remember(scope, keptKey(what, profile), undefined)
          }
        }
      })

      const isCurrent = ({ name }: Profile) => state._tag !== "SignedOut" && state.profile.name === name

      // Serialises changes, so that signing out right after switching signs out of the new profile.
      const { withPermit: inTurn } = yield* Semaphore.make(1)

      const look = inTurn(
        Effect.flatMap(find, (found) => (JSON.stringify(found) === JSON.stringify(state) ? Effect.void : become(found)))
      )
      yield* Stream.merge(editor.settingsChanged(["profiles"]), editor.secretsChanged).pipe(
        Stream.runForEach(() => look),
        Effect.forkScoped
      )
      // Some hosts do not report changes by other windows: check again when the window gets the focus.
      yield* editor.focusChanged.pipe(
        Stream.filter((isFocused) => isFocused && state._tag !== "Expired"),
        Stream.runForEach(() => look),
        Effect.forkScoped
      )

      const requireSignedIn = Effect.suspend(() =>
        state._tag === "SignedIn"
          ? Effect.succeed(state)
          : Effect.fail(new SignedOut({ isExpired: state._tag === "Expired" }))
      )

      return Profiles.of({
        now: Effect.sync(() => state),
        changes: Stream.fromPubSub(connections),
        all: Effect.flatMap(all, (profiles) =>
          Effect.forEach(profiles, (profile) =>
            Effect.map(secretOf(profile), (secret) => ({
              profile,
              isSignedIn: Option.isSome(secret),
              isGiven: isGiven(profile)
            }))
          )
        ),
        signIn: Effect.fnUntraced(function* (profile, secret) {
          yield* editor.remember("everywhere", leftKey(profile), undefined)
          if (!isGiven(profile)) {
            yield* replace(profile, profile)
            yield* editor.setSecret(secretKey(profile), Option.some(bindSecret(profile, Redacted.value(secret))))
          }
          yield* choose(profile)
          yield* become(signedIn(profile))
        }, inTurn),
        signOut: Effect.fnUntraced(function* (name) {
          const profile = (yield* all).find((each) => (name === undefined ? isCurrent(each) : each.name === name))
          if (profile === undefined) return
          yield* editor.remember("everywhere", leftKey(profile), true)
          if (!isGiven(profile)) yield* editor.setSecret(secretKey(profile), Option.none())
          if (isCurrent(profile)) yield* become(signedOut)
        }, inTurn),
        select: Effect.fnUntraced(function* (profile) {
          yield* choose(profile)
          yield* become(Option.isSome(yield* secretOf(profile)) ? signedIn(profile) : signedOut)
        }, inTurn),
        rename: Effect.fnUntraced(function* (profile, name) {
          const renamed = { ...profile, name }
          yield* moveKept(profile, renamed)
          yield* replace(profile, renamed)
          if (!isCurrent(profile)) return
          yield* choose(renamed)
          yield* become(yield* find)
        }, inTurn),
        remove: Effect.fnUntraced(function* (profile) {
          yield* replace(profile)
          yield* moveKept(profile, undefined)
          if (isCurrent(profile)) yield* become(signedOut)
        }, inTurn),
        requireCurrent: (connection) =>
          Effect.suspend(() =>
            // Requests of an expired sign-in fail by themselves.
            state === connection || state._tag === "Expired" ? Effect.void : new Superseded()
          ),
        expire: Effect.fnUntraced(function* (connection) {
          if (state !== connection) return
          const { profile } = connection
          yield* editor.log("warn", `The service refused the sign-in of profile ${profile.name}`)
          yield* become({ _tag: "Expired", profile })
        }),
        requireSignedIn,
        current: Effect.gen(function* () {
          const connection = yield* requireSignedIn
          const secret = yield* secretOf(connection.profile)
          if (Option.isSome(secret)) return { connection, secret: secret.value }
          yield* become(signedOut)
          return yield* new SignedOut({ isExpired: false })
        })
      })
    })
  )
}
