import { contributed, overflow, text } from "../editor/Contribution.ts"

export const commands = contributed({
  "credentials.search": {
    title: text("Search Credentials…", "Rechercher des identifiants compromis…"),
    icon: "key",
    places: [overflow("events", "1_find@2")]
  },
  "credentials.searchAccount": { title: text("Search Account", "Rechercher le compte"), palette: false },
  "credentials.again": { title: text("Search Credentials Again", "Rechercher à nouveau"), palette: false },
  "credentials.loadMore": {
    title: text("Load More Credentials", "Charger plus d'identifiants compromis"),
    palette: false
  },
  "credentials.open": { title: text("Open Credential", "Ouvrir l'identifiant compromis"), palette: false }
})
