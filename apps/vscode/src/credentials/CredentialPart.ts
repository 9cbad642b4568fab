/** Loaded with the first search of credentials: renders its results and single credentials. */
export { credentialDocument, credentialJson } from "./CredentialDocument.ts"
export { credentialHtml, credentialsHtml, goneHtml, type SearchState } from "./CredentialHtml.ts"
export { credentialMarkdown, credentialsMarkdown } from "./CredentialMarkdown.ts"
