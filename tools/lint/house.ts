/** The house's own lint rules, as an oxlint plugin. Each has a test in test/lint. */
import { effectsRunAtTheEdge } from "./effectsRunAtTheEdge.ts"
import { folderOrder } from "./folderOrder.ts"
import { noAmbientInput } from "./noAmbientInput.ts"
import { noTypeAssertion } from "./noTypeAssertion.ts"
import { sentenceComments } from "./sentenceComments.ts"
import { tellingFileNames } from "./tellingFileNames.ts"

export default {
  meta: { name: "house" },
  rules: {
    "effects-run-at-the-edge": effectsRunAtTheEdge,
    "folder-order": folderOrder,
    "no-ambient-input": noAmbientInput,
    "no-type-assertion": noTypeAssertion,
    "sentence-comments": sentenceComments,
    "telling-file-names": tellingFileNames
  }
}
