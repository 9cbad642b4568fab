/** A database thread: runs the procedures of every store. */
// Must run before any schema is used: it makes decoding several times faster.
import "effect/schema/SchemaJITCompiler/enable"
import { credentialProcedures } from "./credentials/CredentialStoreSqlite.ts"
import { eventProcedures } from "./events/EventStoreSqlite.ts"
import { identifierGroupProcedures } from "./IdentifierGroupStoreSqlite.ts"
import { identifierProcedures } from "./IdentifierStoreSqlite.ts"
import { intelProcedures } from "./IntelStoreSqlite.ts"
import { keyProcedures } from "./KeyStoreSqlite.ts"
import { quotaProcedures } from "./QuotaStoreSqlite.ts"
import { matchingPolicyProcedures } from "./MatchingPolicyStoreSqlite.ts"
import { prepareRecommendations } from "./RecommendationLoader.ts"
import { recommendationProcedures } from "./RecommendationStoreSqlite.ts"
import { reportProcedures } from "./ReportStoreSqlite.ts"
import { sampleProcedures } from "./SampleStoreSqlite.ts"
import { checkReading, checkWriting } from "./database/Procedure.ts"
import { serveProcedures } from "./database/ProcedureThread.ts"
import { tenantProcedures } from "./TenantStoreSqlite.ts"

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
