/** Moves a value into `.env` and replaces it with a reference to the environment, as one undo step. */
import { Effect, Layer, Option, Redacted } from "effect"
import { Lines } from "../../detection/Lines.ts"
import { Commands } from "../../editor/Commands.ts"
import { Editor, type FileEdit, type Span, textIfAny } from "../../editor/Editor.ts"
import { NotPossible } from "../../editor/Problem.ts"
import { t } from "../../words/Localisation.ts"
import { referenceTo, replacementIn, setsVariable, type SourceFile, variableName } from "./EnvReference.ts"
import { LeakChecks } from "../check/LeakChecks.ts"
import { outsideOfFolders } from "../LeakFinding.ts"
import { followEdit, isEncoded } from "../LeakOccurrence.ts"
import { TypedSecrets } from "../TypedSecrets.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const checks = yield* LeakChecks
    const typed = yield* TypedSecrets

    /** Text of the file; undefined if it does not exist. Fails if it is unreadable. */
    const readText = (uri: string) => textIfAny(Effect.map(editor.textOf(uri), ({ text }) => text))

    yield* commands.on(
      "leaks.moveToEnv",
      Effect.fnUntraced(function* ({ args: [uri, line, column] }) {
        const leak = checks.occurrenceAt(uri, line, column)
        const occurrence = leak ?? typed.at(uri, line, column)
        if (occurrence === undefined) return
        const { place, value } = occurrence
        const folder = (yield* checks.folderOf(place.uri))?.uri
        if (folder === undefined) return yield* new NotPossible({ message: outsideOfFolders() })
        if (isEncoded(occurrence)) {
          return yield* new NotPossible({ message: t("The value is encoded here: move it to .env by hand.") })
        }
        const file = yield* editor.textOf(place.uri)
        if (referenceTo("X", file) === undefined) {
          return yield* new NotPossible({
            message: t("Reading environment variables in {0} is not supported.", file.languageId)
          })
        }
        const envUri = editor.join(folder, ".env")
        const known = yield* readText(envUri)
        const before = new Lines(file.text).line(occurrence.span.start.line).slice(0, occurrence.span.start.character)
        const usual = variableName(before)
        const answer = yield* editor.ask({
          title: t("Move to .env"),
          prompt:
            leak === undefined
              ? t("Name of the variable")
              : t("Name of the variable. The value has leaked: rotate it as well."),
          value: setsVariable(before, usual, file) ? `ENV_${usual}` : usual,
          check: (text) => faultOfName(text.trim(), known ?? "", before, file)
        })
        const name = answer.trim()
        const reference = referenceTo(name, file)
        if (reference === undefined) return
        // Read the files again, because they may have been edited during the question.
        const open = yield* editor.textOf(place.uri)
        const now = followEdit(occurrence, new Lines(open.text))
        if (!now.isPresent) return yield* new NotPossible({ message: t("The value is no longer in the file.") })
        const replacement = replacementIn(open.text, now.span, reference)
        const env = yield* readText(envUri)
        const gitignoreUri = editor.join(folder, ".gitignore")
        const gitignore = yield* readText(gitignoreUri)
        yield* editor.applyEdits([
          appendLine(envUri, env, variableLine(name, Redacted.value(value))),
          ...(ignoresEnv(gitignore ?? "") ? [] : [appendLine(gitignoreUri, gitignore, ".env")]),
          ...(replacement === undefined ? [] : [{ uri: place.uri, ...replacement }])
        ])
        yield* Effect.forkDetach(
          editor
            .notify(
              replacement === undefined ? "warning" : "info",
              [
                t("{0} is in .env now.", name),
                // git continues to track a committed file even if .gitignore lists it.
                env === undefined
                  ? t("Git ignores it.")
                  : t(".gitignore lists it; if git already tracks it, run git rm --cached .env."),
                ...(replacement === undefined
                  ? [t("Here the value is part of a longer text: replace it with {0} yourself.", reference.text)]
                  : []),
                ...(leak === undefined ? [] : [t("Rotate the value: it has leaked.")])
              ].join(" "),
              ...(leak === undefined ? [] : [t("Close Leak…")])
            )
            .pipe(
              Effect.flatMap((answer) =>
                Option.isNone(answer) || leak === undefined
                  ? Effect.void
                  : editor.execute("threatExposure.leaks.close", leak.row.leak.fingerprint)
              )
            )
        )
      })
    )
  })
)

/** A line of `.env`. Single quotes make the value literal; a value that contains one uses double quotes. */
export const variableLine = (name: string, value: string): string => {
  if (/^[\w./:@+,=-]*$/u.test(value)) return `${name}=${value}`
  return `${name}=${value.includes("'") ? JSON.stringify(value).replaceAll("$", String.raw`\$`) : `'${value}'`}`
}

export const namesVariable = (text: string, name: string): boolean =>
  text.split(/\r?\n/u).some((line) => new RegExp(String.raw`^\s*(?:export\s+)?${name}\s*=`, "u").test(line))

/** Whether `.gitignore` ignores `.env` in the same folder; later lines override earlier ones. */
export const ignoresEnv = (gitignore: string): boolean =>
  gitignore
    .split(/\r?\n/u)
    .flatMap((line) => /^(!?)\/?(?:\*\*\/)?\.env(?:\*|\.\*)?\s*$/u.exec(line)?.[1] ?? [])
    .at(-1) === ""

/** The edit that appends a line, with the line ending of the text. */
export const lineAtEnd = (text: string, line: string): { readonly span: Span; readonly text: string } => {
  const end = text.includes("\r\n") ? "\r\n" : "\n"
  return {
    span: new Lines(text).span(text.length, 0),
    text: `${text === "" || text.endsWith("\n") ? "" : end}${line}${end}`
  }
}

const faultOfName = (name: string, env: string, before: string, file: SourceFile): string | undefined => {
  if (!/^[A-Za-z_]\w*$/u.test(name)) return t("Use only letters, digits and underscores")
  if (namesVariable(env, name)) return t(".env already has a variable with this name")
  return setsVariable(before, name, file) ? t("The line sets this variable itself: choose another name") : undefined
}

const appendLine = (uri: string, text: string | undefined, line: string): FileEdit =>
  text === undefined ? { uri, text: `${line}\n`, isSaved: true } : { uri, ...lineAtEnd(text, line), isSaved: true }
