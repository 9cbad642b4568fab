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
   * Condition for the command palette. Default: always for a command without places; while signed in for a command in a
   * view's title; never for any other command, because it needs its row or file.
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

/** `kind` is a word of the row's context value, which lists words between slashes. */
export const row = (kind: string, group: string, view?: string): MenuPlace => ({
  menu: "view/item/context",
  when: `${view === undefined ? "view =~ /^threatExposure\\./" : `view == threatExposure.${view}`} && viewItem =~ /\\/${kind}\\//`,
  group
})

/** A button on the row, repeated in the row's menu for the keyboard. */
export const button = (kind: string, order: number, view?: string): ReadonlyArray<MenuPlace> => [
  row(kind, `inline@${order}`, view),
  row(kind, `1_open@${order}`, view)
]

/** Applies to the selected rows while the view has the focus and no text is being typed. */
export const keyOn = (view: string, key: string, mac: string): Keybinding => ({
  key,
  mac,
  when: `focusedView == threatExposure.${view} && listFocus && !inputFocus`
})

/** Checks the types of commands; keys are names without the prefix `threatExposure.`. */
export const contributed = <C extends Readonly<Record<string, CommandContribution>>>(commands: C): C => commands

/** States of a view. Each has a text, except `ready`, which shows rows. */
export type ViewState =
  | "ready"
  | "signedOut"
  | "expired"
  | "offline"
  | "slow"
  | "stopped"
  | "outOfOrder"
  | "forbidden"
  | "notOffered"
  | "rateLimited"
  | "quotaSpent"
  | "failed"
  | "empty"

export interface WelcomeText {
  readonly text: Text
  /** Condition for the text; undefined means always. */
  readonly when?: string
}

export interface ViewContribution {
  readonly name: Text
  readonly icon: string
  /** A webview; undefined for a tree. */
  readonly type?: "webview"
  /** Initial weight of the view's height in the sidebar; the default of other views is 20. */
  readonly initialSize?: number
  /** Whether the view is collapsed at first. */
  readonly isFolded?: boolean
  /** The texts of a state are shown below each other. */
  readonly welcome: Readonly<Partial<Record<ViewState, Text | ReadonlyArray<WelcomeText>>>>
}

/** A Markdown link to a command; `name` lacks the prefix `threatExposure.`. */
export const link = (label: string, name: string) => `[${label}](command:threatExposure.${name})`

export interface SettingContribution {
  readonly description: Text
  /** JSON Schema of the value including its default. Descriptions in it are of type `Text`. */
  readonly schema: Readonly<Record<string, unknown>>
  /** `application` allows user settings only, so that no workspace can change the value. */
  readonly scope?: "application" | "window" | "resource"
}

/**
 * A colour that themes can override and that styles read as `--vscode-threatExposure-…`. The defaults are colours of
 * the editor.
 */
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
  /** English description for the model. */
  readonly modelDescription: string
  readonly icon: string
  readonly input: Readonly<Record<string, unknown>>
}
