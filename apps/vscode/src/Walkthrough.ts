import { link, signedIn, text } from "./editor/Contribution.ts"

/**
 * The editor completes a step only when a condition becomes true, and ignores one that was true before. The second
 * condition becomes true when the walkthrough page opens.
 */
const done = (context: string) => [`onContext:${context}`, `onContext:${context} && activeEditor == gettingStartedPage`]

export const walkthrough = {
  title: text("Get Started with Threat Exposure", "Premiers pas avec Threat Exposure"),
  description: text(
    "See which of your data has leaked, without leaving the editor.",
    "Découvrez quelles données ont fuité, sans quitter l'éditeur."
  ),
  steps: {
    signIn: {
      title: text("Sign in", "Se connecter"),
      description: text(
        `Enter the address of your service and a token or an API key. The secret stays in the editor's secret storage.\n${link("Sign In", "signIn")}`,
        `Saisissez l'adresse de votre service et un jeton ou une clé d'API. Le secret reste dans le stockage sécurisé de l'éditeur.\n${link("Se connecter", "signIn")}`
      ),
      picture: "walkthrough-sign-in.svg",
      alt: text(
        "An address, a hidden token and a button to sign in",
        "Une adresse, un jeton caché et un bouton pour se connecter"
      ),
      done: done(signedIn)
    },
    identifier: {
      title: text("Add an identifier", "Ajouter un identifiant"),
      description: text(
        `A domain, an e-mail address or a keyword to monitor.\n${link("Create Identifier", "identifiers.create")}`,
        `Un domaine, une adresse e-mail ou un mot clé à surveiller.\n${link("Créer un identifiant", "identifiers.create")}`
      ),
      picture: "walkthrough-identifier.svg",
      alt: text(
        "A list of three identifiers: a domain, a keyword and an e-mail address",
        "Une liste de trois identifiants : un domaine, un mot clé et une adresse e-mail"
      ),
      done: done("threatExposure.identifiers.known")
    },
    events: {
      title: text("View its events", "Consulter ses événements"),
      description: text(
        `An event reports that something you monitor was seen in a leak, a stealer log, a paste or a post.\n[Show Events](command:threatExposure.events.focus)`,
        `Un événement signale que ce que vous surveillez a été vu dans une fuite, un journal d'infostealer, un texte publié ou un message.\n[Afficher les événements](command:threatExposure.events.focus)`
      ),
      picture: "walkthrough-events.svg",
      alt: text(
        "A list of events, the most severe in red, each with its age",
        "Une liste d'événements, les plus graves en rouge, chacun avec son âge"
      ),
      done: ["onView:threatExposure.events", "onCommand:threatExposure.events.focus"]
    },
    check: {
      title: text("Check your changes", "Vérifier vos modifications"),
      description: text(
        `See whether a secret in your changes has already leaked.\n${link("Check Changes", "checkChanges")}`,
        `Vérifiez si un secret de vos modifications a déjà fuité.\n${link("Vérifier les modifications", "checkChanges")}`
      ),
      picture: "walkthrough-check.svg",
      alt: text(
        "A line of code with an underlined secret, and where it has leaked",
        "Une ligne de code avec un secret souligné, et où il a fuité"
      ),
      done: done("threatExposure.leaks.checked")
    }
  }
} as const
