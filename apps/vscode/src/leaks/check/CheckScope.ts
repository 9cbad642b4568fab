/** The scope of a check: its files or text. */
import type { OpenText } from "../../editor/Editor.ts"
import { t } from "../../words/Localisation.ts"

export type Scope =
  | { readonly _tag: "Selection" | "File"; readonly open: OpenText }
  | { readonly _tag: "Changes"; readonly folder: Folder }
  /** Limited to the path `below` the folder, unless it is missing or empty. */
  | { readonly _tag: "Workspace"; readonly folder: Folder; readonly below?: string }

export interface Folder {
  readonly uri: string
  readonly name: string
}

export const titleOf = (scope: Scope): string => {
  switch (scope._tag) {
    case "Selection":
      return t("Selection in {0}", scope.open.path)
    case "File":
      return scope.open.path
    case "Changes":
      return t("Changes in {0}", scope.folder.name)
    case "Workspace":
      return scope.below === undefined || scope.below === "" ? t("Workspace {0}", scope.folder.name) : scope.below
  }
}
