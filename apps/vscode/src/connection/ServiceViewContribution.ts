/** What the views of the service's data say while they cannot show it. */
import { link, text, type Text, type ViewState } from "../editor/Contribution.ts"

export const troubles = (view: string): Partial<Record<ViewState, Text>> => {
  const retry = (label: string) => `
${link(label, `${view}.refresh`)}`
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
