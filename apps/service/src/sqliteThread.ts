/** A database thread: runs the procedures of every store. */
// Must run before any schema is used: it makes decoding several times faster.
import "effect/schema/SchemaJITCompiler/enable"
import { credentialProcedures } from "./credentials/CredentialStoreSqlite.ts"
import { eventProcedures } from "./events/EventStoreSqlite.ts"
import { identifierGroupProcedures } from "./identifier-groups/IdentifierGroups.ts"
import { identifierProcedures } from "./identifiers/IdentifierStoreSqlite.ts"
import { intelProcedures } from "./intel/Intel.ts"
import { keyProcedures } from "./keys/KeyStoreSqlite.ts"
import { quotaProcedures } from "./limits/QuotaStoreSqlite.ts"
import { matchingPolicyProcedures } from "./matching-policies/MatchingPolicyStoreSqlite.ts"
import { prepareRecommendations } from "./recommendations/RecommendationLoader.ts"
import { recommendationProcedures } from "./recommendations/RecommendationStoreSqlite.ts"
import { reportProcedures } from "./reports/Reports.ts"
import { sampleProcedures } from "./sample/SampleStoreSqlite.ts"
import { checkReading, checkWriting } from "./sqlite/Procedure.ts"
import { serveProcedures } from "./sqlite/ProcedureThread.ts"
import { tenantProcedures } from "./tenants/Tenants.ts"

serveProcedures([
  ...credentialProcedures,
  ...eventProcedures,
  ...identifierProcedures,
  ...matchingPolicyProcedures,
  ...quotaProcedures,
  ...sampleProcedures,
  ...tenantProcedures,
  ...reportProcedures,
  ...recommendationProcedures,
  ...intelProcedures,
  ...identifierGroupProcedures,
  checkReading,
  ...keyProcedures,
  checkWriting,
  prepareRecommendations
])
