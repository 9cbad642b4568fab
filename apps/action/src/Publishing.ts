/** Publishes a report: log, annotations, summary, files, comment and outputs. */
import { isElsewhere } from "@threat-exposure/detect/git/BesideFiles"
import { type Annotation, annotations } from "@threat-exposure/leak-check/report/Annotations"
import { text as consoleText } from "@threat-exposure/leak-check/report/Console"
import { json } from "@threat-exposure/leak-check/report/Json"
import { comment, type MarkdownOptions, resolved, summary } from "@threat-exposure/leak-check/report/Markdown"
import { titleOf } from "@threat-exposure/leak-check/report/ReportText"
import { writeReport } from "@threat-exposure/leak-check/report/ReportFile"
import { uploadable } from "@threat-exposure/leak-check/report/Sarif"
import { counting, type Report } from "@threat-exposure/leak-check/Report"
import { Effect, Schema } from "effect"
import manifest from "../package.json" with { type: "json" }
import type { Environment, Part } from "./Environment.ts"
import type { Comment } from "./Comments.ts"
import { GitHub } from "./GitHub.ts"
import type { Inputs } from "./Inputs.ts"

/** A file that a later step needs cannot be written. */
export class FileUnwritable extends Schema.TaggedError<FileUnwritable>()("FileUnwritable", {
  input: Schema.String,
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Input \`${this.input}\` is \`${this.file}\`, which cannot be written: ${this.reason}`
  }
}

export interface Publication {
  readonly environment: Environment
  readonly inputs: Inputs
  /** Why the step fails; undefined if it passes. */
  readonly failure: string | undefined
  /** Equal to `failure` if the service refused the token; otherwise undefined. */
  readonly refusal: string | undefined
}

export const publish = Effect.fn("publish")(function* (
  report: Report,
  { environment, failure, inputs, refusal }: Publication
) {
  const github = yield* GitHub
  const markdown: MarkdownOptions = {
    repositoryUrl: environment.repositoryUrl,
    commit: environment.event._tag === "PullRequest" ? environment.event.head : environment.commit,
    ignoreFile: inputs["ignore-file"]
  }

  if (inputs.annotations) yield* Effect.forEach(notesOf(report), github.annotate, { discard: true })
  if (inputs.summary) yield* github.summarise(summary(report, markdown))

  const outputs = yield* Effect.exit(
    github.setOutputs({
      verdict: report.verdict,
      leaks: String(counting(report).length),
      searches: String(report.searches),
      unsearched: String(report.unsearched.length)
    })
  )

  yield* github.log(consoleText(report, { colors: false }))
  if (failure !== undefined) {
    // Each leak already has its own error.
    yield* inputs.annotations && (report.verdict !== "leaked" || refusal !== undefined)
      ? github.annotate({ level: "error", title: "Threat Exposure", message: failure })
      : github.log(failure)
  }

  // The comment comes last, because GitHub may be slow, and a file or outputs that cannot be written must not prevent
  // the rest.
  yield* files(report, environment, inputs).pipe(
    Effect.ensuring(inputs.comment ? writeComment(report, environment, inputs, markdown) : Effect.void)
  )
  yield* outputs
})

const files = Effect.fnUntraced(function* (report: Report, environment: Environment, inputs: Inputs) {
  const github = yield* GitHub
  if (inputs["report-file"] !== undefined) yield* write("report-file", inputs["report-file"], environment, json(report))
  if (inputs["sarif-file"] !== undefined) {
    const { leftOut, text } = yield* uploadable(report, {
      workflowPath: environment.workflowFile ?? ".github/workflows",
      toolVersion: manifest.version
    })
    yield* write("sarif-file", inputs["sarif-file"], environment, text)
    if (leftOut > 0) {
      yield* github.annotate({
        level: "warning",
        message: `The file of \`sarif-file\` has the worst ${report.leaks.length - leftOut} of ${report.leaks.length} leaks: GitHub takes no more than 25,000 results and 10 MB. The others follow in later runs, once these are resolved`
      })
    }
  }
  yield* github.setOutputs({ "report-file": inputs["report-file"] ?? "", "sarif-file": inputs["sarif-file"] ?? "" })
})

const write = Effect.fnUntraced(function* (
  input: "report-file" | "sarif-file",
  file: string,
  { workspace }: Environment,
  content: string
) {
  yield* Effect.mapError(writeReport({ file, folder: workspace, content }), (failure) =>
    failure._tag === "LinkedOut"
      ? new FileUnwritable({ input, file, reason: failure.message })
      : new FileUnwritable({ input, file, reason: "name a file in a folder that the job may write to" })
  )
})

/** GitHub shows at most ten notices per step. */
const maxNotices = 10

/** If nothing was searched, candidates are annotated, so that a person can check them. */
const notesOf = (report: Report): ReadonlyArray<Annotation> => {
  if (report.skipped === null) return annotations(report)
  const candidates = report.unsearched.flatMap(({ subject }) => (subject.type === "value" ? [subject] : []))
  return [
    {
      level: "notice" as const,
      title: "Threat Exposure: nothing was searched",
      message: `${report.skipped}. Candidates found in the change: ${candidates.length}.`,
      location: undefined
    },
    ...candidates
      .flatMap((subject) => {
        const location = subject.locations.find((place) => !isElsewhere(place))
        return location === undefined ? [] : [{ subject, location }]
      })
      .slice(0, maxNotices - 1)
      .map(({ location, subject }) => ({
        level: "notice" as const,
        title: "This may be a secret",
        message: `${titleOf(subject)} was not searched. It was found by the rule ${location.rule}.`,
        location
      }))
  ]
}

const markerOf = (part: Part | undefined) => `threat-exposure:leak-check${part === undefined ? "" : `:${part.key}`}`

/** Updates existing comments, but only creates one for a leak. A failure of GitHub only causes a warning. */
const writeComment = Effect.fnUntraced(function* (
  report: Report,
  { event, part }: Environment,
  inputs: Inputs,
  markdown: MarkdownOptions
) {
  const github = yield* GitHub
  const marker = markerOf(part)
  const token = inputs["github-token"]
  if (event._tag !== "PullRequest" || event.number === undefined) return
  if (token === undefined) {
    return yield* github.annotate({
      level: "warning",
      message: "The comment was not written: the input `github-token` is empty"
    })
  }
  const comments = github.commentsOf(event.number, token)
  const body =
    report.verdict === "clean"
      ? resolved(report, { marker, part: part?.name })
      : comment(report, { ...markdown, marker, part: part?.name })
  const find = comments.find(`<!-- ${marker} -->`)
  const create = report.verdict === "leaked" ? comments.create(body) : Effect.void
  const update = ({ id }: Comment) =>
    comments.update(id, body).pipe(
      Effect.catchIf(
        ({ status }) => status === 404,
        // The comment was deleted in the meantime, or GitHub hides that the token has no write access.
        (refusal) => Effect.flatMap(find, (left) => (left.length === 0 ? create : Effect.fail(refusal)))
      )
    )
  yield* find.pipe(
    Effect.flatMap((existing) =>
      existing.length === 0
        ? create
        : Effect.forEach(
            existing.filter((one) => report.verdict !== "skipped" && one.body !== body),
            update,
            { discard: true }
          )
    ),
    Effect.catch(({ message }) => github.annotate({ level: "warning", message }))
  )
})
