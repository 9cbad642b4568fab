/** Questions and requests of Create Report…, Add Users to Tenant… and Ask Threat Intelligence…. */
import { Intel } from "@threat-exposure/core/client/Intel"
import { Reports } from "@threat-exposure/core/client/Reports"
import { Tenants } from "@threat-exposure/core/client/Tenants"
import { Context, Effect, Layer, Option } from "effect"
import { filled, whole } from "../editor/form/Validation.ts"
import { Connections } from "../connection/Connections.ts"
import { type Cancelled, type Choice, Editor, type TextQuestion } from "../editor/Editor.ts"
import { form, type FormStep, stepsOf } from "../editor/form/Form.ts"
import { Pages } from "../editor/page/Pages.ts"
import { count, t } from "../words/Localisation.ts"
import { type Failure, NotPossible } from "../editor/Problem.ts"
import { followQuestion } from "./IntelAnswers.ts"
import { followReport, openReports, reportIds } from "./ReportFiles.ts"

type Request = Effect.Effect<void, Failure | Cancelled>

/** Each form remembers its answers until they are sent. */
export class Requests extends Context.Service<
  Requests,
  {
    readonly createReport: Request
    readonly addUsers: Request
    readonly askIntel: Request
    readonly openReports: Request
  }
>()("threat-exposure/requests/Requests") {
  static readonly layer = Layer.effect(
    Requests,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const editor = yield* Editor
  const connections = yield* Connections
  const context = yield* Effect.context<Connections | Editor | Pages>()
  const scope = yield* Effect.scope

  const report = makeForm(editor, t("Create Report"), ({ text }) => [
    text("title", () => ({ prompt: t("Title of the report"), check: filled })),
    text("author", () => ({ prompt: t("Author"), check: filled })),
    text("audience", () => ({ prompt: t("Audience, such as “technical”"), check: filled }), "technical"),
    text("ids", () => ({
      prompt: t("IDs of the report's elements, separated by commas (optional)"),
      check: wholeNumbers
    })),
    {
      ...text("interval", () => ({ prompt: t("Time interval, in the format of your service (optional)") })),
      isAsked: ({ ids = "" }) => words(ids).length > 0
    }
  ])
  const createReport = Effect.gen(function* () {
    const connection = yield* connections.asNow
    const { audience = "", author = "", ids = "", interval = "", title = "" } = yield* report.ask
    // The response does not identify the new report: compare with the ids that existed before.
    const known = yield* report.send(
      Effect.tap(
        Effect.orElseSucceed(reportIds(connection), () => undefined),
        () =>
          connection.send(
            Effect.flatMap(Reports, (service) =>
              service.create({
                title,
                author,
                audience,
                elements: numbers(ids).map((id, position) => ({
                  id,
                  position,
                  enabled: true,
                  sort_by: "custom",
                  time_interval: interval === "" ? undefined : interval
                }))
              })
            )
          )
      )
    )
    yield* Effect.forkDetach(editor.notify("info", t("The report “{0}” was requested.", title)))
    if (known !== undefined)
      yield* Effect.forkIn(Effect.provideContext(followReport(connection, title, known), context), scope)
  })

  const users = makeForm(editor, t("Add Users to Tenant"), ({ pick, text }) => [
    text("tenant", () => ({ prompt: t("Tenant ID"), check: whole })),
    text("ids", () => ({
      prompt: t("User IDs, separated by commas"),
      check: (typed) => filled(words(typed).join("")) ?? wholeNumbers(typed)
    })),
    text("role", () => ({ prompt: t("Role, such as “viewer”"), check: filled }), "viewer"),
    pick("access", [
      { label: t("Read-only access"), value: "read" },
      { label: t("Read and write access"), value: "write" }
    ])
  ])
  const addUsers = Effect.gen(function* () {
    const { send } = yield* connections.asNow
    const { access, ids = "", role = "", tenant = "" } = yield* users.ask
    const isReadonly = access === "read"
    const added = numbers(ids).map((user_id) => ({ user_id, is_readonly: isReadonly, role }))
    yield* editor.confirm(
      count(added.length, "Add {0} user to tenant {1}?", "Add {0} users to tenant {1}?", tenant),
      isReadonly
        ? t("With the role {0}, they can see everything in the tenant, and change nothing.", role)
        : t("With the role {0}, they can see and change everything in the tenant.", role),
      t("Add")
    )
    yield* users.send(
      send(Effect.flatMap(Tenants, (service) => service.addUsers(Number(tenant), { users: added }))).pipe(
        Effect.catchTag("NotFound", () => Effect.fail(new NotPossible({ message: t("Tenant {0} not found.", tenant) })))
      )
    )
    yield* Effect.forkDetach(
      editor.notify(
        "info",
        count(added.length, "{0} user was added to tenant {1}.", "{0} users were added to tenant {1}.", tenant)
      )
    )
  })

  const intel = makeForm(editor, t("Ask Threat Intelligence"), ({ text }) => [
    text("question", () => ({ prompt: t("Your question"), check: filled })),
    text("tone", () => ({ prompt: t("Tone, such as “analytical”"), check: filled }), "analytical")
  ])
  const askIntel = Effect.gen(function* () {
    const connection = yield* connections.asNow
    const { question = "", tone = "" } = yield* intel.ask
    const { request_id } = yield* intel.send(
      connection.send(Effect.flatMap(Intel, (service) => service.ask({ question, tone })))
    )
    const copyAgain = t("Copy Again")
    yield* editor.copy(request_id)
    yield* editor
      .notify(
        "info",
        t("Request {0} sent; its ID is in the clipboard. A message follows when there is an answer.", request_id),
        copyAgain
      )
      .pipe(
        Effect.flatMap((answer) => (Option.isSome(answer) ? editor.copy(request_id) : Effect.void)),
        Effect.forkDetach
      )
    yield* Effect.forkIn(Effect.provideContext(followQuestion(connection, request_id), context), scope)
  })

  return Requests.of({
    createReport,
    addUsers,
    askIntel,
    openReports: Effect.provideContext(openReports, context)
  })
})

/** Answers by the name of their question. */
type Answers = Readonly<Partial<Record<string, string>>>

interface Steps {
  /** Trims the answer; `initial` is the default of the first time. */
  readonly text: (name: string, question: () => Partial<TextQuestion>, initial?: string) => FormStep<Answers>
  readonly pick: (name: string, choices: ReadonlyArray<Choice<string>>) => FormStep<Answers>
}

/** A form that offers its earlier answers until all of them are sent. */
const makeForm = (
  editor: Editor["Service"],
  title: string,
  stepsWith: (kinds: Steps) => ReadonlyArray<FormStep<Answers>>
) => {
  let answers: Answers = {}
  const { pick, text } = stepsOf<Answers>(editor, title)
  const steps = stepsWith({
    text: (name, question, initial) =>
      text({
        question: (given) => ({ ...question(), value: given[name] ?? initial }),
        set: (given, typed) => ({ ...given, [name]: typed.trim() })
      }),
    pick: (name, choices) =>
      pick<string>({
        choices: () => choices,
        get: (given) => given[name],
        set: (given, value) => ({ ...given, [name]: value })
      })
  })
  const keepAnswers = (given: Answers) => {
    answers = given
  }
  const rememberStep = ({ ask, isAsked }: FormStep<Answers>): FormStep<Answers> => ({
    isAsked,
    ask: (given, at, keep) => {
      const both = (typed: Answers) => {
        keepAnswers(typed)
        keep(typed)
      }
      return Effect.tap(ask(given, at, both), (next) => Effect.sync(() => keepAnswers(next)))
    }
  })
  return {
    ask: Effect.suspend(() => form(steps.map(rememberStep), answers)),
    send: <A, E>(effect: Effect.Effect<A, E>) =>
      Effect.tap(
        editor.progress(title, () => effect),
        () => Effect.sync(() => keepAnswers({}))
      )
  }
}

const words = (text: string) => text.split(/[\s,;]+/u).filter((word) => word !== "")

const numbers = (text: string) => words(text).map(Number)

const wholeNumbers = (text: string) =>
  words(text).every((word) => whole(word) === undefined) ? undefined : t("Enter whole numbers, separated by commas")
