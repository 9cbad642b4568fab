/** A database thread of the service: it runs the procedures of every store. */
// Before any schema is used: lines and rows are decoded several times faster.
import "effect/schema/SchemaJITCompiler/enable"
import { credentialProcedures } from "./credentials/CredentialStoreSqlite.ts"
import { loadEventsJob, prepareEvents } from "./events/EventLoader.ts"
import { eventJob, eventPageJob } from "./events/EventPages.ts"
import { createIdentifierGroupJob } from "./identifier-groups/IdentifierGroupInserts.ts"
import { createIdentifierJob } from "./identifiers/IdentifierInserts.ts"
import { createIntelRequestJob } from "./intel/IntelRequestInserts.ts"
import { createKey, revokeKey, writeKeyUses } from "./keys/ApiKeys.ts"
import { quotaProcedures } from "./limits/QuotaStoreSqlite.ts"
import {
  assignmentsJob,
  assignPolicyJob,
  createPolicyJob,
  deletePolicyJob,
  policiesOfIdentifierJob
} from "./matching-policies/Policies.ts"
import { prepareRecommendations } from "./recommendations/RecommendationLoader.ts"
import { recommendationsJob } from "./recommendations/RecommendationPages.ts"
import { createReportJob } from "./reports/ReportInserts.ts"
import { loadSampleJob } from "./sample/SampleLoad.ts"
import { checkReading, checkWriting } from "./sqlite/Procedure.ts"
import { serveProcedures } from "./sqlite/ProcedureThread.ts"
import { addUsersJob } from "./tenants/TenantUserInserts.ts"

serveProcedures([
  ...credentialProcedures,
  ...quotaProcedures,
  addUsersJob,
  assignmentsJob,
  assignPolicyJob,
  checkReading,
  checkWriting,
  createIdentifierGroupJob,
  createIdentifierJob,
  createIntelRequestJob,
  createKey,
  createPolicyJob,
  createReportJob,
  deletePolicyJob,
  eventJob,
  eventPageJob,
  loadEventsJob,
  loadSampleJob,
  policiesOfIdentifierJob,
  prepareEvents,
  prepareRecommendations,
  recommendationsJob,
  revokeKey,
  writeKeyUses
])
