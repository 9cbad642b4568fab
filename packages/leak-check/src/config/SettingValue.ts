/** Decodes values of settings as they are written in a config file, an input of a workflow or a flag. */
import { inclusions } from "@threat-exposure/detect/Candidate"
import { domainOf } from "../target/Target.ts"
import { durationOf, durationPattern, instantOf, instantPattern } from "./TimeInput.ts"
import { DateTime, Effect, Result, Schema, SchemaGetter, SchemaIssue } from "effect"

/** Decodes a value from text. If `read` fails with a message, that replaces the usual explanation of valid values. */
export const readAs = <E, T, S>(
  text: Schema.Codec<E, S>,
  type: Schema.Codec<T>,
  read: (text: E, now: DateTime.Utc) => Result.Result<T, string | undefined>
) =>
  text.pipe(
    Schema.decodeTo(type, {
      decode: SchemaGetter.transformEffect((text: E, options) =>
        Effect.flatMap(DateTime.now, (now) =>
          Effect.fromResult(
            Result.mapError(
              read(text, now),
              (message) => new SchemaIssue.InvalidValue(message === undefined ? undefined : { message }, text, options)
            )
          )
        )
      ),
      encode: SchemaGetter.forbiddenEncoding
    })
  )

/** The part of a value that an error message shows, on one line. */
export const formatValue = (value: unknown) => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing")
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").replaceAll(/\/\/[^/@]*@/gu, "//…@")
  return `\`${line.length > 80 ? `${line.slice(0, 80)}…` : line}\``
}

export const failIfUndefined = <T>(value: T | undefined) =>
  value === undefined ? Result.fail(undefined) : Result.succeed(value)

export const Flag = Schema.Union([
  Schema.Boolean,
  readAs(Schema.Literals(["true", "True", "TRUE", "false", "False", "FALSE"]), Schema.Boolean, (text) =>
    Result.succeed(text.toLowerCase() === "true")
  )
])

export const Count = Schema.Union([
  Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  readAs(Schema.String.check(Schema.isPattern(/^[0-9]{1,15}$/u)), Schema.Int, (text) => Result.succeed(Number(text)))
])

/** A single path. A list of paths would otherwise be taken for one file name with line breaks. */
export const OnePath = Schema.NonEmptyString.check(Schema.isPattern(/^[^\r\n]*$/u))

/** A list, one item per line or comma-separated; a comma within braces of a glob does not separate items. */
const Lines = Schema.Union([
  Schema.Array(Schema.NonEmptyString),
  readAs(Schema.String, Schema.Array(Schema.String), (text) =>
    Result.succeed(
      (text.match(/(?:\{[^{}\n]*\}|[^,\n])+/gu) ?? []).map((item) => item.trim()).filter((item) => item !== "")
    )
  )
])

/** Rejects patterns that no path can match, because they would silently exclude everything. */
export const Globs = readAs(Lines, Schema.Array(Schema.String), (globs) =>
  Result.all(
    globs.map((glob): Result.Result<string, string> =>
      glob.startsWith("!")
        ? Result.fail(`${formatValue(glob)} is negated: use \`exclude\` for files that should not be read`)
        : leadsOut(glob.replace(/^\//u, ""))
          ? Result.fail(`${formatValue(glob)} leads out of the repository`)
          : /\\[^[\](){}!]/u.test(glob)
            ? Result.fail(`${formatValue(glob)} has a backslash: folders are separated by \`/\`, on every system`)
            : Result.succeed(glob)
    )
  )
)

export const Inclusions = readAs(Lines, Schema.Array(Schema.Literals(inclusions)), (names) =>
  Result.all(
    names.map((name) => {
      const known = inclusions.find((one) => one === name)
      return known === undefined ? Result.fail(`${formatValue(name)} is neither`) : Result.succeed(known)
    })
  )
)

export const Domains = readAs(Lines, Schema.Array(Schema.String), (names) =>
  Result.all(
    names.map((name): Result.Result<string, string> => {
      const domain = domainOf(name)
      return domain === undefined ? Result.fail(`${formatValue(name)} is not a host name`) : Result.succeed(domain)
    })
  )
)

export const DurationInput = readAs(Schema.String.check(Schema.isPattern(durationPattern)), Schema.Duration, (text) =>
  failIfUndefined(durationOf(text))
)

export const Instant = readAs(Schema.String.check(Schema.isPattern(instantPattern)), Schema.DateTimeUtc, (text, now) =>
  failIfUndefined(instantOf(text, now))
)

/** Whether a path leaves the repository, judged by the path alone, without following links. */
export const leadsOut = (path: unknown): boolean =>
  typeof path === "string" && /^(?:[/\\~]|[A-Za-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/u.test(path)
