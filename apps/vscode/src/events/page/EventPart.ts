/**
 * Bundle part that the first opened event loads: renders an event as HTML, Markdown or JSON, and searches the code for
 * its values.
 */
export { adviceOf } from "./EventAdvice.ts"
export { accountOf, pageOf } from "./EventData.ts"
export { eventDocument, termsOf } from "./EventDocument.ts"
export { eventHtml, failedHtml, loadingHtml } from "./EventHtml.ts"
export { eventJson } from "./EventJson.ts"
export { eventMarkdown } from "./EventMarkdown.ts"
export { checkValues } from "./EventValuesInCode.ts"
