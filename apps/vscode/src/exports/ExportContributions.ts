import { contributed, overflow, row, signedIn, text } from "../editor/Contribution.ts"

export const commands = contributed({
  "events.export": {
    title: text("Export Events…", "Exporter des événements…"),
    places: [overflow("events", "3_export@1"), row("exportable", "3_export@1")]
  },
  "exports.resume": {
    title: text("Resume Export…", "Reprendre une exportation…"),
    palette: `${signedIn} && threatExposure.exports.unfinished`,
    places: [overflow("events", "3_export@2", `${signedIn} && threatExposure.exports.unfinished`)]
  },
  "credentials.export": {
    title: text("Export Credentials…", "Exporter des identifiants compromis…"),
    palette: `${signedIn} && threatExposure.credentials.searched`
  }
})
