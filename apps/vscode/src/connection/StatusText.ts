/** What the status bar says of a connection. Plain code: activation shows it before Effect is loaded. */
import type { StatusItem } from "../editor/Editor.ts"
import { t } from "../words/Localisation.ts"
import type { Connection } from "./Connection.ts"

export const statusOf = (connection: Connection, isMasked: boolean): StatusItem => {
  const masked = isMasked ? ` $(eye-closed)` : ""
  const also = isMasked ? `\n${t("Names are masked for screen sharing")}` : ""
  switch (connection._tag) {
    case "SignedOut":
      return {
        text: `$(shield) ${t("Sign In")}${masked}`,
        tooltip: t("Threat Exposure: you are not signed in") + also,
        command: "signIn",
        accessibleLabel: t("Threat Exposure: you are not signed in") + also
      }
    case "Expired":
      return {
        text: `$(warning) ${connection.profile.name}${masked}`,
        tooltip: t("Threat Exposure: your sign-in has expired") + also,
        command: "signIn",
        accessibleLabel: t("Threat Exposure: your sign-in has expired") + also
      }
    case "SignedIn":
      return {
        text: `$(shield) ${connection.profile.name}${masked}`,
        tooltip: t("Threat Exposure: signed in to {0}", connection.profile.baseUrl) + also,
        command: "switchProfile",
        accessibleLabel: t("Threat Exposure: signed in to {0}", connection.profile.name) + also
      }
  }
}
