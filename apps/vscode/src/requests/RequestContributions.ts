import { contributed, signedIn, text } from "../editor/Contribution.ts"

export const commands = contributed({
  createReport: { title: text("Create Report…", "Créer un rapport…"), palette: signedIn },
  openReports: { title: text("Reports…", "Rapports…"), palette: signedIn },
  addUsers: { title: text("Add Users to Tenant…", "Ajouter des utilisateurs au locataire…"), palette: signedIn },
  askIntel: {
    title: text("Ask Threat Intelligence…", "Interroger le renseignement sur les menaces…"),
    palette: signedIn
  }
})
