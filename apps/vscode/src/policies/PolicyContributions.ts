import { troubles } from "../connection/ServiceViewContribution.ts"
import { button, contributed, link, row, signedIn, text, title, type ViewContribution } from "../editor/Contribution.ts"

export const commands = contributed({
  "policies.addById": {
    title: text("Add Known Policy by ID…", "Ajouter une politique connue à partir de son ID…"),
    icon: "add",
    palette: signedIn,
    places: [title("policies", 1)]
  },
  "policies.openPage": {
    title: text("Open Policy", "Ouvrir la politique"),
    icon: "go-to-file",
    palette: false,
    places: button("policy", 1)
  },
  "policies.assign": {
    title: text("Assign Policy to Identifiers…", "Attribuer la politique à des identifiants…"),
    icon: "link",
    palette: signedIn,
    places: button("policy", 2)
  },
  "policies.delete": {
    title: text("Delete Policy…", "Supprimer la politique…"),
    palette: false,
    places: [row("policy", "9_remove@2", "policies")]
  },
  "policies.forget": {
    title: text("Forget Policy", "Oublier la politique"),
    palette: false,
    places: [row("known", "9_remove@1", "policies")]
  },
  "policies.refresh": {
    title: text("Refresh Policies", "Actualiser les politiques"),
    icon: "refresh",
    palette: signedIn,
    places: [title("policies", 9)]
  }
})

export const view: ViewContribution = {
  name: text("Policies", "Politiques"),
  icon: "media/policies.svg",
  isFolded: true,
  welcome: {
    ...troubles("policies"),
    empty: text(
      `No matching policies are known yet. A policy appears once an identifier that it is assigned to is known.\n${link("Add Known Policy by ID", "policies.addById")}\n${link("Retry", "policies.refresh")}`,
      `Aucune politique de correspondance n'est connue ici. Une politique apparaît dès qu'un identifiant auquel elle est attribuée est connu.\n${link("Ajouter une politique connue", "policies.addById")}\n${link("Réessayer", "policies.refresh")}`
    )
  }
}
