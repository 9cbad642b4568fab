// Imported before any schema is used, because it makes decoding several times faster.
import "effect/schema/SchemaJITCompiler/enable"
import "./credentials/CredentialLoader.ts"
import "./credentials/CredentialStoreSqlite.ts"
import "./events/EventLoader.ts"
import "./events/EventStoreSqlite.ts"
import "./IdentifierGroupStoreSqlite.ts"
import "./IdentifierStoreSqlite.ts"
import "./IntelStoreSqlite.ts"
import "./KeyStoreSqlite.ts"
import "./QuotaStoreSqlite.ts"
import "./MatchingPolicyStoreSqlite.ts"
import "./RecommendationLoader.ts"
import "./RecommendationStoreSqlite.ts"
import "./ReportStoreSqlite.ts"
import "./TenantStoreSqlite.ts"
import { serveProcedures } from "./database/ProcedureThread.ts"

serveProcedures()
