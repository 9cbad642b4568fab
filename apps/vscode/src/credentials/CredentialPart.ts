/** Bundle part that the first credential search loads: renders results and single credentials. */
export { credentialDocument, credentialJson } from "./CredentialDocument.ts"
export {
  credentialHtml,
  credentialsHtml,
  defaultView,
  goneHtml,
  type SearchFields,
  type SearchState,
  type TableView
} from "./CredentialHtml.ts"
export { emptyForm, requestOf, valuesOf } from "./CredentialSearchForm.ts"
export { credentialMarkdown, credentialsMarkdown } from "./CredentialMarkdown.ts"
