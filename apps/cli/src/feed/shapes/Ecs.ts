/** Elastic Common Schema 9, https://www.elastic.co/docs/reference/ecs. */
import { entitiesOf, type Passed } from "../Found.ts"
import { statedContent } from "./Native.ts"

export const ecs = (passed: Passed) => {
  const { item, kind, passedAt, summary, time, tlp, uid } = passed
  const { account, changed, link, severity, source, status, tags, title, type } = summary
  const severityNumber = severityNumbers[severity]
  const { addresses, hosts, users } = entitiesOf(passed)
  const related = { ...listField("user", users), ...listField("hosts", hosts), ...listField("ip", addresses) }
  return {
    "@timestamp": time,
    ecs: { version: "9.0.0" },
    message: title,
    event: {
      id: uid,
      kind: "alert",
      category: ["threat"],
      type: ["indicator"],
      action: changed === undefined ? "found" : "changed",
      module: "threat_exposure",
      dataset: `threat_exposure.${kind}`,
      created: passedAt,
      ...(severityNumber === undefined ? {} : { severity: severityNumber }),
      ...(link === undefined ? {} : { url: link }),
      ...(source === undefined ? {} : { provider: source })
    },
    labels: { severity, type, status },
    ...(tags === undefined ? {} : { tags }),
    ...(account === undefined ? {} : { user: account }),
    ...(Object.keys(related).length === 0 ? {} : { related }),
    ...(tlp === undefined
      ? {}
      : { threat: { indicator: { marking: { tlp: tlp.toUpperCase(), tlp_version: "2.0" } } } }),
    threat_exposure: { ...statedContent(passed), [kind]: item }
  }
}

const listField = (name: string, values: ReadonlyArray<string>) => (values.length === 0 ? {} : { [name]: values })

/** Risk scores that rules of Elastic Security use. */
const severityNumbers: Readonly<Record<string, number>> = { info: 1, low: 21, medium: 47, high: 73, critical: 99 }
