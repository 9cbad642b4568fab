/** Bundle part that the first display of the overview loads: counts and page. */
export { startOfPeriod } from "./Overview.ts"
export { overviewBody } from "./OverviewBody.ts"
