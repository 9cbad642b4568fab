/** What the first look at the overview loads: what it counts, and its page. */
export { overviewOf } from "./Overview.ts"
export { overviewPage, signedOutPage } from "./OverviewPage.ts"
