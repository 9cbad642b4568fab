/** Questions for a search of events: query, filter and, to save it, a name. */
import type { EventQuery } from "@threat-exposure/core/domain/Event"
import { Effect } from "effect"
import type { Cancelled, Editor, TextQuestion } from "../../editor/Editor.ts"
import { form, stepsOf, within } from "../../editor/form/Form.ts"
import { filled } from "../../editor/form/Validation.ts"
import { t } from "../../words/Localisation.ts"
import { type EventFilter, noFilter } from "./EventFilter.ts"
import { filterStep } from "./EventFilterForm.ts"
import { noQuery, type QueryAnswers, queryOf, querySteps } from "./EventQueryForm.ts"
import { describeQuery, type SavedSearch } from "./SavedSearch.ts"

export const askSearch = (
  editor: Editor["Service"]
): Effect.Effect<{ readonly query: EventQuery; readonly filter: EventFilter }, Cancelled> => {
  const title = t("Search Events")
  interface Answers {
    readonly query: QueryAnswers
    readonly filter: EventFilter
  }
  return form<Answers>(
    [
      ...within<Answers, QueryAnswers>(querySteps(editor, title, "any"), {
        get: ({ query }) => query,
        set: (answers, query) => ({ ...answers, query })
      }),
      ...within<Answers, EventFilter>([filterStep(editor, title, "global")], {
        get: ({ filter }) => filter,
        set: (answers, filter) => ({ ...answers, filter })
      })
    ],
    { query: noQuery, filter: noFilter }
  ).pipe(Effect.map(({ filter, query }) => ({ filter, query: queryOf(query) })))
}

interface SavedAnswers {
  /** Whether to keep the query of the existing search. */
  readonly isKept: boolean
  readonly query: QueryAnswers
  readonly filter: EventFilter
  /** Undefined until the person enters it. */
  readonly name: string | undefined
}

/** Asks for a search to save, or for changes of `before`; `others` are searches whose names are taken. */
export const askSavedSearch = Effect.fnUntraced(function* (
  editor: Editor["Service"],
  before: SavedSearch | undefined,
  others: ReadonlyArray<SavedSearch>
): Effect.fn.Return<SavedSearch, Cancelled> {
  const title = before === undefined ? t("New Saved Search") : t("Edit Saved Search")
  const { pick, text } = stepsOf<SavedAnswers>(editor, title)
  const kept = before?.query
  const queryNow = ({ isKept, query }: SavedAnswers) => (isKept ? kept : queryOf(query))
  const answers = yield* form<SavedAnswers>(
    [
      pick<boolean>({
        isAsked: () => kept !== undefined,
        choices: () => [
          { label: t("Keep the query: {0}", kept === undefined ? "" : describeQuery(kept)), value: true },
          { label: t("Another query"), value: false }
        ],
        get: ({ isKept }) => isKept,
        set: (answers, isKept) => ({ ...answers, isKept })
      }),
      ...within<SavedAnswers, QueryAnswers>(querySteps(editor, title, "saved"), {
        isAsked: ({ isKept }) => !isKept,
        get: ({ query }) => query,
        set: (answers, query) => ({ ...answers, query })
      }),
      ...within<SavedAnswers, EventFilter>([filterStep(editor, title, "global")], {
        get: ({ filter }) => filter,
        set: (answers, filter) => ({ ...answers, filter })
      }),
      text({
        question: (answers) => {
          const query = queryNow(answers)
          const initial = before?.name ?? (query === undefined ? "" : describeQuery(query))
          return nameQuestion(answers.name ?? initial, others)
        },
        set: (answers, name) => ({ ...answers, name })
      })
    ],
    { isKept: kept !== undefined, query: noQuery, filter: before?.filters ?? noFilter, name: undefined }
  )
  const query = queryNow(answers)
  return {
    name: answers.name ?? "",
    ...(query === undefined ? {} : { query }),
    filters: answers.filter,
    ...(before?.order === undefined ? {} : { order: before.order })
  }
})

export const askName = (
  editor: Editor["Service"],
  search: SavedSearch,
  others: ReadonlyArray<SavedSearch>
): Effect.Effect<string, Cancelled> => {
  const initial = search.query === undefined ? "" : describeQuery(search.query)
  return editor.ask({ title: t("New Saved Search"), ...nameQuestion(initial, others) })
}

const nameQuestion = (value: string, others: ReadonlyArray<SavedSearch>): Partial<TextQuestion> => ({
  prompt: t("Name of the search"),
  value,
  check: (text) =>
    filled(text) ??
    (others.some((search) => search.name === text.trim()) ? t("A search with this name already exists") : undefined)
})
