/** The identifiers, groups and policies that the current profile has seen, in the editor's own storage. */
import { Effect, PubSub, Schema, Semaphore, Stream } from "effect"
import { keptKey, serviceOf } from "../connection/Connection.ts"
import type { Profile } from "../connection/Profile.ts"
import { Profiles } from "../connection/Profiles.ts"
import { Editor } from "../editor/Editor.ts"
import { recall } from "../editor/Memento.ts"
import { setting, Settings } from "../editor/Settings.ts"
import { IdentifierEntry, mergeEntries, nameOfIdentifier, nothing, RegisterEntries } from "./RegisterEntries.ts"

const SharedIdentifier = Schema.Struct({
  /** Name of the profile, because ids are only valid for one service. */
  profile: Schema.NonEmptyString,
  id: Schema.Int,
  name: Schema.String,
  type: Schema.optionalKey(Schema.String)
})
const isShared = Schema.is(SharedIdentifier)

/** Identifiers that a team shares in its settings. */
export const knownIdentifiers = setting("identifiers.known", Schema.Array(SharedIdentifier), (value) => {
  const entries: ReadonlyArray<unknown> = Array.isArray(value) ? value : []
  const fault = "it must have the name of a profile, an id and a name"
  return {
    value: Array.isArray(value) ? entries.filter(isShared) : value,
    faults: entries.flatMap((entry, index) => (isShared(entry) ? [] : [{ entry: index + 1, fault }]))
  }
})

export const makeRememberedEntries = Effect.gen(function* () {
  const editor = yield* Editor
  const profiles = yield* Profiles
  const settings = yield* Settings
  // Capacity 1 is enough: subscribers read the current state.
  const changes = yield* PubSub.sliding<void>(1)
  const notify = PubSub.publish(changes, undefined)
  const oneAtATime = yield* Semaphore.make(1)

  const current = Effect.map(profiles.now, (connection) =>
    connection._tag === "SignedOut" ? undefined : connection.profile
  )

  const readOf = (profile: Profile) =>
    recall("everywhere", keptKey("register", profile), RegisterEntries, nothing).pipe(
      Effect.provideService(Editor, editor),
      // If the profile's address was changed, the entries belong to another service.
      Effect.map((entries) => ((entries.service ?? serviceOf(profile)) === serviceOf(profile) ? entries : nothing))
    )

  const read = Effect.flatMap(current, (profile) => (profile === undefined ? Effect.succeed(nothing) : readOf(profile)))

  const identifiers = Effect.gen(function* () {
    const profile = yield* current
    if (profile === undefined) return []
    const shared = (yield* settings.get(knownIdentifiers)).filter((each) => each.profile === profile.name)
    return mergeEntries(
      (yield* readOf(profile)).identifiers,
      shared.map((identifier) => IdentifierEntry.make({ origin: "settings", ...identifier })),
      ({ id }) => id
    ).map(shown)
  })

  /**
   * Changes the entries of the profile that is current at the call, even if another one is current when the change
   * runs.
   */
  const change = (update: (known: RegisterEntries) => Omit<RegisterEntries, "service">) =>
    Effect.flatMap(current, (profile) =>
      profile === undefined
        ? Effect.void
        : oneAtATime.withPermit(
            Effect.gen(function* () {
              const before = yield* readOf(profile)
              const after = { ...update(before), service: serviceOf(profile) }
              if (JSON.stringify(after) === JSON.stringify({ ...before, service: after.service })) return
              yield* editor.remember("everywhere", keptKey("register", profile), after)
              yield* notify
            })
          )
    )

  // Another window may have added entries: check again when this window gets the focus.
  let last = yield* read
  yield* Stream.merge(
    Stream.map(Stream.fromPubSub(changes), () => false),
    Stream.filter(editor.focusChanged, (isFocused) => isFocused)
  ).pipe(
    Stream.runForEach((isToBeTold) =>
      Effect.flatMap(read, (now) => {
        const isNews = isToBeTold && JSON.stringify(now) !== JSON.stringify(last)
        last = now
        return isNews ? notify : Effect.void
      })
    ),
    Effect.forkScoped
  )

  yield* settings.changesOf(knownIdentifiers).pipe(
    Stream.runForEach(() => notify),
    Effect.forkScoped
  )

  return { read, identifiers, change, notify, changes: Stream.fromPubSub(changes) }
})

/** Replaces the name if it cannot be shown. */
const shown = (entry: IdentifierEntry): IdentifierEntry => {
  const name = nameOfIdentifier(entry)
  return name === entry.name ? entry : { ...entry, name }
}
