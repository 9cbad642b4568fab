import { severities } from "@threat-exposure/core/domain/Severity"
import {
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

const hasFolder = "workspaceFolderCount > 0"

export const commands = contributed({
  checkSelection: {
    title: text("Check Selection for Leaks", "Rechercher des fuites dans la sélection"),
    palette: "editorHasSelection",
    places: [{ menu: "editor/context", when: `${signedIn} && editorHasSelection`, group: "9_threatExposure@1" }]
  },
  checkFile: {
    title: text("Check File for Leaks", "Rechercher des fuites dans le fichier"),
    palette: "editorIsOpen",
    places: [
      { menu: "editor/context", when: `${signedIn} && resourceScheme == file`, group: "9_threatExposure@2" },
      { menu: "explorer/context", when: `${signedIn} && !explorerResourceIsFolder`, group: "9_threatExposure@1" }
    ]
  },
  checkChanges: {
    title: text("Check Changes for Leaks", "Rechercher des fuites dans les modifications"),
    icon: "git-compare",
    palette: `threatExposure.git && ${hasFolder}`,
    places: [
      title("leaks", 1, `${signedIn} && threatExposure.git && ${hasFolder}`),
      { menu: "scm/title", when: `${signedIn} && threatExposure.git && scmProvider == git`, group: "navigation@9" }
    ]
  },
  checkFolder: {
    title: text("Check Folder for Leaks", "Rechercher des fuites dans le dossier"),
    places: [{ menu: "explorer/context", when: `${signedIn} && explorerResourceIsFolder`, group: "9_threatExposure@1" }]
  },
  checkWorkspace: {
    title: text("Check Workspace for Leaks", "Rechercher des fuites dans l'espace de travail"),
    icon: "shield",
    palette: hasFolder,
    places: [title("leaks", 2, `${signedIn} && ${hasFolder}`)]
  },
  "leaks.groupBy": {
    title: text("Group Findings By…", "Regrouper les résultats par…"),
    palette: "threatExposure.leaks.checked",
    places: [overflow("leaks", "2_view@1", "threatExposure.leaks.checked")]
  },
  "leaks.clear": {
    title: text("Clear Findings", "Effacer les résultats"),
    icon: "clear-all",
    palette: "threatExposure.leaks.checked",
    places: [title("leaks", 3, "threatExposure.leaks.checked")]
  },
  "leaks.goTo": { title: text("Go to Finding", "Aller au résultat"), palette: false },
  "leaks.ignore": {
    title: text("Ignore with a Reason…", "Ignorer avec un motif…"),
    places: [row("counted", "2_change@1", "leaks")]
  },
  "leaks.close": {
    title: text("Close Leak…", "Clore la fuite…"),
    icon: "check",
    places: [row("replaced", "inline@1", "leaks"), row("replaced", "2_change@0", "leaks")]
  },
  "leaks.allow": { title: text("Ignore with a Comment…", "Ignorer par un commentaire…"), palette: false },
  "leaks.moveToEnv": { title: text("Move to .env", "Déplacer vers .env"), palette: false },
  "leaks.hideValues": {
    title: text("Hide Leaked Values in the Editor", "Masquer les valeurs fuitées dans l'éditeur"),
    icon: "eye-closed",
    palette: "threatExposure.leaks.checked && !threatExposure.leaks.valuesHidden",
    places: [overflow("leaks", "3_values@1", "threatExposure.leaks.checked && !threatExposure.leaks.valuesHidden")]
  },
  "leaks.revealValues": {
    title: text("Reveal Leaked Values in the Editor", "Révéler les valeurs fuitées dans l'éditeur"),
    icon: "eye",
    palette: "threatExposure.leaks.checked && threatExposure.leaks.valuesHidden",
    places: [overflow("leaks", "3_values@1", "threatExposure.leaks.checked && threatExposure.leaks.valuesHidden")]
  },
  "leaks.openEvent": {
    title: text("Open Event", "Ouvrir l'événement"),
    places: [row("withEvent", "1_open@1", "leaks")]
  },
  "leaks.copyFingerprint": {
    title: text("Copy Fingerprint", "Copier l'empreinte"),
    places: [row("leak", "2_change@3", "leaks")]
  },
  "leaks.copySteps": {
    title: text("Copy Rotation Steps", "Copier les étapes de renouvellement"),
    places: [row("leak", "2_change@2", "leaks")]
  }
})

export const view: ViewContribution = {
  name: text("Leak Check", "Recherche de fuites"),
  icon: "media/leaks.svg",
  welcome: {
    // The first text is short, because at the minimum height of the view the button must be visible.
    empty: [
      { text: text("Nothing has been checked yet.", "Rien n'a encore été vérifié.") },
      {
        text: text(link("Check Changes", "checkChanges"), link("Vérifier les modifications", "checkChanges")),
        when: `threatExposure.git && ${hasFolder}`
      },
      {
        text: text("[Open Folder](command:vscode.openFolder)", "[Ouvrir un dossier](command:vscode.openFolder)"),
        when: "workspaceFolderCount == 0"
      },
      {
        text: text(
          "A check finds the secrets in your files on this machine, and asks the service whether they have leaked. You see the plan and its cost first.",
          "Une recherche de fuites trouve les secrets de vos fichiers sur cette machine, puis demande au service s'ils ont fuité. Le plan et son coût s'affichent d'abord."
        )
      },
      {
        text: text(link("Check Open File", "checkFile"), link("Vérifier le fichier ouvert", "checkFile")),
        when: "editorIsOpen"
      },
      {
        text: text(link("Check Workspace", "checkWorkspace"), link("Vérifier l'espace de travail", "checkWorkspace")),
        when: hasFolder
      }
    ]
  }
}

export const settings = {
  "leakCheck.asYouType": {
    description: text(
      "Mark what looks like a secret as you type. Nothing leaves your machine.",
      "Signaler ce qui ressemble à un secret pendant la frappe. Rien ne quitte votre machine."
    ),
    schema: { type: "boolean", default: false }
  },
  "leakCheck.domains": {
    description: text(
      "Domains of your organisation to search as well, when changes or the workspace are checked.",
      "Domaines de votre organisation à rechercher aussi lors d'une vérification des modifications ou de l'espace de travail."
    ),
    scope: "resource",
    schema: { type: "array", items: { type: "string", minLength: 1 }, uniqueItems: true, default: [] }
  },
  "leakCheck.include": {
    description: text(
      "Search values in tests, in documentation, or in both too, after the rest: most of them are made up.",
      "Rechercher aussi les valeurs des tests, de la documentation ou des deux, après le reste : la plupart sont inventées."
    ),
    scope: "resource",
    schema: { type: "array", items: { type: "string", enum: ["tests", "docs"] }, uniqueItems: true, default: [] }
  },
  "leakCheck.maxSearches": {
    description: text("The maximum number of searches of one check.", "Nombre maximal de recherches par vérification."),
    schema: { type: "integer", minimum: 0, maximum: 10_000, default: 100 }
  },
  "leakCheck.minSeverity": {
    description: text(
      "Events below this severity do not count as leaks.",
      "Les événements de gravité inférieure ne comptent pas comme des fuites."
    ),
    schema: { type: "string", enum: severities, default: "low" }
  },
  "leakCheck.baseBranch": {
    description: text(
      "The branch to compare changes with; if empty, the remote's default branch.",
      "La branche à laquelle comparer les modifications ; si le champ est vide, la branche par défaut du dépôt distant."
    ),
    scope: "resource",
    schema: { type: "string", default: "" }
  },
  "leakCheck.ignoreFile": {
    description: text(
      "The ignore file, relative to the root of the repository; the same file as the GitHub Action's.",
      "Le fichier des exceptions, relatif à la racine du dépôt ; le même que celui de l'action GitHub."
    ),
    scope: "resource",
    schema: { type: "string", default: ".threat-exposure-ignore.yml" }
  }
} as const satisfies Readonly<Record<string, SettingContribution>>
