/** Groups identifiers by group or type into folders, and adds rows that explain missing identifiers. */
import { isNotServed } from "@threat-exposure/core/client/ApiError"
import { Effect } from "effect"
import { type Failure, problemOf } from "../editor/Problem.ts"
import type { Icon } from "../editor/tree/Row.ts"
import { TreeNode } from "../editor/tree/TreeNode.ts"
import { iconOf } from "../register/IdentifierIcon.ts"
import type { KnownIdentifier } from "../register/KnownIdentifier.ts"
import type { IdentifierGroup } from "../register/Register.ts"
import { capitalized, number, t } from "../words/Localisation.ts"
import { nameOfType } from "../words/TypeNames.ts"
import { GroupSubject } from "./IdentifierRow.ts"

interface FolderOptions {
  /** Whether further identifiers are not loaded yet. */
  readonly hasMore: boolean
  readonly nodeOf: (identifier: KnownIdentifier) => TreeNode
}

export const inGroups = (
  known: ReadonlyArray<KnownIdentifier>,
  groups: ReadonlyArray<IdentifierGroup>,
  options: FolderOptions & { readonly showsEmpty: boolean }
): ReadonlyArray<TreeNode> => {
  const folders = groups.map(groupFolder).toSorted((a, b) => a.label.localeCompare(b.label))
  const empty = options.showsEmpty ? folders : []
  return inFolders("group", known, empty, (identifier) => folderOfGroup(identifier, folders), options)
}

export const inTypes = (known: ReadonlyArray<KnownIdentifier>, options: FolderOptions): ReadonlyArray<TreeNode> =>
  inFolders("type", known, [], ({ type }) => typeFolder(type), options)

/** Folders come first, then identifiers without a folder. */
const inFolders = (
  grouping: "group" | "type",
  known: ReadonlyArray<KnownIdentifier>,
  empty: ReadonlyArray<Folder>,
  folderOf: (identifier: KnownIdentifier) => Folder | undefined,
  { hasMore, nodeOf }: FolderOptions
): ReadonlyArray<TreeNode> => {
  const folders = new Map(empty.map((folder) => [folder.key, folder]))
  const members = Map.groupBy(known, (identifier) => {
    const folder = folderOf(identifier)
    if (folder !== undefined && !folders.has(folder.key)) folders.set(folder.key, folder)
    return folder?.key
  })
  return [
    ...Array.from(folders.values(), ({ group, icon, key, label }) => {
      const own = members.get(key) ?? []
      return new TreeNode(
        {
          id: `identifiers:${grouping}:${key}`,
          label,
          description: `${number(own.length)}${hasMore ? "+" : ""}`,
          icon,
          state: own.length === 0 ? "leaf" : "open",
          kinds: group === undefined ? [] : ["identifierGroup", "copyable"]
        },
        {
          ...(group === undefined ? {} : { subject: new GroupSubject(group) }),
          children: Effect.sync(() => own.map(nodeOf))
        }
      )
    }),
    ...(members.get(undefined) ?? []).map(nodeOf)
  ]
}

interface Folder {
  readonly key: string
  readonly label: string
  readonly icon: Icon
  readonly group?: IdentifierGroup
}

const groupFolder = (group: IdentifierGroup): Folder => ({
  key: String(group.id),
  label: group.name,
  icon: { id: "folder" },
  group
})

/** Folder of a group at the service or, for remembered identifiers, of a group in this editor. */
const folderOfGroup = ({ group, listed }: KnownIdentifier, folders: ReadonlyArray<Folder>): Folder | undefined => {
  if (listed === undefined)
    return group === undefined ? undefined : { key: group, label: group, icon: { id: "folder" } }
  const { group_id } = listed
  if (group_id === null) return undefined
  return (
    folders.find(({ key }) => key === String(group_id)) ?? {
      key: String(group_id),
      label: t("Group {0}", group_id),
      icon: { id: "folder" }
    }
  )
}

const typeFolder = (type: string | undefined): Folder => ({
  key: type ?? "",
  label: type === undefined ? t("Unknown type") : capitalized(nameOfType(type)),
  icon: iconOf(type)
})

export const noMatchRow = new TreeNode({
  id: "identifiers:nothing",
  get label() {
    return t("No identifier matches the filter.")
  },
  icon: { id: "pass" },
  state: "leaf"
})

export const noGroupsRow = (refusal: Failure): TreeNode =>
  new TreeNode({ id: "identifiers:noGroups", label: whyNoGroups(refusal), icon: { id: "info" }, state: "leaf" })

export const whyNoGroups = (refusal: Failure): string =>
  isNotServed(refusal) && refusal._tag !== "Forbidden"
    ? t("The service does not list groups.")
    : t("Groups are not shown: {0}", problemOf(refusal).message)
