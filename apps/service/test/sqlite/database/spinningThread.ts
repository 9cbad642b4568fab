/** A database thread for SlicedSearch.test.ts. */
import { serveProcedures } from "@threat-exposure/service/sqlite/database/ProcedureThread"
import "./SpinProcedure.ts"

serveProcedures()
