/** What every view offers on its rows. */
import { button, contributed, row, text } from "./Contribution.ts"

export const commands = contributed({
  retry: {
    title: text("Retry", "Réessayer"),
    icon: "refresh",
    palette: false,
    places: button("problem", 1)
  },
  showProblem: {
    title: text("Show Log", "Afficher le journal"),
    icon: "output",
    palette: false,
    places: button("problem", 2)
  },
  copyId: {
    title: text("Copy Id", "Copier l'ID"),
    palette: false,
    places: [row("copyable", "8_copy@1")]
  },
  copyLink: {
    title: text("Copy Link", "Copier le lien"),
    palette: false,
    places: [row("linked", "8_copy@2")]
  },
  copyJson: {
    title: text("Copy as JSON", "Copier en JSON"),
    palette: false,
    places: [row("copyable", "8_copy@3")]
  }
})
