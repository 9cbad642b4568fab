/** Contributions that all views and pages share. */
import { button, contributed, row, type SettingContribution, text } from "./Contribution.ts"

export const commands = contributed({
  toggleMasking: {
    title: text("Toggle Masking for Screen Sharing", "Activer ou désactiver le masquage pour le partage d'écran")
  },
  revealSecret: {
    title: text("Reveal Secrets in This Document", "Révéler les secrets dans ce document"),
    palette: "resourceScheme == threat-exposure"
  },
  hideSecret: {
    title: text("Hide Secrets in This Document", "Masquer les secrets dans ce document"),
    palette: "resourceScheme == threat-exposure"
  },
  showLog: {
    title: text("Show Log", "Afficher le journal"),
    icon: "output",
    palette: true,
    places: button("problem", 2)
  },
  retry: {
    title: text("Retry", "Réessayer"),
    icon: "refresh",
    places: button("problem", 1)
  },
  copyId: {
    title: text("Copy ID", "Copier l'ID"),
    places: [row("copyable", "8_copy@1")]
  },
  copyLink: {
    title: text("Copy Link", "Copier le lien"),
    places: [row("linked", "8_copy@2")]
  },
  copyJson: {
    title: text("Copy as JSON", "Copier en JSON"),
    places: [row("copyable", "8_copy@3")]
  }
})

export const settings = {
  masking: {
    description: text(
      "Mask account names and titles everywhere, and hide leaked values in files, for screen sharing.",
      "Masquer partout les noms de compte et les titres, et les valeurs fuitées dans les fichiers, pour le partage d'écran."
    ),
    schema: { type: "boolean", default: false }
  }
} as const satisfies Readonly<Record<string, SettingContribution>>
