/** The text of the status bar. Does not use Effect, because activation shows it first. */
import type { StatusItem } from "../editor/Editor.ts"
import { t } from "../words/Localisation.ts"
import type { Connection, Health } from "./Connection.ts"

export const statusOf = (connection: Connection, isMasked: boolean, health: Health = "unknown"): StatusItem => {
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
    case "SignedIn": {
      const isSilent = health === "silent"
      const { baseUrl, name } = connection.profile
      return {
        text: `$(${isSilent ? "debug-disconnect" : "shield"}) ${name}${masked}`,
        tooltip: signedInText(health, baseUrl) + also,
        command: isSilent ? "testConnection" : "switchProfile",
        accessibleLabel: signedInText(health, name) + also
      }
    }
  }
}

const signedInText = (health: Health, service: string): string => {
  switch (health) {
    case "unknown":
      return t("Threat Exposure: profile for {0}, not connected yet", service)
    case "answering":
      return t("Threat Exposure: signed in to {0}", service)
    case "silent":
      return t("Threat Exposure: {0} does not answer", service)
  }
}
