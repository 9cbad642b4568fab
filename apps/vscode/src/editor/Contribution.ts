/** What something that the editor is given looks like, and the words to describe it with. */
import type { CommandName } from "../Contributions.ts"

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

export interface CommandContribution {
  readonly title: Text
  readonly icon?: string
  /** When the command palette offers it: `false` for commands that only make sense on a row. */
  readonly palette?: string | false
  readonly places?: ReadonlyArray<MenuPlace>
}

export const signedIn = "threatExposure.signedIn"

export const title = (view: ViewName, order: number, when = signedIn): MenuPlace => ({
  menu: "view/title",
  when: `view == threatExposure.${view} && ${when}`,
  group: `navigation@${order}`
})

export const overflow = (view: ViewName, group: string, when = signedIn): MenuPlace => ({
  menu: "view/title",
  when: `view == threatExposure.${view} && ${when}`,
  group
})

/** `kind` is a word of the row's context value, which is a list of words between slashes. */
export const row = (kind: string, group: string, view?: ViewName): MenuPlace => ({
  menu: "view/item/context",
  when: `${view === undefined ? "view =~ /^threatExposure\\./" : `view == threatExposure.${view}`} && viewItem =~ /\\/${kind}\\//`,
  group
})

/** A button on the row, and in the row's menu too, where the keyboard reaches it. */
export const button = (kind: string, order: number, view?: ViewName): ReadonlyArray<MenuPlace> => [
  row(kind, `inline@${order}`, view),
  row(kind, `1_open@${order}`, view)
]

/** Commands by their names without the prefix `threatExposure.`. */
export const contributed = <C extends Readonly<Record<string, CommandContribution>>>(commands: C): C => commands

export type ViewName = "identifiers" | "events" | "policies" | "recommendations" | "leaks"

/** What a view says where it has nothing to show; `ready` shows rows. */
export type ViewState =
  | "ready"
  | "signedOut"
  | "expired"
  | "offline"
  | "slow"
  | "outOfOrder"
  | "forbidden"
  | "rateLimited"
  | "quotaSpent"
  | "failed"
  | "empty"

export interface ViewContribution {
  readonly name: Text
  readonly icon: string
  readonly welcome: Readonly<Partial<Record<ViewState, Text>>>
}

export const link = (label: string, name: CommandName) => `[${label}](command:threatExposure.${name})`

/** What a view says where something stands in its way. */
export const troubles = (view: ViewName): Partial<Record<ViewState, Text>> => {
  const again: CommandName | undefined = view === "leaks" ? undefined : `${view}.refresh`
  const retry = (label: string) => (again === undefined ? "" : `\n${link(label, again)}`)
  return {
    signedOut: text(
      `Sign in to a threat-exposure service to see what of yours has leaked.\n${link("Sign In", "signIn")}`,
      `Connectez-vous à un service de surveillance pour voir ce qui a fuité de chez vous.\n${link("Se connecter", "signIn")}`
    ),
    expired: text(
      `Your sign-in has expired.\n${link("Sign In Again", "signIn")}\n${link("Switch Profile", "switchProfile")}`,
      `Votre connexion a expiré.\n${link("Se reconnecter", "signIn")}\n${link("Changer de profil", "switchProfile")}`
    ),
    offline: text(
      `The service cannot be reached.${retry("Retry")}\n${link("Show Log", "showLog")}`,
      `Le service est injoignable.${retry("Réessayer")}\n${link("Afficher le journal", "showLog")}`
    ),
    slow: text(
      `The service took too long to answer.${retry("Retry")}\n${link("Show Log", "showLog")}`,
      `Le service a mis trop de temps à répondre.${retry("Réessayer")}\n${link("Afficher le journal", "showLog")}`
    ),
    outOfOrder: text(
      `The service is out of order: it answers with an error of its own.${retry("Retry")}\n${link("Show Log", "showLog")}`,
      `Le service est en panne : il répond par une erreur interne.${retry("Réessayer")}\n${link("Afficher le journal", "showLog")}`
    ),
    quotaSpent: text(
      `The search quota of your organisation is spent.${retry("Retry")}\n${link("Switch Profile", "switchProfile")}`,
      `Le quota de recherche de votre organisation est épuisé.${retry("Réessayer")}\n${link("Changer de profil", "switchProfile")}`
    ),
    forbidden: text(
      `Your key lacks the permission Read Tenant, which this view needs. Ask an administrator of your tenant for it.${retry("Retry")}\n${link("Switch Profile", "switchProfile")}`,
      `Il manque à votre clé l'autorisation Read Tenant, nécessaire à cette vue. Demandez-la à un administrateur de votre locataire.${retry("Réessayer")}\n${link("Changer de profil", "switchProfile")}`
    ),
    failed: text(
      `This could not be loaded; the log says why.${retry("Retry")}\n${link("Show Log", "showLog")}\n${link("Switch Profile", "switchProfile")}`,
      `Le chargement a échoué ; le journal dit pourquoi.${retry("Réessayer")}\n${link("Afficher le journal", "showLog")}\n${link("Changer de profil", "switchProfile")}`
    )
  }
}

export interface SettingContribution {
  readonly description: Text
  /** The JSON Schema of the value, its default included. */
  readonly schema: Readonly<Record<string, unknown>>
  /** `application`: user settings only, so that no workspace can change it. */
  readonly scope?: "application" | "window" | "resource"
}

export interface ToolContribution {
  readonly displayName: Text
  readonly userDescription: Text
  /** For the model, in English. */
  readonly modelDescription: string
  readonly icon: string
  readonly input: Readonly<Record<string, unknown>>
}
