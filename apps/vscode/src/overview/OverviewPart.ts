/** Loaded when the overview is first shown: its counts and its page. */
export { Overview, overviewOf, startOfPeriod } from "./Overview.ts"
export { overviewPage, signedOutPage } from "./OverviewPage.ts"
