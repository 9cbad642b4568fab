/** The schema, oldest change first. */
import type { Migration } from "./Migration.ts"
import { firstSchema } from "./migrations/0014-first-schema.ts"
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
  firstSchema,
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
