/** Rows of the Leak Check view, and the text of its verdict. */
import { isBesideFiles } from "@threat-exposure/detect/git/BesideFiles"
import { severities } from "@threat-exposure/core/domain/Severity"
import type { Report, Subject as Asked, UnsearchedReason } from "@threat-exposure/leak-check/Report"
import { Effect } from "effect"
import { isSaid, severityIcon } from "../events/list/EventRow.ts"
import { capitalized, count, number, ofSeveral, t } from "../words/Localisation.ts"
import type { CommandLink } from "../editor/tree/Row.ts"
import { Subject } from "../editor/tree/Subject.ts"
import { TreeNode } from "../editor/tree/TreeNode.ts"
import { fileName } from "../editor/Uri.ts"
import {
  type Checked,
  evidenceLines,
  evidenceText,
  ignoredIcon,
  leakIcon,
  type LeakFinding,
  leakName,
  type LeakPlace,
  nameOfKind,
  nameOfLeak
} from "./LeakFinding.ts"

export class LeakSubject extends Subject {
  readonly finding: LeakFinding

  constructor(finding: LeakFinding) {
    super()
    this.finding = finding
  }
}

export const groupings = ["file", "secret", "severity"] as const
export type Grouping = (typeof groupings)[number]

/** Describes the verdict; never as clean if something was not searched. */
export const verdictText = (report: Report): string => {
  const leaks = report.leaks.filter(({ counts }) => counts).length
  const searches = count(report.searches, "{0} search.", "{0} searches.")
  switch (report.verdict) {
    case "leaked":
      return [t("{0} leaked.", number(leaks)), searches, leftText(report)].filter((part) => part !== "").join(" ")
    case "clean":
      return report.searches === 0 && report.planned.knownClean === 0
        ? t("Nothing here looks like a secret, so nothing was searched.")
        : `${t("No leak found.")} ${searches}`
    case "incomplete":
      return `${t("No leak found so far, but not everything was searched.")} ${searches} ${leftText(report)}`.trim()
    case "skipped":
      return t("Nothing was searched.")
  }
}

const leftText = ({ unsearched }: Report) => {
  const reasons = new Set(unsearched.map(({ reason, detail }) => whyUnsearched(reason, detail)[0]))
  return unsearched.length === 0 ? "" : t("{0} not searched: {1}.", number(unsearched.length), [...reasons].join(", "))
}

/** Whether the value is in the code, was replaced, or is being closed at the service. */
export type Closing = "present" | "replaced" | "closing"

export const leakNodes = (
  rows: ReadonlyArray<LeakFinding>,
  grouping: Grouping,
  closingOf: (fingerprint: string) => Closing = () => "present"
): ReadonlyArray<TreeNode> => {
  if (grouping === "secret") return rows.map((row) => leakNode("leaks", row, closingOf))
  const keys = (row: LeakFinding) =>
    grouping === "severity"
      ? [row.leak.ignored === null ? row.leak.severity : ignored]
      : row.places.length === 0
        ? [""]
        : [...new Set(row.places.map(({ path }) => path))]
  const groups = Map.groupBy(
    rows.flatMap((row) => keys(row).map((key) => ({ key, row }))),
    ({ key }) => key
  )
  // Sort by severity, highest first; groups by file keep their order.
  const inSeverity = [...groups].toSorted(([a], [b]) => severityRank(b) - severityRank(a))
  return (grouping === "severity" ? inSeverity : [...groups]).map(
    ([key, members]) =>
      new TreeNode(
        {
          id: `leaks:${grouping}:${key}`,
          label:
            key === ""
              ? t("Not in a file")
              : grouping === "severity"
                ? capitalized(key === ignored ? ofSeveral(key) : t(key))
                : key,
          description: number(members.length),
          icon:
            key === ignored
              ? ignoredIcon
              : grouping === "severity"
                ? severityIcon(key)
                : { id: key === "" ? "globe" : "file" },
          state: "open"
        },
        {
          children: Effect.sync(() =>
            (grouping === "file" ? inOrder(members, key) : members).map(({ row }) =>
              leakNode(`leaks:${grouping}:${key}`, row, closingOf, grouping === "file" ? key : undefined)
            )
          )
        }
      )
  )
}

/** Key of the group of ignored findings of any severity. */
const ignored = "ignored"

const severityRank = (key: string) => severities.findIndex((severity) => severity === key)

/** Sorts findings by their line in the file. */
const inOrder = <A extends { readonly row: LeakFinding }>(
  members: ReadonlyArray<A>,
  path: string
): ReadonlyArray<A> => {
  const line = ({ row }: A) => row.places.find((place) => place.path === path)?.line ?? 0
  return members.toSorted((a, b) => line(a) - line(b))
}

const leakNode = (
  owner: string,
  row: LeakFinding,
  closingOf: (fingerprint: string) => Closing,
  path?: string
): TreeNode => {
  const { leak } = row
  const places = path === undefined ? row.places : row.places.filter((place) => place.path === path)
  const [first] = places
  const line = first === undefined ? undefined : t("line {0}", first.line)
  const file = first === undefined || path !== undefined ? undefined : first.path
  const removed = isRemovedFrom(first) ? t("removed later") : undefined
  const [severity, name] = [leak.ignored === null ? t(leak.severity) : t("ignored"), nameOfLeak(row, path)]
  const { name: short, what } = leakName(row, path)
  const closing = closingOf(leak.fingerprint)
  const progress =
    closing === "closing" ? t("closing…") : closing === "replaced" ? t("no longer in the code") : undefined
  const place = file === undefined ? line : `${file}:${first?.line}`
  return new TreeNode(
    {
      id: `${owner}/${leak.fingerprint}`,
      // The editor truncates rows at the end. Below its file, the line number comes first, as in the editor's search
      // results.
      label: first === undefined || path === undefined ? short : `${first.line}: ${short}`,
      description: [
        file === undefined ? undefined : `${fileName(file)}:${first?.line}`,
        removed,
        progress,
        leak.ignored === null ? undefined : t("ignored"),
        evidenceText(leak),
        what
      ]
        .filter(isSaid)
        .join(" · "),
      // Repeats the description, which a narrow sidebar truncates.
      tooltip: () =>
        [name, [place, removed, progress].filter(isSaid).join(" · "), severity, ...evidenceLines(leak)]
          .filter(isSaid)
          .join("\n"),
      icon: closing === "closing" ? { id: "sync~spin" } : leakIcon(leak),
      state: places.length > 1 ? "closed" : "leaf",
      kinds: [
        "leak",
        ...(leak.events.length === 0 ? [] : ["withEvent"]),
        ...(leak.ignored === null ? ["counted"] : []),
        ...(closing === "replaced" ? ["replaced"] : [])
      ],
      accessibleLabel: [severity, name, place, removed, progress, evidenceText(leak)].filter(isSaid).join(", "),
      ...linkTo(first)
    },
    {
      subject: new LeakSubject(row),
      children: Effect.sync(() =>
        places.map((place) => {
          const { column, isRemoved = false, line, path } = place
          return new TreeNode({
            id: `${owner}/${leak.fingerprint}/${path}:${line}:${column}`,
            label: `${path}:${line}`,
            ...(isRemovedFrom(place) ? { description: t("removed later") } : {}),
            icon: { id: isRemoved ? "history" : "location" },
            state: "leaf",
            ...linkTo(place)
          })
        })
      )
    }
  )
}

/** Whether a later commit removed the line. Messages, notes and stashes cannot be removed by a commit. */
const isRemovedFrom = (place: LeakPlace | undefined): boolean => place?.isRemoved === true && !isBesideFiles(place.path)

/** Link to the line in the file, or in the version of its commit. */
const linkTo = (place: LeakPlace | undefined): { readonly command?: CommandLink } => {
  if (place === undefined || isBesideFiles(place.path)) return {}
  const { column, commit, isRemoved = false, line, uri } = place
  if (isRemoved && commit === undefined) return {}
  const args = isRemoved ? [uri, line, column, commit] : [uri, line, column]
  return { command: { name: "leaks.goTo", title: t("Go to Finding"), args } }
}

/** A short reason, and the next step. Only messages of the service are not translated. */
const whyUnsearched = (reason: UnsearchedReason, detail: string): readonly [why: string, more: string] => {
  switch (reason) {
    case "max-searches":
      return [t("over the search limit"), t("Check fewer files at once, or raise the limit in the settings.")]
    case "quota":
      return [t("search quota used up"), t("Wait until your organisation's search quota is renewed, or ask for more.")]
    case "deadline":
      return [t("time limit reached"), t("Check fewer files at once.")]
    case "error":
      return [t("the search failed"), t("The service could not answer: {0}", detail)]
    case "skipped":
      return [t("cancelled"), t("The check was cancelled before this was searched.")]
  }
}

export const restNodes = ({
  gaps,
  notices,
  report
}: Pick<Checked, "gaps" | "notices"> & {
  readonly report: Pick<Report, "ignore" | "unsearched">
}): ReadonlyArray<TreeNode> => [
  ...group(
    "unsearched",
    t("Not searched"),
    "circle-slash",
    report.unsearched.map(({ subject, reason, detail }) => {
      const [description, tooltip] = whyUnsearched(reason, detail)
      return { label: nameOfAsked(subject), description, tooltip }
    })
  ),
  ...group("gaps", t("Could not be read"), "warning", gaps.map(sentenceRow)),
  ...group("notices", t("Skipped on purpose"), "info", notices.map(sentenceRow)),
  ...group(
    "expired",
    t("Entries of the ignore file that no longer apply"),
    "history",
    report.ignore
      .filter(({ state }) => state === "expired")
      .map(({ reason, expires }) => ({ label: reason, description: t("expired {0}", expires), tooltip: reason }))
  )
]

const sentenceRow = (sentence: string) => ({ label: sentence, description: "", tooltip: sentence })

const nameOfAsked = (subject: Asked): string =>
  subject.type === "domain"
    ? subject.domain
    : [
        subject.names[0] ?? nameOfKind(subject.kind),
        ...subject.locations.slice(0, 1).map(({ path, line }) => `${path}:${line}`)
      ].join(" · ")

const group = (
  key: string,
  label: string,
  icon: string,
  rows: ReadonlyArray<{ readonly label: string; readonly description: string; readonly tooltip: string }>
): ReadonlyArray<TreeNode> =>
  rows.length === 0
    ? []
    : [
        new TreeNode(
          { id: `leaks:${key}`, label, description: number(rows.length), icon: { id: icon }, state: "closed" },
          {
            children: Effect.sync(() =>
              rows.map(
                (row, index) =>
                  new TreeNode({
                    id: `leaks:${key}/${index}`,
                    label: row.label,
                    description: row.description,
                    tooltip: () => row.tooltip,
                    icon: { id: "circle-small" },
                    state: "leaf"
                  })
              )
            )
          }
        )
      ]
