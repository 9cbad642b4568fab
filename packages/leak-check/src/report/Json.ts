import type { Report } from "../Report.ts"

/** The content of `report.json`, which `schemas/report.schema.json` describes. */
export const json = (report: Report): string => `${JSON.stringify(report, null, 2)}\n`
