/** The questions for filters, searches and annotations of events, loaded with the first of them. */
export { askName, askSavedSearch, askSearch, editFilter } from "./EventFilterForm.ts"
export { askNote, askSeverity, askTags } from "../triage/TriageForm.ts"
