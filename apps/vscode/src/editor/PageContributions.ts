import { contributed, text } from "./Contribution.ts"

export const commands = contributed({
  revealSecret: {
    title: text("Reveal Secrets of This Document", "Révéler les secrets de ce document"),
    palette: "resourceScheme == threat-exposure"
  },
  hideSecret: {
    title: text("Hide Secrets of This Document", "Cacher les secrets de ce document"),
    palette: "resourceScheme == threat-exposure"
  }
})
