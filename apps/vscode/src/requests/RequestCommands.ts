/** Create Report…, Add Users to Tenant… and Ask Threat Intelligence…. */
import { Intel } from "@threat-exposure/core/client/Intel"
import { Reports } from "@threat-exposure/core/client/Reports"
import { Tenants } from "@threat-exposure/core/client/Tenants"
import { Effect, Layer, Option } from "effect"
import { filled, whole } from "../editor/Validation.ts"
import { Commands } from "../editor/Commands.ts"
import { Connections } from "../connection/Connections.ts"
import { Editor } from "../editor/Editor.ts"
import { count, t } from "../words/Localisation.ts"
import { NotPossible } from "../editor/Problem.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const connections = yield* Connections

    const report = makeForm(editor, t("Create Report"))
    yield* commands.on(
      "createReport",
      Effect.fnUntraced(function* () {
        const name = yield* report.ask(t("Title of the report"), { check: filled })
        const author = yield* report.ask(t("Author"), { check: filled })
        const audience = yield* report.ask(t("Audience, such as “technical”"), { value: "technical", check: filled })
        const ids = yield* report.ask(t("IDs of the report's elements, separated by commas (optional)"), {
          check: wholeNumbers
        })
        const chosen = numbers(ids)
        const interval =
          chosen.length === 0 ? "" : yield* report.ask(t("Time interval, as your service writes it; may be empty"), {})
        yield* report.send(
          connections.send(
            Effect.flatMap(Reports, (service) =>
              service.create({
                title: name,
                author,
                audience,
                elements: chosen.map((id, position) => ({
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
        yield* Effect.forkDetach(editor.notify("info", t("The report “{0}” was requested.", name)))
      })
    )

    const users = makeForm(editor, t("Add Users to Tenant"))
    yield* commands.on(
      "addUsers",
      Effect.fnUntraced(function* () {
        const tenant = yield* users.ask(t("Tenant ID"), { check: whole })
        const ids = yield* users.ask(t("User IDs, separated by commas"), {
          check: (text) => filled(words(text).join("")) ?? wholeNumbers(text)
        })
        const role = yield* users.ask(t("Role, such as “viewer”"), { value: "viewer", check: filled })
        const isReadonly = yield* editor.pick(
          [
            { label: t("They may only read"), value: true },
            { label: t("They may change things"), value: false }
          ],
          { title: t("Add Users to Tenant") }
        )
        const added = numbers(ids).map((user_id) => ({ user_id, is_readonly: isReadonly, role }))
        yield* editor.confirm(
          count(added.length, "Add {0} user to tenant {1}?", "Add {0} users to tenant {1}?", tenant),
          isReadonly
            ? t("As {0}, they will see whatever the tenant sees, and change nothing.", role)
            : t("As {0}, they will see whatever the tenant sees, and may change things.", role),
          t("Add")
        )
        yield* users.send(
          connections
            .send(Effect.flatMap(Tenants, (service) => service.addUsers(Number(tenant), { users: added })))
            .pipe(
              Effect.catchTag("NotFound", () =>
                Effect.fail(new NotPossible({ message: t("Tenant {0} not found.", tenant) }))
              )
            )
        )
        yield* Effect.forkDetach(
          editor.notify(
            "info",
            count(added.length, "{0} user was added to tenant {1}.", "{0} users were added to tenant {1}.", tenant)
          )
        )
      })
    )

    const intel = makeForm(editor, t("Ask Threat Intelligence"))
    yield* commands.on(
      "askIntel",
      Effect.fnUntraced(function* () {
        const question = yield* intel.ask(t("Your question"), { check: filled })
        const tone = yield* intel.ask(t("Tone, such as “analytical”"), { value: "analytical", check: filled })
        const { request_id } = yield* intel.send(
          connections.send(Effect.flatMap(Intel, (service) => service.ask({ question, tone })))
        )
        const copyAgain = t("Copy Again")
        yield* editor.copy(request_id)
        yield* editor
          .notify(
            "info",
            t(
              "Request {0} sent; its ID is in the clipboard. The answer appears in the service's web application.",
              request_id
            ),
            copyAgain
          )
          .pipe(
            Effect.flatMap((answer) => (Option.isSome(answer) ? editor.copy(request_id) : Effect.void)),
            Effect.forkDetach
          )
      })
    )
  })
)

/** Questions one after the other. What was typed stands there again the next time, until all of it has been sent. */
const makeForm = (editor: Editor["Service"], title: string) => {
  const typed = new Map<string, string>()
  return {
    /** Without the space around it. */
    ask: (
      prompt: string,
      { check, value }: { readonly value?: string; readonly check?: (text: string) => string | undefined }
    ) =>
      Effect.map(
        editor.ask({
          title,
          prompt,
          value: typed.get(prompt) ?? value,
          check,
          typed: (text) => typed.set(prompt, text)
        }),
        (text) => text.trim()
      ),
    send: <A, E>(effect: Effect.Effect<A, E>) =>
      Effect.tap(
        editor.progress(title, () => effect),
        () => Effect.sync(() => typed.clear())
      )
  }
}

const words = (text: string) => text.split(/[\s,;]+/u).filter((word) => word !== "")

const numbers = (text: string) => words(text).map(Number)

const wholeNumbers = (text: string) =>
  words(text).every((word) => whole(word) === undefined) ? undefined : t("Enter whole numbers, separated by commas")
