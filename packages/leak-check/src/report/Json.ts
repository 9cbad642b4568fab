import { Schema } from "effect"
import { Report } from "../Report.ts"

/** The content of `report.json`; `schemas/report.schema.json` describes it. */
export const json = (report: Report): string => `${JSON.stringify(encode(report), null, 2)}\n`

const encode = Schema.encodeSync(Report)
