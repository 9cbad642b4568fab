import { troubles } from "../connection/ServiceViewContribution.ts"
import { button, contributed, link, row, text, title, type ViewContribution } from "../editor/Contribution.ts"

export const commands = contributed({
  "recommendations.filter": {
    title: text("Filter Recommendations by Type…", "Filtrer les recommandations par type…"),
    icon: "filter",
    places: [title("recommendations", 1)]
  },
  "recommendations.openPage": {
    title: text("Open Recommendation", "Ouvrir la recommandation"),
    icon: "go-to-file",
    places: button("recommendation", 1, "recommendations")
  },
  "recommendations.accept": {
    title: text("Accept Recommendation", "Accepter la recommandation"),
    icon: "check",
    places: button("acceptable", 2, "recommendations")
  },
  "recommendations.reject": {
    title: text("Reject Recommendation", "Refuser la recommandation"),
    icon: "close",
    places: button("rejectable", 3, "recommendations")
  },
  "recommendations.createIdentifier": {
    title: text("Create Identifier from Recommendation…", "Créer un identifiant à partir de la recommandation…"),
    places: [row("recommendation", "2_change@1", "recommendations")]
  },
  "recommendations.refresh": {
    title: text("Refresh Recommendations", "Actualiser les recommandations"),
    icon: "refresh",
    places: [title("recommendations", 9)]
  }
})

export const view: ViewContribution = {
  name: text("Recommendations", "Recommandations"),
  icon: "media/recommendations.svg",
  isFolded: true,
  welcome: {
    ...troubles("recommendations"),
    empty: text(
      `The service recommends no identifier at the moment.\n${link("Retry", "recommendations.refresh")}`,
      `Le service ne recommande aucun identifiant pour l'instant.\n${link("Réessayer", "recommendations.refresh")}`
    )
  }
}
