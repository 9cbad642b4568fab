/** What the first event that is opened loads: what writes it as a page, as Markdown and as JSON, and looks for its values. */
export { eventDocument, termsOf } from "./EventDocument.ts"
export { eventHtml, failedHtml, loadingHtml } from "./EventHtml.ts"
export { eventJson } from "./EventJson.ts"
export { eventMarkdown } from "./EventMarkdown.ts"
export { checkValues } from "./EventValuesInCode.ts"
