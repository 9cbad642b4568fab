/** The workspace that a sample VS Code opens: the shop of the demo with its pull request checked out, and settings to look at it with. */
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { leakedSecrets } from "@threat-exposure/sample/LeakedSecrets"
import { makeSampleRepository } from "./sampleRepository.ts"

/** Creates it again in `root`, with one change that is not committed. */
export const sampleWorkspace = (root: string): string => {
  makeSampleRepository(root, {
    databasePassword: leakedSecrets.databasePassword.value,
    accessKeyId: leakedSecrets.accessKeyId.value,
    secretAccessKey: leakedSecrets.secretAccessKey.value,
    paymentsToken: leakedSecrets.paymentsToken.value,
    sourceHostToken: leakedSecrets.sourceHostToken.value,
    unseenPassword: ["Unseen", "lantern", "4417", "quay!"].join("-")
  })
  appendFileSync(join(root, "README.md"), "\nThe database has one user, orchard.\n")
  return root
}

export const sampleSettings = {
  // The sample service has no limit of its own, as deployed ones have.
  "threatExposure.requests.searchesPerSecond": 10,
  "threatExposure.requests.callsPerSecond": 50,
  "threatExposure.savedSearches": [
    { name: "Everything on example.com", query: { type: "domain", fqdn: "example.com" } },
    {
      name: "Severe: stealer logs and ransom leaks",
      query: { type: "domain", fqdn: "example.com" },
      filters: { severity: "high", type: ["stealer_log", "ransomleak", "bot"] }
    }
  ]
}
