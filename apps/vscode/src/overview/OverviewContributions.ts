import { contributed, text, title, type ViewContribution } from "../editor/Contribution.ts"

export const commands = contributed({
  "overview.loadEvents": {
    title: text("Load More Events into the Overview", "Charger plus d'événements dans la vue d'ensemble"),
    icon: "cloud-download",
    places: [title("overview", 1)]
  },
  "overview.refresh": {
    title: text("Refresh Overview", "Actualiser la vue d'ensemble"),
    icon: "refresh",
    places: [title("overview", 9)]
  },
  "overview.openAccounts": { title: text("Open Exposed Accounts", "Ouvrir les comptes exposés"), palette: false },
  "overview.lookUpAccounts": {
    title: text("Look Up Exposed Accounts", "Rechercher les comptes exposés"),
    palette: false
  }
})

export const view: ViewContribution = {
  name: text("Overview", "Vue d'ensemble"),
  icon: "media/overview.svg",
  type: "webview",
  initialSize: 80,
  welcome: {}
}
