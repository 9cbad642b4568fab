/** A database thread for SlicedSearch.test.ts. */
import { serveProcedures } from "@threat-exposure/service/sqlite/database/ProcedureThread"
import { spin } from "./SpinProcedure.ts"

serveProcedures([spin])
