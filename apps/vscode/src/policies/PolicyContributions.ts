import { troubles } from "../connection/ServiceViewContribution.ts"
import {
  button,
  contributed,
  link,
  overflow,
  row,
  signedIn,
  text,
  title,
  type ViewContribution
} from "../editor/Contribution.ts"

const listed = "threatExposure.policies.listed"

export const commands = contributed({
  "policies.create": {
    title: text("Create Policy…", "Créer une politique…"),
    icon: "add",
    places: [title("policies", 1)]
  },
  "policies.addById": {
    title: text("Add Known Policy by ID…", "Ajouter une politique connue à partir de son ID…"),
    palette: `${signedIn} && !${listed}`,
    places: [overflow("policies", "1_create@1", `${signedIn} && !${listed}`)]
  },
  "policies.openPage": {
    title: text("Open Policy", "Ouvrir la politique"),
    icon: "go-to-file",
    places: button("policy", 1)
  },
  "policies.assign": {
    title: text("Assign Policy to Identifiers…", "Attribuer la politique à des identifiants…"),
    icon: "link",
    palette: signedIn,
    places: button("policy", 2)
  },
  "policies.update": {
    title: text("Change Policy…", "Modifier la politique…"),
    places: [row("listed", "2_change@1", "policies")]
  },
  "policies.unassign": {
    title: text("Unassign Policy", "Retirer la politique"),
    places: [row("assignment", "9_remove@1")]
  },
  "policies.delete": {
    title: text("Delete Policy…", "Supprimer la politique…"),
    places: [row("policy", "9_remove@2", "policies")]
  },
  "policies.forget": {
    title: text("Forget Policy", "Oublier la politique"),
    places: [row("known", "9_remove@1", "policies")]
  },
  "policies.refresh": {
    title: text("Refresh Policies", "Actualiser les politiques"),
    icon: "refresh",
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
      `A policy decides which events of an identifier count. There are none here.\n${link("Create Policy", "policies.create")}`,
      `Une politique décide quels événements d'un identifiant comptent. Il n'y en a pas ici.\n${link("Créer une politique", "policies.create")}`
    )
  }
}
