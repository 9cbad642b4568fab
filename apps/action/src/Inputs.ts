/** Decodes every input of action.yml; `inputHelp` describes each of them. */
import { isLoopback } from "@threat-exposure/core/domain/Loopback"
import { defaultLinkField, defaultPathPrefix } from "@threat-exposure/core/domain/ServiceNames"
import { ConfigSettings } from "@threat-exposure/leak-check/config/ConfigSettings"
import { settingDefaults, settingHelp, type SettingHelp } from "@threat-exposure/leak-check/config/SettingHelp"
import type { SettingsForm } from "@threat-exposure/leak-check/config/ConfigFile"
import { failIfUndefined, OnePath, readAs } from "@threat-exposure/leak-check/config/SettingValue"
import { Option, Record, Redacted, Result, Schema } from "effect"

const BaseUrl = readAs(Schema.String, Schema.String, (text) => {
  if (!URL.canParse(text)) return Result.fail(undefined)
  const { hash, hostname, password, protocol, search, username } = new URL(text)
  if (username !== "" || password !== "") return Result.fail("it contains a user name or a password")
  if (hash !== "" || search !== "") return Result.fail("it contains a query or a fragment")
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname))
    ? Result.succeed(text)
    : Result.fail("a token is sent over https only")
})

const PathPrefix = readAs(Schema.String, Schema.String, (text) =>
  failIfUndefined(/^\/?([A-Za-z0-9_~-][A-Za-z0-9._~-]*(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*)\/?$/u.exec(text)?.[1])
)

const Token = readAs(Schema.String, Schema.Redacted(Schema.String), (text) =>
  /^[\u0021-\u007e]+$/u.test(text)
    ? Result.succeed(Redacted.make(text))
    : Result.fail("it contains a space, a line break or another character that is not allowed in a header")
)

const NamedSecret = Schema.Struct({ name: Schema.String, value: Schema.Redacted(Schema.String) })

const decodeContext = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)))

const decodeJsonText = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.String))

/** `${{ toJSON(secrets.NAME) }}` encodes a multi-line value on one line. */
const oneValue = (written: string) => Redacted.make(Option.getOrElse(decodeJsonText(written), () => written))

const NamedSecrets = readAs(Schema.String, Schema.Array(NamedSecret), (text) =>
  text.startsWith("{")
    ? Result.mapBoth(decodeContext(text), {
        onFailure: () => "it looks like JSON, but is not a JSON object of strings",
        onSuccess: (context) => Object.entries(context).map(([name, value]) => ({ name, value: Redacted.make(value) }))
      })
    : Result.all(
        text.split(/\r?\n/u).flatMap((line, index) => {
          if (line.trim() === "") return []
          const [, name, value = ""] = /^\s*([A-Za-z_][A-Za-z0-9_.-]*)\s*=(.*)$/u.exec(line) ?? []
          return [
            name === undefined
              ? Result.fail(
                  `line ${index + 1} has no name and \`=\` (write a value of several lines as NAME=\${{ toJSON(secrets.NAME) }})`
                )
              : Result.succeed({ name, value: oneValue(value.trim()) })
          ]
        })
      )
)

export const Inputs = Schema.Struct({
  "base-url": Schema.optionalKey(BaseUrl),
  token: Schema.optionalKey(Token),
  secrets: Schema.optionalKey(NamedSecrets),
  ...ConfigSettings.fields,
  "working-directory": Schema.optionalKey(OnePath),
  "config-file": Schema.optionalKey(OnePath),
  "github-token": Schema.optionalKey(Token),
  "path-prefix": PathPrefix,
  "link-field": Schema.String.check(Schema.isPattern(/^[A-Za-z_][A-Za-z0-9_-]*$/u))
})

export type Inputs = typeof Inputs.Type
export type InputName = keyof Inputs

export const inputNames = Record.keys(Inputs.fields)

const inputDefaults = {
  ...settingDefaults,
  "path-prefix": defaultPathPrefix,
  "link-field": defaultLinkField
} as const

/** The default of an input for action.yml and the JSON Schema; undefined if the description explains it. */
export const defaultOf = (name: InputName): string | number | boolean | undefined => {
  const all: Readonly<Partial<Record<InputName, string | number | boolean>>> = inputDefaults
  return all[name]
}

export const inputHelp: Readonly<Record<InputName, SettingHelp>> = {
  ...settingHelp,
  "base-url": {
    description:
      "Address of the threat-exposure service; it may have a path. Required, unless the environment has THREAT_EXPOSURE_BASE_URL.",
    variable: "THREAT_EXPOSURE_BASE_URL",
    mustBe: "an https address such as `https://api.example.com`, or an http address of this machine"
  },
  token: {
    description:
      "Access token of the service, with the permission Read Tenant. Required, unless the environment has THREAT_EXPOSURE_TOKEN.",
    variable: "THREAT_EXPOSURE_TOKEN",
    mustBe: "an access token",
    secret: true
  },
  secrets: {
    description: "Secrets to search by name: NAME=value lines, or the JSON of the secrets context.",
    mustBe: "`NAME=value` lines, or the JSON of the `secrets` context",
    secret: true
  },
  "working-directory": {
    description:
      "Folder of the workspace with the repository to check, if it was checked out with a `path`; paths and files of the other inputs are relative to it. Default: the workspace.",
    mustBe: "a folder in the workspace"
  },
  "config-file": {
    description:
      "Config file for the settings that are not set here. Default: the first that exists of .threat-exposure.yml and .github/threat-exposure.yml.",
    mustBe: "a path in the repository"
  },
  "github-token": {
    description: "Token to write the comment and to fetch missing history.",
    mustBe: "a token of GitHub",
    secret: true
  },
  "path-prefix": {
    description: "First segment of the service's paths.",
    mustBe: "a path such as `svc`"
  },
  "link-field": {
    description: "Field of an event that contains the link to it.",
    mustBe: "a field name such as `svc_url`"
  }
}

export const inputForm: SettingsForm<typeof Inputs> = {
  schema: Inputs,
  defaults: inputDefaults,
  help: inputHelp,
  label: (name) => `Input \`${name}\``,
  repeatsGiven: true
}
