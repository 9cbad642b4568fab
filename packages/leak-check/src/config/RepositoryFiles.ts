/**
 * Reads the config file and the ignore file of a repository. A change under review must not decide how it is checked.
 */
import { decode } from "@threat-exposure/detect/text/Bytes"
import type { Range } from "@threat-exposure/detect/git/Repository"
import { Effect, FileSystem, Option, Path, Result, type Schema } from "effect"
import { addedFingerprints, empty, type IgnoreFile, parse } from "../ignore/IgnoreFile.ts"
import { Clone } from "../range/Clone.ts"
import { adviseOnFetch } from "../range/Range.ts"
import { rulesFrom, type WorkflowEvent } from "../range/WorkflowEvent.ts"
import type { YamlInvalid } from "../Yaml.ts"
import { configFiles, settingDefaults } from "./SettingHelp.ts"
import { decodeSettings, readConfig, type SettingsForm, SettingsRefused } from "./ConfigFile.ts"
import { leadsOut } from "./SettingValue.ts"

/** The config files to look for, in this order. */
export const configFilesOf = (given: string | undefined): ReadonlyArray<string> =>
  given === undefined ? configFiles : [given]

export interface SettingsOptions {
  /** The top folder of the repository, against which relative paths are resolved. */
  readonly root: string
  /** Undefined outside of a workflow. */
  readonly event: WorkflowEvent | undefined
  /** The caller's settings; the key `config-file` names the config file. */
  readonly given: Readonly<Partial<Record<string, string>>>
}

/**
 * Combines the settings of the caller and of the config file. For a change under review, the config file of its base
 * applies; `gaps` says why it could not be read.
 */
export const settingsIn = Effect.fn("settingsIn")(function* <S extends Schema.ConstraintDecoder<unknown>>(
  form: SettingsForm<S>,
  { event, given, root }: SettingsOptions
): Effect.fn.Return<
  { readonly settings: S["Type"]; readonly gaps: ReadonlyArray<string> },
  SettingsRefused,
  Clone | FileSystem.FileSystem | Path.Path | S["DecodingServices"]
> {
  const wanted = given["config-file"]
  const base = event === undefined ? undefined : rulesFrom(event)
  const missing = base === undefined ? undefined : yield* whyWithoutCommit(base)
  for (const file of configFilesOf(wanted)) {
    const isOfBase = base !== undefined && !leadsOut(file)
    const text = isOfBase ? yield* textAt(base, file) : undefined
    const own = yield* readText(form, "config-file", {
      file,
      given,
      root,
      isOptional: wanted === undefined || text !== undefined
    })
    // Errors in the changed file are reported now; its settings only apply after the change is merged.
    const settings =
      own === undefined ? undefined : yield* decodeSettings(form, given, yield* readConfig(form, file, own))
    if (!isOfBase && settings !== undefined) return { settings, gaps: [] }
    if (text !== undefined) {
      return { settings: yield* decodeSettings(form, given, yield* readConfig(form, file, text)), gaps: [] }
    }
  }
  return {
    settings: yield* decodeSettings(form, given),
    gaps:
      missing === undefined
        ? []
        : [
            `The config file of the commit ${missing.base.slice(0, 12)} could not be read (${missing.reason}). ${missing.advice}`
          ]
  }
})

export interface IgnoreFileOptions<R> extends Pick<SettingsOptions, "given" | "root"> {
  readonly file: string
  /** The commits under check; evaluated only if the repository has the file. */
  readonly range: Effect.Effect<Range | undefined, never, R>
}

export interface Ignored {
  readonly ignore: IgnoreFile
  /** Fingerprints that the change itself adds. */
  readonly ignoreAdded: ReadonlyArray<string>
}

export const ignoreFileIn = Effect.fn("ignoreFileIn")(function* <S extends Schema.ConstraintDecoder<unknown>, R>(
  form: SettingsForm<S>,
  { file, given, range, root }: IgnoreFileOptions<R>
): Effect.fn.Return<Ignored, SettingsRefused | YamlInvalid, Clone | FileSystem.FileSystem | Path.Path | R> {
  const isOptional = file === settingDefaults["ignore-file"]
  const text = yield* readText(form, "ignore-file", { file, given, root, isOptional })
  if (text === undefined) return { ignore: empty, ignoreAdded: [] }
  const ignore = yield* parse(text, file)
  const before = yield* ignoreFileBefore({ file, range, root })
  return { ignore, ignoreAdded: before === undefined ? [] : addedFingerprints(before, ignore) }
})

/** The ignore file before the change; undefined without a change, or if the file is outside the repository. */
const ignoreFileBefore = Effect.fnUntraced(function* <R>({ file, range, root }: Omit<IgnoreFileOptions<R>, "given">) {
  const clone = yield* Clone
  const path = yield* Path.Path
  const inRepository = path.relative(root, path.resolve(root, file))
  if (inRepository.startsWith("..") || path.isAbsolute(inRepository)) return undefined
  const { base, head } = (yield* range) ?? {}
  if (base === undefined || head === undefined) return undefined
  // Compares with the merge base: an entry that the base has since removed, or an error in the base, is not part of the
  // change.
  return yield* clone.mergeBaseOf(base, head).pipe(
    Effect.flatMap((fork) =>
      clone.textAt(
        Option.getOrElse(fork, () => base),
        inRepository.replaceAll(path.sep, "/")
      )
    ),
    Effect.flatMap(Option.match({ onNone: () => Effect.succeed(empty), onSome: (text) => parse(text, file) })),
    Effect.orElseSucceed(() => empty)
  )
})

/** Fetches the commit if it is missing. Returns undefined if it then exists, otherwise the reason and advice. */
const whyWithoutCommit = Effect.fnUntraced(function* (base: string) {
  const clone = yield* Clone
  const isHere = yield* Effect.orElseSucceed(clone.commitOf(base), () => Option.none())
  if (Option.isSome(isHere)) return undefined
  const isShallow = yield* Effect.orElseSucceed(clone.isShallow, () => false)
  const fetched = yield* Effect.result(clone.fetch({ depth: isShallow ? 1 : undefined, revisions: [base] }))
  return Result.isSuccess(fetched)
    ? undefined
    : { base, reason: fetched.failure.reason, advice: adviseOnFetch(isShallow) }
})

const textAt = Effect.fnUntraced(function* (commit: string, file: string) {
  const clone = yield* Clone
  return Option.getOrUndefined(yield* Effect.orElseSucceed(clone.textAt(commit, file), () => Option.none<string>()))
})

/** The first symbolic link on the path from the root to a file below it; undefined if there is none. */
export const linkIn = Effect.fn("linkIn")(function* (root: string, file: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  let at = root
  for (const segment of path.relative(root, path.resolve(root, file)).split(path.sep)) {
    at = path.join(at, segment)
    if (yield* Effect.isSuccess(files.readLink(at))) return path.relative(root, at)
  }
  return undefined
})

/** Far more than people write. The files of a repository are hostile input. */
const maxSettingsSize = 5_000_000

/** Undefined if the file is optional and does not exist. */
const readText = Effect.fnUntraced(function* <S extends Schema.ConstraintDecoder<unknown>>(
  { help, label }: SettingsForm<S>,
  name: "config-file" | "ignore-file",
  {
    file,
    given,
    isOptional,
    root
  }: Pick<SettingsOptions, "given" | "root"> & { readonly file: string; readonly isOptional: boolean }
) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const full = path.resolve(root, file)
  const refuse = (what: string) =>
    new SettingsRefused({
      faults: [{ message: `${label(name, name in given ? "given" : "config file")} is \`${file}\`, ${what}` }]
    })
  const read = Effect.gen(function* () {
    if (leadsOut(file)) return decode(yield* files.readFile(full))
    const link = yield* linkIn(root, file)
    if (link !== undefined) {
      return yield* refuse(`and ${link} is a symbolic link, which is not followed: name the file that it points to`)
    }
    const { size, type } = yield* files.stat(full)
    // Reading a named pipe would wait for its writer.
    if (type !== "File") return yield* refuse("which is not a file")
    if (size > maxSettingsSize) return yield* refuse(`which has more than ${maxSettingsSize / 1e6} MB`)
    return decode(yield* files.readFile(full))
  })
  return yield* read.pipe(
    Effect.map((text): string | undefined => text),
    Effect.catchTag("PlatformError", ({ reason }) =>
      reason._tag === "NotFound" && isOptional
        ? Effect.undefined
        : Effect.fail(
            refuse(
              `which ${reason._tag === "NotFound" ? "does not exist" : "cannot be read"}; it must be ${help[name]?.mustBe ?? ""}`
            )
          )
    )
  )
})
