/** Open Cybersecurity Schema Framework 1.9, class Detection Finding, https://schema.ocsf.io/1.9.0/classes/detection_finding. */
import { member, text } from "../../export/Records.ts"
import { descriptionOf, emailAddress, entitiesOf, type Passed } from "../Found.ts"
import { statedContent } from "./Native.ts"

export const ocsf = (passed: Passed) => {
  const { item, kind, passedAt, summary, tlp, uid } = passed
  const { account, changed, link, note, severity, source, tags = [], title, type } = summary
  const [statusId, statusCaption] = statuses[summary.status]
  const [activityId, activity] =
    changed === undefined ? activities.create : summary.status === "remediated" ? activities.close : activities.update
  const milliseconds = Date.parse(passed.time)
  const passedAtMilliseconds = Date.parse(passedAt)
  const [severityId, caption] = severities[severity] ?? (severity === "" ? [0, "Unknown"] : [99, severity])
  const description = descriptionOf(passed)
  const labels = [...(tlp === undefined ? [] : [`TLP:${tlp.toUpperCase()}`]), ...tags]
  const observables = observablesOf(passed)
  const resources = resourcesOf(item)
  return {
    category_uid: 2,
    category_name: "Findings",
    class_uid: 2004,
    class_name: "Detection Finding",
    activity_id: activityId,
    activity_name: activity,
    type_uid: 200400 + activityId,
    type_name: `Detection Finding: ${activity}`,
    severity_id: severityId,
    severity: caption,
    status_id: statusId,
    status: statusCaption,
    is_alert: true,
    time: changed === undefined ? milliseconds : passedAtMilliseconds,
    message: title,
    metadata: {
      version: "1.9.0",
      uid,
      logged_time: passedAtMilliseconds,
      product: { name: "Threat Exposure", vendor_name: "Threat Exposure" },
      ...(labels.length === 0 ? {} : { labels })
    },
    finding_info: {
      uid,
      title,
      types: [type],
      created_time: milliseconds,
      first_seen_time: milliseconds,
      ...(changed === undefined ? {} : { modified_time: passedAtMilliseconds }),
      ...(description === undefined ? {} : { desc: description }),
      ...(link === undefined ? {} : { src_url: link }),
      ...(source === undefined ? {} : { data_sources: [source] })
    },
    ...(account === undefined
      ? {}
      : {
          evidences: [
            {
              user: {
                name: account.name,
                email_addr: account.email !== undefined && emailAddress.test(account.email) ? account.email : undefined,
                domain: account.domain
              }
            }
          ]
        }),
    ...(observables.length === 0 ? {} : { observables }),
    ...(resources.length === 0 ? {} : { resources }),
    ...(note === undefined ? {} : { notes: [{ comment: note }] }),
    unmapped: { ...statedContent(passed), [kind]: item }
  }
}

/** Repeats accounts, hosts and addresses for readers that ignore evidence. */
const observablesOf = (passed: Passed) => {
  const { addresses, hosts, users } = entitiesOf(passed)
  return [
    ...users.map((value) => ({ name: "user.name", type_id: 4, type: "User Name", value })),
    ...hosts.map((value) => ({ name: "hostname", type_id: 1, type: "Hostname", value })),
    ...addresses.map((value) => ({ name: "ip", type_id: 2, type: "IP Address", value }))
  ]
}

/** Identifiers of the tenant that match the event. */
const resourcesOf = (item: unknown) => {
  const identifiers = member(item, "identifiers")
  return Array.isArray(identifiers)
    ? identifiers.flatMap((identifier) => {
        const uid = text(member(identifier, "id"))
        const name = text(member(identifier, "name"))
        return uid === "" ? [] : [{ uid, type: "Identifier", ...(name === "" ? {} : { name }) }]
      })
    : []
}

const activities = { create: [1, "Create"], update: [2, "Update"], close: [3, "Close"] } as const

const statuses = { new: [1, "New"], ignored: [3, "Suppressed"], remediated: [4, "Resolved"] } as const

const severities: Readonly<Record<string, readonly [id: number, caption: string]>> = {
  info: [1, "Informational"],
  low: [2, "Low"],
  medium: [3, "Medium"],
  high: [4, "High"],
  critical: [5, "Critical"]
}
