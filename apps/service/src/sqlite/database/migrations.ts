/** The schema, oldest change first. */
import type { Migration } from "./Migration.ts"
import { accessSchema } from "./migrations/0001-access.ts"
import { credentialsSchema } from "./migrations/0002-credentials.ts"
import { eventsSchema } from "./migrations/0003-events.ts"
import { tenantsSchema } from "./migrations/0004-tenants.ts"
import { identifierChangesSchema } from "./migrations/0005-identifier-changes.ts"
import { keyDetails } from "./migrations/0006-key-details.ts"
import { eventOrderSchema } from "./migrations/0007-event-order.ts"
import { eventsByTimeSchema } from "./migrations/0008-events-by-time.ts"
import { keyFormatSchema } from "./migrations/0009-key-format.ts"
import { eventAnalysisSchema } from "./migrations/0010-event-analysis.ts"
import { generationsSchema } from "./migrations/0011-generations.ts"
import { restoresSchema } from "./migrations/0012-restores.ts"
import { identifierCreationsSchema } from "./migrations/0013-identifier-creations.ts"
import { keyNumbersSchema } from "./migrations/0014-key-numbers.ts"
import { keySealsSchema } from "./migrations/0015-key-seals.ts"
import { severityOverridesSchema } from "./migrations/0016-severity-overrides.ts"
import { eventsOfTenantSchema } from "./migrations/0017-events-of-tenant.ts"
import { eventCountsSchema } from "./migrations/0018-event-counts.ts"
import { arrivalsSchema } from "./migrations/0019-arrivals.ts"
import { credentialStatesSchema } from "./migrations/0020-credential-states.ts"
import { monitoredIdentifiersSchema } from "./migrations/0021-monitored-identifiers.ts"
import { intelAnswersSchema } from "./migrations/0022-intel-answers.ts"
import { credentialTermRunsSchema } from "./migrations/0023-credential-term-runs.ts"
import { policyCleaningsSchema } from "./migrations/0024-policy-cleanings.ts"
import { cheapEventCountsSchema } from "./migrations/0025-cheap-event-counts.ts"

export const migrations: ReadonlyArray<Migration> = [
  accessSchema,
  credentialsSchema,
  eventsSchema,
  tenantsSchema,
  identifierChangesSchema,
  keyDetails,
  eventOrderSchema,
  eventsByTimeSchema,
  keyFormatSchema,
  eventAnalysisSchema,
  generationsSchema,
  restoresSchema,
  identifierCreationsSchema,
  keyNumbersSchema,
  keySealsSchema,
  severityOverridesSchema,
  eventsOfTenantSchema,
  eventCountsSchema,
  arrivalsSchema,
  credentialStatesSchema,
  monitoredIdentifiersSchema,
  intelAnswersSchema,
  credentialTermRunsSchema,
  policyCleaningsSchema,
  cheapEventCountsSchema
]
