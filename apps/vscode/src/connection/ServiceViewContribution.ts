/** Messages of the views when they have no data to show. */
import { link, text, type Text, type ViewState } from "../editor/Contribution.ts"

export const troubles = (view: string): Partial<Record<ViewState, Text>> => {
  const retry = (label: string) => `
${link(label, `${view}.refresh`)}`
  return {
    // A link is enough here: the overview explains the reason once and has buttons.
    signedOut: text(
      `Shown once you ${link("sign in", "signIn")}.`,
      `Affiché une fois que vous vous ${link("connectez", "signIn")}.`
    ),
    expired: text(
      `Shown once you ${link("sign in again", "signIn")}.`,
      `Affiché une fois que vous vous ${link("reconnectez", "signIn")}.`
    ),
    offline: text(
      `The service cannot be reached.${retry("Retry")}\n${link("Show Log", "showLog")}`,
      `Le service est injoignable.${retry("Réessayer")}\n${link("Afficher le journal", "showLog")}`
    ),
    slow: text(
      `The service took too long to answer.${retry("Retry")}\n${link("Show Log", "showLog")}`,
      `Le service a mis trop de temps à répondre.${retry("Réessayer")}\n${link("Afficher le journal", "showLog")}`
    ),
    stopped: text(`Loading was cancelled.${retry("Retry")}`, `Le chargement a été annulé.${retry("Réessayer")}`),
    outOfOrder: text(
      `The service returned an error.${retry("Retry")}\n${link("Show Log", "showLog")}`,
      `Le service a renvoyé une erreur.${retry("Réessayer")}\n${link("Afficher le journal", "showLog")}`
    ),
    quotaSpent: text(
      `Your organisation's search quota is used up.${retry("Retry")}\n${link("Switch Profile", "switchProfile")}`,
      `Le quota de recherches de votre organisation est épuisé.${retry("Réessayer")}\n${link("Changer de profil", "switchProfile")}`
    ),
    forbidden: text(
      `Your key lacks the permission Read Tenant, which this view needs. Ask an administrator of your tenant for it.${retry("Retry")}\n${link("Switch Profile", "switchProfile")}`,
      `Votre clé n'a pas l'autorisation Read Tenant, nécessaire à cette vue. Demandez-la à un administrateur de votre locataire.${retry("Réessayer")}\n${link("Changer de profil", "switchProfile")}`
    ),
    notOffered: text(
      `The service does not offer this list.${retry("Retry")}\n${link("Switch Profile", "switchProfile")}`,
      `Le service ne propose pas cette liste.${retry("Réessayer")}\n${link("Changer de profil", "switchProfile")}`
    ),
    failed: text(
      `Loading failed. See the log for details.${retry("Retry")}\n${link("Show Log", "showLog")}\n${link("Switch Profile", "switchProfile")}`,
      `Le chargement a échoué. Consultez le journal pour plus de détails.${retry("Réessayer")}\n${link("Afficher le journal", "showLog")}\n${link("Changer de profil", "switchProfile")}`
    )
  }
}
