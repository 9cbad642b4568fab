/** Bundle part that the first of these commands loads: questions and requests. */
import { Effect } from "effect"
import { Requests } from "./Requests.ts"

export { intelPage } from "./IntelAnswers.ts"
export { Requests }

export const requestCommands = {
  createReport: Effect.flatMap(Requests, ({ createReport }) => createReport),
  addUsers: Effect.flatMap(Requests, ({ addUsers }) => addUsers),
  askIntel: Effect.flatMap(Requests, ({ askIntel }) => askIntel),
  openReports: Effect.flatMap(Requests, ({ openReports }) => openReports)
}
