import { defaultLinkField, defaultPathPrefix } from "@threat-exposure/core/domain/ServiceNames"
import { contributed, type SettingContribution, signedIn, text } from "../editor/Contribution.ts"
import { signInWays } from "./Profile.ts"

export const commands = contributed({
  signIn: { title: text("Sign In…", "Se connecter…"), icon: "sign-in" },
  trySample: {
    title: text("Try with Sample Data", "Essayer avec des données d'exemple"),
    palette: `!${signedIn}`
  },
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
      "Les services auxquels vous vous connectez. Ce paramètre est rempli par **Threat Exposure : Se connecter…** ; les jetons et les clés restent dans le stockage sécurisé de l'éditeur."
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
          name: { type: "string", minLength: 1, description: text("The name of the profile.", "Le nom du profil.") },
          baseUrl: {
            type: "string",
            pattern: "^https?://",
            description: text("The address of the service.", "L'adresse du service.")
          },
          pathPrefix: {
            type: "string",
            default: defaultPathPrefix,
            description: text("The path prefix of the service.", "Le préfixe des chemins du service.")
          },
          linkField: {
            type: "string",
            default: defaultLinkField,
            description: text(
              "The field in which the service returns the link to an event.",
              "Le champ dans lequel le service renvoie le lien d'un événement."
            )
          },
          signInWith: {
            type: "string",
            enum: signInWays,
            default: "token",
            description: text(
              "How to sign in: with an access token (token), with an API key (apiKey), or without credentials, which a proxy adds (none).",
              "Le mode de connexion : un jeton d'accès (token), une clé d'API (apiKey), ou aucune authentification, si un proxy l'ajoute (none)."
            )
          },
          tenantId: {
            type: "integer",
            description: text(
              "The ID of the tenant, for an API key with several tenants.",
              "L'ID du locataire, pour une clé d'API qui en a plusieurs."
            )
          }
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
