/** Saved sign-ins: the address of a service, and its token or API key. */
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { exitCodes } from "../ExitCode.ts"
import { durableFiles } from "../output/DurableFiles.ts"
import { fileLock, type FileLocked } from "../output/FileLock.ts"
import { fileFailure } from "../output/FileFailure.ts"
import { Keyring } from "./Keyring.ts"
import { profilesFileOf } from "./UserFiles.ts"

const Stored = Schema.Struct({
  base_url: Schema.String,
  path_prefix: Schema.optionalKey(Schema.String),
  tenant_id: Schema.optionalKey(Schema.Int),
  kind: Schema.Literals(["token", "api-key"]),
  /** Absent if the keyring holds the secret. */
  secret: Schema.optionalKey(Schema.String),
  /** The origin that the secret was saved for. Earlier versions did not save it. */
  secret_origin: Schema.optionalKey(Schema.String)
})

type StoredInFile = typeof Stored.Type & { readonly secret: string }

const isInFile = (stored: typeof Stored.Type): stored is StoredInFile => stored.secret !== undefined

const StoredProfiles = Schema.fromJsonString(Schema.Struct({ profiles: Schema.Record(Schema.String, Stored) }))

type StoredByName = Readonly<Record<string, typeof Stored.Type>>

export interface Profile {
  readonly baseUrl: string
  readonly pathPrefix: string | undefined
  readonly tenantId: number | undefined
  readonly kind: "token" | "api-key"
  readonly secret: Redacted.Redacted
}

export interface SavedProfile extends Omit<Profile, "secret"> {
  /**
   * Undefined if no secret was saved for this address, or if the keyring does not return it (locked, not running, or
   * lost).
   */
  readonly secret: Profile["secret"] | undefined
}

export class ProfilesUnreadable extends Schema.TaggedError<ProfilesUnreadable>()("ProfilesUnreadable", {
  file: Schema.String,
  reason: Schema.String
}) {
  readonly exitCode = exitCodes.usage

  override get message() {
    return `${this.file} ${this.reason}`
  }
}

/** No variable names a folder for settings. */
export class HomeMissing extends Schema.TaggedError<HomeMissing>()("HomeMissing", {}) {
  readonly exitCode = exitCodes.usage

  override get message() {
    return "There is no folder to save the sign-in in: set HOME or XDG_CONFIG_HOME to an absolute path, or give the token as THREAT_EXPOSURE_TOKEN"
  }
}

export class Profiles extends Context.Service<
  Profiles,
  {
    /** Names of the profiles, in the order in which they were saved. */
    readonly names: Effect.Effect<ReadonlyArray<string>, ProfilesUnreadable>
    /** Undefined if no profile has this name. */
    readonly get: (name: string) => Effect.Effect<SavedProfile | undefined, ProfilesUnreadable>
    /** Replaces a profile of the same name. Returns where the secret is kept: the keyring or the path of a file. */
    readonly save: (name: string, profile: Profile) => Effect.Effect<string, ProfilesUnreadable | HomeMissing>
    /** Returns whether a profile of this name existed. */
    readonly remove: (name: string) => Effect.Effect<boolean, ProfilesUnreadable | HomeMissing>
  }
>()("@threat-exposure/cli/connection/Profiles") {
  static readonly layer = Layer.effect(
    Profiles,
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const { replace } = yield* durableFiles
      const path = yield* Path.Path
      const keyring = yield* Keyring
      const ownFile = yield* profilesFile
      const fileToWrite = Effect.fromNullishOr(ownFile).pipe(Effect.mapError(() => new HomeMissing()))

      const readFrom = (file: string) =>
        files.readFileString(file).pipe(
          Effect.map((text): string | undefined => text),
          Effect.catch(({ reason }) =>
            reason._tag === "NotFound"
              ? Effect.undefined
              : Effect.fail(new ProfilesUnreadable({ file, reason: `cannot be read (${fileFailure(reason)})` }))
          ),
          Effect.flatMap((text) =>
            text === undefined
              ? Effect.succeed<StoredByName>({})
              : Schema.decodeEffect(StoredProfiles)(text).pipe(
                  Effect.map(({ profiles }) => profiles),
                  Effect.mapError(
                    () =>
                      new ProfilesUnreadable({
                        file,
                        reason: "is not a file of profiles: correct or delete it, then run threat-exposure login"
                      })
                  )
                )
          )
        )
      const read = ownFile === undefined ? Effect.succeed<StoredByName>({}) : readFrom(ownFile)

      const unwritable = (file: string) => (failure: PlatformError | FileLocked) =>
        new ProfilesUnreadable({
          file,
          reason: `cannot be written (${failure._tag === "FileLocked" ? "another process holds it" : fileFailure(failure.reason)}): make its folder writable, or give the token as THREAT_EXPOSURE_TOKEN`
        })
      const write = Effect.fnUntraced(function* (file: string, profiles: StoredByName) {
        const text = yield* Effect.orDie(Schema.encodeEffect(StoredProfiles)({ profiles }))
        yield* Effect.mapError(replace(file, `${text}\n`), unwritable(file))
      })
      const whileLocked = yield* fileLock
      /** Runs the change, which reads and writes the file, while no other program changes it. */
      const change = Effect.fnUntraced(function* <A, E>(run: (file: string) => Effect.Effect<A, E>) {
        const file = yield* fileToWrite
        const changed = yield* files
          .makeDirectory(path.dirname(file), { recursive: true, mode: 0o700 })
          .pipe(Effect.andThen(whileLocked(file, Effect.result(run(file)))), Effect.mapError(unwritable(file)))
        return yield* Effect.fromResult(changed)
      })

      /**
       * Earlier versions stored the secret under the profile's name alone. Moves such a secret to the entry of its
       * origin, so that it is not sent to an address that is changed later.
       */
      const secretInKeyring = Effect.fnUntraced(function* (name: string, { base_url }: typeof Stored.Type) {
        const entry = keyringEntry(name, base_url)
        const found = yield* keyring.get(entry)
        if (Option.isSome(found)) return found
        const former = yield* keyring.get(name)
        if (Option.isSome(former) && (yield* keyring.set(entry, former.value))) yield* keyring.remove(name)
        return former
      })
      /** The secret of a profile in the file. Saves the origin if an earlier version did not, for the same reason. */
      const secretInFile = Effect.fnUntraced(function* (profiles: StoredByName, name: string, stored: StoredInFile) {
        const origin = originOf(stored.base_url)
        const { secret, secret_origin = origin } = stored
        if (stored.secret_origin === undefined && ownFile !== undefined) {
          yield* Effect.ignore(write(ownFile, { ...profiles, [name]: { ...stored, secret_origin } }))
        }
        return secret_origin === origin ? Option.some(Redacted.make(secret)) : Option.none()
      })
      const forgetInKeyring = (name: string, { base_url }: typeof Stored.Type) =>
        Effect.andThen(keyring.remove(keyringEntry(name, base_url)), keyring.remove(name))

      const save = Effect.fnUntraced(function* (
        file: string,
        name: string,
        { baseUrl, kind, pathPrefix, secret, tenantId }: Profile
      ) {
        const others = yield* read
        const former = Option.getOrUndefined(Record.get(others, name))
        const entry = keyringEntry(name, baseUrl)
        if (former?.secret === undefined && former !== undefined && keyringEntry(name, former.base_url) !== entry) {
          yield* forgetInKeyring(name, former)
        }
        const isInKeyring = yield* keyring.set(entry, secret)
        yield* write(file, {
          ...others,
          [name]: {
            base_url: baseUrl,
            kind,
            ...(pathPrefix === undefined ? {} : { path_prefix: pathPrefix }),
            ...(tenantId === undefined ? {} : { tenant_id: tenantId }),
            ...(isInKeyring ? {} : { secret: Redacted.value(secret), secret_origin: originOf(baseUrl) })
          }
        })
        return isInKeyring ? "the system's keyring" : file
      })
      const remove = Effect.fnUntraced(function* (file: string, name: string) {
        const profiles = yield* read
        const removed = Option.getOrUndefined(Record.get(profiles, name))
        if (removed === undefined) return false
        if (removed.secret === undefined) yield* forgetInKeyring(name, removed)
        yield* write(file, Record.remove(profiles, name))
        return true
      })

      return Profiles.of({
        names: Effect.map(read, (profiles) => Object.keys(profiles)),
        get: Effect.fn("Profiles.get")(function* (name) {
          const profiles = yield* read
          const stored = Option.getOrUndefined(Record.get(profiles, name))
          if (stored === undefined) return undefined
          const secret = isInFile(stored)
            ? yield* secretInFile(profiles, name, stored)
            : yield* secretInKeyring(name, stored)
          return {
            baseUrl: stored.base_url,
            pathPrefix: stored.path_prefix,
            tenantId: stored.tenant_id,
            kind: stored.kind,
            secret: Option.getOrUndefined(secret)
          }
        }),
        save: Effect.fn("Profiles.save")(function* (name, profile) {
          return yield* change((file) => save(file, name, profile))
        }),
        remove: Effect.fn("Profiles.remove")(function* (name) {
          if (!Object.hasOwn(yield* read, name)) return false
          return yield* change((file) => remove(file, name))
        })
      })
    })
  )
}

/** Contains the origin of the service, so that a changed address needs a new sign-in. */
const keyringEntry = (name: string, baseUrl: string): string => `${name} ${originOf(baseUrl)}`

const originOf = (baseUrl: string): string => (URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl)

const variable = (name: string) =>
  Effect.orElseSucceed(
    Effect.map(Config.option(Config.String(name)), (value) => Option.getOrElse(value, () => "")),
    () => ""
  )

const profilesFile = Effect.map(
  Effect.all({ APPDATA: variable("APPDATA"), HOME: variable("HOME"), XDG_CONFIG_HOME: variable("XDG_CONFIG_HOME") }),
  profilesFileOf
)
