import { defaultLinkField, defaultPathPrefix } from "@threat-exposure/core/domain/ServiceNames"
import { contributed, type SettingContribution, signedIn, text } from "../editor/Contribution.ts"
import { signInWays } from "./Profile.ts"

export const commands = contributed({
  signIn: { title: text("Sign In…", "Se connecter…"), icon: "sign-in" },
  signOut: { title: text("Sign Out", "Se déconnecter") },
  "profiles.add": { title: text("Add Profile…", "Ajouter un profil…"), icon: "add" },
  "profiles.rename": {
    title: text("Rename Profile…", "Renommer un profil…"),
    palette: "config.threatExposure.profiles != '[]'"
  },
  "profiles.remove": {
    title: text("Remove Profile…", "Supprimer un profil…"),
    palette: "config.threatExposure.profiles != '[]'"
  },
  switchProfile: { title: text("Switch Profile…", "Changer de profil…"), icon: "account" },
  testConnection: { title: text("Test Connection", "Tester la connexion"), palette: signedIn }
})

export const settings = {
  profiles: {
    description: text(
      "The services you sign in to. Written by **Threat Exposure: Sign In…**; the tokens and keys themselves are kept in the editor's secret storage.",
      "Les services auxquels vous vous connectez. Écrit par **Threat Exposure : Se connecter…** ; les jetons et les clés restent dans le stockage sécurisé de l'éditeur."
    ),
    scope: "application",
    schema: {
      type: "array",
      default: [],
      items: {
        type: "object",
        required: ["name", "baseUrl"],
        additionalProperties: false,
        properties: {
          name: { type: "string", minLength: 1 },
          baseUrl: { type: "string", pattern: "^https?://" },
          pathPrefix: {
            type: "string",
            default: defaultPathPrefix,
            description: "The path prefix of the service."
          },
          linkField: {
            type: "string",
            default: defaultLinkField,
            description: "The service's name of the field that links to an event."
          },
          signInWith: {
            type: "string",
            enum: signInWays,
            default: "token",
            description: "`none` where a proxy adds the credentials."
          },
          tenantId: { type: "integer", description: "The tenant, for an API key with several tenants." }
        }
      }
    }
  },
  "requests.timeoutSeconds": {
    description: text(
      "Seconds to wait for an answer from the service.",
      "Délai d'attente d'une réponse du service, en secondes."
    ),
    schema: { type: "integer", minimum: 1, maximum: 180, default: 30 }
  },
  "requests.searchesPerSecond": {
    description: text("The maximum number of searches per second.", "Nombre maximal de recherches par seconde."),
    schema: { type: "number", minimum: 0.1, maximum: 100, default: 1 }
  },
  "requests.callsPerSecond": {
    description: text(
      "The maximum number of other requests per second.",
      "Nombre maximal d'autres requêtes par seconde."
    ),
    schema: { type: "number", minimum: 0.1, maximum: 100, default: 4 }
  }
} as const satisfies Readonly<Record<string, SettingContribution>>
