/** The types of contributions to the editor, and functions to describe them. */
/** A text in English and in French. */
export interface Text {
  readonly en: string
  readonly fr: string
}

export const text = (en: string, fr: string): Text => ({ en, fr })

export interface MenuPlace {
  readonly menu: "view/title" | "view/item/context" | "editor/context" | "explorer/context" | "scm/title"
  readonly when: string
  readonly group: string
}

export interface Keybinding {
  readonly key: string
  readonly mac?: string
  readonly when: string
}

export interface CommandContribution {
  readonly title: Text
  readonly icon?: string
  readonly keybinding?: Keybinding
  /**
   * When the command palette offers it. Default: always for a command without places, while somebody is signed in for one in
   * the title of a view, and never for any other, which only makes sense on its row or file.
   */
  readonly palette?: string | boolean
  readonly places?: ReadonlyArray<MenuPlace>
}

export const signedIn = "threatExposure.signedIn"

export const title = (view: string, order: number, when = signedIn): MenuPlace => ({
  menu: "view/title",
  when: `view == threatExposure.${view} && ${when}`,
  group: `navigation@${order}`
})

export const overflow = (view: string, group: string, when = signedIn): MenuPlace => ({
  menu: "view/title",
  when: `view == threatExposure.${view} && ${when}`,
  group
})

/** `kind` is a word of the row's context value, which is a list of words between slashes. */
export const row = (kind: string, group: string, view?: string): MenuPlace => ({
  menu: "view/item/context",
  when: `${view === undefined ? "view =~ /^threatExposure\\./" : `view == threatExposure.${view}`} && viewItem =~ /\\/${kind}\\//`,
  group
})

/** A button on the row, and in the row's menu too, where the keyboard reaches it. */
export const button = (kind: string, order: number, view?: string): ReadonlyArray<MenuPlace> => [
  row(kind, `inline@${order}`, view),
  row(kind, `1_open@${order}`, view)
]

/** On the selected rows of a view while it has the focus, and no text is typed. */
export const keyOn = (view: string, key: string, mac: string): Keybinding => ({
  key,
  mac,
  when: `focusedView == threatExposure.${view} && listFocus && !inputFocus`
})

/** Commands by their names without the prefix `threatExposure.`. */
export const contributed = <C extends Readonly<Record<string, CommandContribution>>>(commands: C): C => commands

/** The states of a view, each with its text; `ready` shows rows. */
export type ViewState =
  | "ready"
  | "signedOut"
  | "expired"
  | "offline"
  | "slow"
  | "stopped"
  | "outOfOrder"
  | "forbidden"
  | "rateLimited"
  | "quotaSpent"
  | "failed"
  | "empty"

export interface ViewContribution {
  readonly name: Text
  readonly icon: string
  /** A page; otherwise it is a tree. */
  readonly type?: "webview"
  /** Its share of the sidebar's height at first, where others have 20. */
  readonly initialSize?: number
  /** Folded at first, so that the others have room. */
  readonly isFolded?: boolean
  readonly welcome: Readonly<Partial<Record<ViewState, Text>>>
}

/** A link in a text of the editor to a command, by its name without the prefix `threatExposure.`. */
export const link = (label: string, name: string) => `[${label}](command:threatExposure.${name})`

export interface SettingContribution {
  readonly description: Text
  /** The JSON Schema of the value, its default included; a description in it is a `Text`. */
  readonly schema: Readonly<Record<string, unknown>>
  /** `application`: user settings only, so that no workspace can change it. */
  readonly scope?: "application" | "window" | "resource"
}

/** A colour that themes can set and that styles read as `--vscode-threatExposure-…`, with its value in the editor's own. */
export interface ColorContribution {
  readonly description: Text
  readonly dark: string
  readonly light: string
  readonly highContrast: string
  readonly highContrastLight: string
}

export interface ToolContribution {
  readonly displayName: Text
  readonly userDescription: Text
  /** For the model, in English. */
  readonly modelDescription: string
  readonly icon: string
  readonly input: Readonly<Record<string, unknown>>
}
