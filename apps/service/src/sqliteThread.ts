/** A database thread of the service: it runs the procedures of every store. */
// Before any schema is used: lines and rows are decoded several times faster.
import "effect/schema/SchemaJITCompiler/enable"
import { credentialProcedures } from "./credentials/CredentialStoreSqlite.ts"
import { loadEventsJob, prepareEvents } from "./events/EventLoader.ts"
import { eventJob, eventPageJob } from "./events/EventPages.ts"
import { identifierGroupProcedures } from "./identifier-groups/IdentifierGroups.ts"
import { createIdentifierJob } from "./identifiers/IdentifierInserts.ts"
import { intelProcedures } from "./intel/Intel.ts"
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
import { recommendationProcedures } from "./recommendations/RecommendationStoreSqlite.ts"
import { reportProcedures } from "./reports/Reports.ts"
import { loadSampleJob } from "./sample/SampleLoad.ts"
import { checkReading, checkWriting } from "./sqlite/Procedure.ts"
import { serveProcedures } from "./sqlite/ProcedureThread.ts"
import { tenantProcedures } from "./tenants/Tenants.ts"

serveProcedures([
  ...credentialProcedures,
  ...quotaProcedures,
  ...tenantProcedures,
  ...reportProcedures,
  ...recommendationProcedures,
  ...intelProcedures,
  ...identifierGroupProcedures,
  assignmentsJob,
  assignPolicyJob,
  checkReading,
  checkWriting,
  createIdentifierJob,
  createKey,
  createPolicyJob,
  deletePolicyJob,
  eventJob,
  eventPageJob,
  loadEventsJob,
  loadSampleJob,
  policiesOfIdentifierJob,
  prepareEvents,
  prepareRecommendations,
  revokeKey,
  writeKeyUses
])
