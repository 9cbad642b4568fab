/** Create Report…, Add Users to Tenant… and Ask Threat Intelligence…. */
import { Intel } from "@threat-exposure/core/client/Intel"
import { Reports } from "@threat-exposure/core/client/Reports"
import { Tenants } from "@threat-exposure/core/client/Tenants"
import { Effect, Layer, Option } from "effect"
import { filled, whole } from "../Checks.ts"
import { Commands } from "../Commands.ts"
import { Connections } from "../connection/Connections.ts"
import { Editor } from "../Editor.ts"
import { count, t } from "../Localisation.ts"

const numbers = (text: string) =>
  text
    .split(/[\s,;]+/u)
    .filter((word) => word !== "")
    .map(Number)

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const connections = yield* Connections

    yield* commands.on(
      "createReport",
      Effect.fnUntraced(function* () {
        const title = t("Create Report")
        const name = yield* editor.ask({ title, prompt: t("Title of the report"), check: filled })
        const author = yield* editor.ask({ title, prompt: t("Author"), check: filled })
        const audience = yield* editor.ask({
          title,
          prompt: t("Audience; “technical” is the one the service's specification shows"),
          value: "technical",
          check: filled
        })
        const ids = yield* editor.ask({
          title,
          prompt: t("Numbers of the report's elements, separated by commas; empty for none"),
          check: (text) => (numbers(text).every(Number.isSafeInteger) ? undefined : t("These are not whole numbers"))
        })
        const chosen = numbers(ids)
        const interval =
          chosen.length === 0
            ? ""
            : yield* editor.ask({ title, prompt: t("Time interval, as your service writes it; may be empty") })
        yield* editor.progress(title, () =>
          connections.ask(
            Effect.flatMap(Reports, (service) =>
              service.create({
                title: name.trim(),
                author: author.trim(),
                audience: audience.trim(),
                elements: chosen.map((id, position) => ({
                  id,
                  position,
                  enabled: true,
                  sort_by: "custom",
                  time_interval: interval.trim() === "" ? undefined : interval.trim()
                }))
              })
            )
          )
        )
        yield* Effect.forkDetach(editor.notify("info", t("The report {0} was asked for.", name.trim())))
      })
    )

    yield* commands.on(
      "addUsers",
      Effect.fnUntraced(function* () {
        const title = t("Add Users to Tenant")
        const tenant = yield* editor.ask({ title, prompt: t("Number of the tenant"), check: whole })
        const ids = yield* editor.ask({
          title,
          prompt: t("Numbers of the users, separated by commas"),
          check: (text) =>
            numbers(text).length > 0 && numbers(text).every(Number.isSafeInteger)
              ? undefined
              : t("These are not whole numbers")
        })
        const role = yield* editor.ask({
          title,
          prompt: t("Role; “viewer” is the one the service's specification shows"),
          value: "viewer",
          check: filled
        })
        const isReadonly = yield* editor.pick(
          [
            { label: t("They may only read"), value: true },
            { label: t("They may change things"), value: false }
          ],
          { title }
        )
        const users = numbers(ids).map((user_id) => ({ user_id, is_readonly: isReadonly, role: role.trim() }))
        yield* editor.confirm(
          count(users.length, "Add {0} user to the tenant?", "Add {0} users to the tenant?"),
          t("Tenant {0}, role {1}. They see what the tenant sees.", tenant.trim(), role.trim()),
          t("Add")
        )
        yield* editor.progress(title, () =>
          connections.ask(Effect.flatMap(Tenants, (service) => service.addUsers(Number(tenant), { users })))
        )
        yield* Effect.forkDetach(
          editor.notify("info", count(users.length, "{0} user was added.", "{0} users were added."))
        )
      })
    )

    yield* commands.on(
      "askIntel",
      Effect.fnUntraced(function* () {
        const title = t("Ask Threat Intelligence")
        const question = yield* editor.ask({ title, prompt: t("Your question"), check: filled })
        const tone = yield* editor.ask({
          title,
          prompt: t("Tone; “analytical” is the one the service's specification shows"),
          value: "analytical",
          check: filled
        })
        const { request_id } = yield* editor.progress(title, () =>
          connections.ask(
            Effect.flatMap(Intel, (service) => service.ask({ question: question.trim(), tone: tone.trim() }))
          )
        )
        const copyAgain = t("Copy Again")
        yield* editor.copy(request_id)
        yield* editor
          .notify(
            "info",
            t(
              "The request is {0}; its id is in the clipboard. The answer appears in the service's web application.",
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
