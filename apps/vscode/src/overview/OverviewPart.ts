/** Loaded when the overview is first shown: its counts and its page. */
export { startOfPeriod } from "./Overview.ts"
export { overviewBody } from "./OverviewBody.ts"
