// Imported before any schema is used, because it makes decoding several times faster.
import "effect/schema/SchemaJITCompiler/enable"
// Defines the procedures of all stores.
import "./Sqlite.ts"
import { serveProcedures } from "./database/ProcedureThread.ts"

serveProcedures()
