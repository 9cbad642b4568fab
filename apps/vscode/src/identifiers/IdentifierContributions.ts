import { identifierTypes } from "@threat-exposure/core/domain/Identifier"
import { troubles } from "../connection/ServiceViewContribution.ts"
import {
  button,
  contributed,
  link,
  overflow,
  row,
  type SettingContribution,
  signedIn,
  text,
  title,
  type ViewContribution
} from "../editor/Contribution.ts"

const listed = "threatExposure.identifiers.listed"

export const commands = contributed({
  "identifiers.create": {
    title: text("Create Identifier…", "Créer un identifiant…"),
    icon: "add",
    places: [title("identifiers", 1)]
  },
  "identifiers.createGroup": {
    title: text("Create Identifier Group…", "Créer un groupe d'identifiants…"),
    places: [overflow("identifiers", "1_create@2")]
  },
  "identifiers.addById": {
    title: text("Add Known Identifier by ID…", "Ajouter un identifiant connu à partir de son ID…"),
    palette: `${signedIn} && !${listed}`,
    places: [overflow("identifiers", "1_create@1", `${signedIn} && !${listed}`)]
  },
  "identifiers.update": {
    title: text("Change Identifier…", "Modifier l'identifiant…"),
    places: [row("listed", "2_change@1", "identifiers")]
  },
  "identifiers.assignPolicies": {
    title: text("Assign Policies…", "Attribuer des politiques…"),
    places: [row("identifier", "2_change@2", "identifiers")]
  },
  "identifiers.group": {
    title: text("Move to Group…", "Déplacer vers un groupe…"),
    places: [row("identifier", "2_change@3", "identifiers")]
  },
  "identifiers.enable": {
    title: text("Enable Identifier", "Activer l'identifiant"),
    icon: "debug-start",
    places: button("disabled", 2, "identifiers")
  },
  "identifiers.disable": {
    title: text("Disable Identifier", "Désactiver l'identifiant"),
    places: [row("enabled", "2_change@4", "identifiers")]
  },
  "identifiers.groupBy": {
    title: text("Group Identifiers By…", "Regrouper les identifiants par…"),
    places: [overflow("identifiers", "2_view@1")]
  },
  "identifiers.sortBy": {
    title: text("Sort Identifiers By…", "Trier les identifiants par…"),
    places: [overflow("identifiers", "2_view@2")]
  },
  "identifiers.filterIdentifiers": {
    title: text("Filter Identifiers…", "Filtrer les identifiants…"),
    icon: "filter",
    places: [title("identifiers", 2)]
  },
  "identifiers.filter": {
    title: text("Filter Events of Identifiers…", "Filtrer les événements des identifiants…"),
    places: [overflow("identifiers", "2_view@3")]
  },
  "identifiers.clearFilter": {
    title: text("Clear Filter", "Effacer le filtre"),
    icon: "clear-all",
    palette: false,
    places: [title("identifiers", 3, "threatExposure.identifiers.filtered")]
  },
  "identifiers.openPage": {
    title: text("Open Identifier", "Ouvrir l'identifiant"),
    icon: "go-to-file",
    places: button("identifier", 1, "identifiers")
  },
  "identifiers.delete": {
    title: text("Delete Identifier…", "Supprimer l'identifiant…"),
    places: [row("listed", "9_remove@1", "identifiers")]
  },
  "identifiers.forget": {
    title: text("Forget Identifier", "Oublier l'identifiant"),
    places: [row("remembered", "9_remove@1", "identifiers")]
  },
  "identifiers.openGroup": {
    title: text("Open Group", "Ouvrir le groupe"),
    icon: "go-to-file",
    places: button("identifierGroup", 1, "identifiers")
  },
  "identifiers.renameGroup": {
    title: text("Rename Group…", "Renommer le groupe…"),
    places: [row("identifierGroup", "2_change@1", "identifiers")]
  },
  "identifiers.deleteGroup": {
    title: text("Delete Group…", "Supprimer le groupe…"),
    places: [row("identifierGroup", "9_remove@1", "identifiers")]
  },
  "identifiers.refresh": {
    title: text("Refresh Identifiers", "Actualiser les identifiants"),
    icon: "refresh",
    places: [title("identifiers", 9)]
  }
})

export const view: ViewContribution = {
  name: text("Identifiers", "Identifiants"),
  icon: "media/identifiers.svg",
  isFolded: true,
  welcome: {
    ...troubles("identifiers"),
    empty: text(
      `An identifier is something to monitor: a domain, an e-mail address, a keyword. There are none here.\n${link("Create Identifier", "identifiers.create")}`,
      `Un identifiant est un élément à surveiller : un domaine, une adresse e-mail, un mot clé. Il n'y en a pas ici.\n${link("Créer un identifiant", "identifiers.create")}`
    )
  }
}

export const settings = {
  "identifiers.known": {
    description: text(
      "Identifiers that your team shares, by profile and ID, for services that do not list them. They are shown beside those that you created or added.",
      "Les identifiants que votre équipe partage, par profil et ID, pour les services qui n'en donnent pas la liste. Ils s'affichent avec ceux que vous avez créés ou ajoutés."
    ),
    schema: {
      type: "array",
      default: [],
      items: {
        type: "object",
        required: ["profile", "id", "name"],
        additionalProperties: false,
        properties: {
          profile: { type: "string" },
          id: { type: "integer" },
          name: { type: "string" },
          type: { type: "string", enum: identifierTypes }
        }
      }
    }
  }
} as const satisfies Readonly<Record<string, SettingContribution>>
