/** Bundle part with the questions for filters, searches and annotations of events, loaded with the first of them. */
export { editFilter } from "./EventFilterForm.ts"
export { askName, askSavedSearch, askSearch } from "./SavedSearchForm.ts"
export { askNote, askSeverity, askTags } from "../triage/TriageForm.ts"
