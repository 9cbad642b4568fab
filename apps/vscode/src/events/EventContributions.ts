import { severities, type Severity } from "@threat-exposure/core/domain/Severity"
import { troubles } from "../connection/ServiceViewContribution.ts"
import {
  button,
  type ColorContribution,
  contributed,
  keyOn,
  link,
  overflow,
  row,
  type SettingContribution,
  signedIn,
  text,
  title,
  type ViewContribution
} from "../editor/Contribution.ts"
import { queryFields } from "./search/QueryFields.ts"

export const commands = contributed({
  "events.search": {
    title: text("Search Events…", "Rechercher des événements…"),
    icon: "search",
    places: [title("events", 1)]
  },
  "events.searchBy": {
    title: text("Search Events By…", "Rechercher des événements par…"),
    places: [overflow("events", "1_find@0")]
  },
  "events.saveSearch": {
    title: text("New Saved Search…", "Nouvelle recherche enregistrée…"),
    icon: "add",
    places: [title("events", 2)]
  },
  "events.editSearch": {
    title: text("Edit Saved Search…", "Modifier la recherche enregistrée…"),
    icon: "edit",
    places: button("savedSearch", 1, "events")
  },
  "events.deleteSearch": {
    title: text("Delete Saved Search…", "Supprimer la recherche enregistrée…"),
    places: [row("savedSearch", "9_remove@1", "events")]
  },
  "events.editSettings": {
    title: text("Edit Saved Searches in Settings", "Modifier les recherches enregistrées dans les paramètres"),
    places: [overflow("events", "2_view@2")]
  },
  "events.keepSearch": {
    title: text("Save Search…", "Enregistrer la recherche…"),
    icon: "save",
    places: button("keepable", 1, "events")
  },
  "events.closeSearch": {
    title: text("Close Search", "Fermer la recherche"),
    icon: "close",
    places: [...button("unsavedSearch", 2, "events"), ...button("selection", 2, "events")]
  },
  "events.showSelection": { title: text("Show Loaded Events", "Afficher les événements chargés"), palette: false },
  "events.filter": {
    title: text("Filter Events…", "Filtrer les événements…"),
    icon: "filter",
    places: [title("events", 3)]
  },
  "events.clearFilter": {
    title: text("Clear Event Filter", "Effacer le filtre des événements"),
    icon: "clear-all",
    palette: `${signedIn} && threatExposure.events.filtered`,
    places: [title("events", 4, "threatExposure.events.filtered")]
  },
  "events.groupBy": {
    title: text("Group Events By…", "Regrouper les événements par…"),
    places: [overflow("events", "2_view@1")]
  },
  "events.goTo": {
    title: text("Go to Event…", "Aller à l'événement…"),
    places: [overflow("events", "1_find@1")]
  },
  "events.openPage": { title: text("Open Event", "Ouvrir l'événement"), palette: false },
  "events.openMarkdown": {
    title: text("Open as Markdown", "Ouvrir en Markdown"),
    places: [row("event", "1_open@3")]
  },
  "events.openJson": {
    title: text("Open as JSON", "Ouvrir en JSON"),
    places: [row("event", "1_open@4")]
  },
  "events.checkValues": {
    title: text("Find These Values in My Code", "Rechercher ces valeurs dans mon code"),
    places: [row("event", "2_check@1")]
  },
  "events.openInBrowser": {
    title: text("Open in Browser", "Ouvrir dans le navigateur"),
    places: [row("linked", "1_open@2")]
  },
  "events.remediate": {
    title: text("Mark Event as Remediated", "Marquer l'événement comme corrigé"),
    icon: "check",
    keybinding: keyOn("events", "ctrl+enter", "cmd+enter"),
    places: [row("openEvent", "inline@2", "events"), row("openEvent", "3_triage@1", "events")]
  },
  "events.ignore": {
    title: text("Ignore Event", "Ignorer l'événement"),
    icon: "eye-closed",
    keybinding: keyOn("events", "delete", "cmd+backspace"),
    places: [row("openEvent", "inline@1", "events"), row("openEvent", "3_triage@2", "events")]
  },
  "events.reopen": {
    title: text("Reopen Event", "Rouvrir l'événement"),
    icon: "discard",
    keybinding: keyOn("events", "shift+delete", "shift+cmd+backspace"),
    places: [row("closedEvent", "inline@1", "events"), row("closedEvent", "3_triage@3", "events")]
  },
  "events.setSeverity": {
    title: text("Set Severity of Event…", "Définir la gravité de l'événement…"),
    keybinding: keyOn("events", "ctrl+f2", "cmd+f2"),
    places: [row("triage", "3_triage@4", "events")]
  },
  "events.tag": {
    title: text("Edit Tags of Event…", "Modifier les étiquettes de l'événement…"),
    keybinding: keyOn("events", "shift+f2", "shift+f2"),
    places: [row("triage", "3_triage@5", "events")]
  },
  "events.note": {
    title: text("Edit Note of Event…", "Modifier la note de l'événement…"),
    keybinding: keyOn("events", "f2", "f2"),
    places: [row("triage", "3_triage@6", "events")]
  },
  "events.undo": {
    title: text("Undo Last Change of Events", "Annuler la dernière modification d'événements"),
    icon: "discard",
    keybinding: {
      ...keyOn("events", "ctrl+z", "cmd+z"),
      when: "focusedView == threatExposure.events && threatExposure.events.canUndo && !inputFocus"
    },
    palette: `${signedIn} && threatExposure.events.canUndo`,
    places: [title("events", 5, "threatExposure.events.canUndo")]
  },
  "events.loadMore": {
    title: text("Load More", "Charger la suite"),
    palette: false
  },
  "events.refresh": {
    title: text("Refresh Events", "Actualiser les événements"),
    icon: "refresh",
    places: [title("events", 9)]
  }
})

export const view: ViewContribution = {
  name: text("Events", "Événements"),
  icon: "media/events.svg",
  welcome: {
    ...troubles("events"),
    empty: text(
      `No events yet. Add an identifier to monitor, or save a search.\n${link("Create Identifier", "identifiers.create")}\n${link("New Saved Search", "events.saveSearch")}`,
      `Aucun événement pour l'instant. Ajoutez un identifiant à surveiller ou enregistrez une recherche.\n${link("Créer un identifiant", "identifiers.create")}\n${link("Nouvelle recherche enregistrée", "events.saveSearch")}`
    )
  }
}

/** Excludes queries with a secret, because settings must not contain one. */
const savedFields = Object.entries(queryFields).flatMap(([type, fields]) =>
  type === "secret" ? [] : [{ type, fields: fields.filter((field) => field !== "password") }]
)

const querySchema = {
  oneOf: savedFields.map(({ fields, type }) => ({
    type: "object",
    properties: {
      type: { const: type },
      ...Object.fromEntries(fields.map((field) => [field, { type: "string", minLength: 1 }])),
      ...(type === "name" ? { is_strict: { type: "boolean" } } : {})
    },
    required: ["type", ...fields],
    additionalProperties: false
  }))
}

const filtersSchema = {
  type: "object",
  properties: {
    severity: {
      anyOf: [
        { type: "string", enum: severities },
        { type: "array", items: { type: "string", enum: severities }, uniqueItems: true }
      ]
    },
    type: { type: "array", items: { type: "string" }, uniqueItems: true },
    estimated_created_at: {
      type: "object",
      properties: Object.fromEntries(["gt", "gte", "lt", "lte"].map((bound) => [bound, { type: "string" }])),
      additionalProperties: false
    }
  },
  additionalProperties: false
}

export const settings = {
  savedSearches: {
    description: text(
      "The saved searches of the Events view: a name, a query, filters and an order.",
      "Les recherches enregistrées de la vue Événements : un nom, une requête, des filtres et un ordre."
    ),
    schema: {
      type: "array",
      default: [],
      items: {
        type: "object",
        required: ["name"],
        additionalProperties: false,
        properties: {
          name: { type: "string", minLength: 1 },
          query: querySchema,
          filters: filtersSchema,
          order: { type: "string", enum: ["asc", "desc"] }
        }
      }
    }
  },
  "events.pageSize": {
    description: text(
      "How many events to load at a time. The service returns ten per request.",
      "Nombre d'événements à charger à la fois. Le service en renvoie dix par requête."
    ),
    schema: { type: "integer", minimum: 10, maximum: 100, multipleOf: 10, default: 10 }
  },
  "refresh.minutes": {
    description: text(
      "Minutes between checks for new events, while the view is visible and the window has the focus; 0 turns them off.",
      "Minutes entre deux recherches de nouveaux événements, tant que la vue est visible et la fenêtre active ; 0 pour les désactiver."
    ),
    schema: { type: "integer", minimum: 0, maximum: 1440, default: 5 }
  },
  "notifications.severity": {
    description: text(
      "Show one notification when new events of at least this severity arrive.",
      "Afficher une notification à l'arrivée d'événements d'au moins cette gravité."
    ),
    schema: { type: "string", enum: ["off", ...severities], default: "off" }
  }
} as const satisfies Readonly<Record<string, SettingContribution>>

/**
 * Colours of the severities for icons, bars and badges. The editor has no such scale: its orange is unreadable in some
 * themes. The names contain no dot, because the editor replaces only the first dot of an id in the name of a CSS
 * variable.
 */
export const colors = {
  severityCritical: {
    description: text("Critical events.", "Événements critiques."),
    dark: "#f14c4c",
    light: "#c01818",
    highContrast: "#ff7b72",
    highContrastLight: "#a80000"
  },
  severityHigh: {
    description: text("Events of high severity.", "Événements de gravité élevée."),
    dark: "#e8912d",
    light: "#c25e00",
    highContrast: "#ffab57",
    highContrastLight: "#833500"
  },
  severityMedium: {
    description: text("Events of medium severity.", "Événements de gravité moyenne."),
    dark: "#d9b72b",
    light: "#9a7a00",
    highContrast: "#ffe14d",
    highContrastLight: "#5c4a00"
  },
  severityLow: {
    description: text("Events of low severity.", "Événements de gravité faible."),
    dark: "#4fa3f7",
    light: "#0f6cbd",
    highContrast: "#79c0ff",
    highContrastLight: "#003e92"
  },
  severityInfo: {
    description: text("Informational events.", "Événements informatifs."),
    dark: "#909090",
    light: "#6e7681",
    highContrast: "#c8c8c8",
    highContrastLight: "#4a4a4a"
  }
} as const satisfies Readonly<Record<`severity${Capitalize<Severity>}`, ColorContribution>>
