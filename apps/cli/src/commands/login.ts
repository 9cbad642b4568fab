import { ApiClient } from "@threat-exposure/core/client/ApiClient"
import { Recommendations } from "@threat-exposure/core/client/Recommendations"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Prompt from "effect/cli/Prompt"
import { switchFlag } from "@threat-exposure/command-line/SwitchFlag"
import {
  validateOptions,
  BaseUrlMissing,
  type Given,
  givenBaseUrl,
  givenPathPrefix,
  noProfile,
  optionsOf
} from "../connection/Connection.ts"
import { profileFlag } from "../connection/ConnectionFlags.ts"
import { serviceHttp } from "../connection/NodeHttp.ts"
import { Profiles } from "../connection/Profiles.ts"
import { exitCodes } from "../ExitCode.ts"
import { json, print, printJson, say, tableOptions } from "../output/Output.ts"
import { table } from "../output/Table.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"
import { standardInput } from "../request/StandardInput.ts"

/** Names of the secrets in prompts and messages. */
const secretNames = { token: "Access token", "api-key": "API key" } as const

/** Standard input or the prompt gave no token or key. */
class SecretMissing extends Schema.TaggedError<SecretMissing>()("SecretMissing", {
  kind: Schema.Literals(["token", "api-key"])
}) {
  readonly exitCode = exitCodes.usage

  override get message() {
    return `${secretNames[this.kind]} missing: type it at the prompt, or pipe it into standard input`
  }
}

const enterSecret = Effect.fnUntraced(function* (kind: "token" | "api-key") {
  const stdio = yield* Stdio.Stdio
  const text = (yield* stdio.stdinIsTerminal)
    ? Redacted.value(yield* Prompt.run(Prompt.Password({ message: `${secretNames[kind]}:` })))
    : yield* standardInput
  return text.trim() === "" ? yield* new SecretMissing({ kind }) : Redacted.make(text.trim())
})

const enterBaseUrl = Effect.gen(function* () {
  const given = yield* givenBaseUrl
  if (given !== undefined) return given
  const stdio = yield* Stdio.Stdio
  if (!(yield* stdio.stdinIsTerminal)) return yield* new BaseUrlMissing({})
  const name = "Address of the service"
  const entered: Given = { name, value: yield* Prompt.run(Prompt.String({ message: `${name}:` })) }
  return entered
})

export const login = Command.make(
  "login",
  {
    apiKey: switchFlag("api-key", "Sign in with an API key, which is exchanged for tokens, instead of an access token"),
    tenant: Flag.Int("tenant").pipe(
      Flag.withMetavar("N"),
      Flag.optional,
      Flag.withDescription("With --api-key: the tenant to request tokens for")
    ),
    list: switchFlag("list", "List the saved profiles, without their secrets, instead")
  },
  Effect.fnUntraced(function* ({ apiKey, list, tenant }) {
    if (list) return yield* printProfiles
    const name = yield* profileFlag
    if (Option.isSome(tenant) && !apiKey) return yield* new UsageInvalid({ message: "--tenant goes with --api-key" })
    const { name: nameOfUrl, value: baseUrl } = yield* enterBaseUrl
    const pathPrefix = yield* givenPathPrefix
    const names = {
      baseUrl: nameOfUrl,
      pathPrefix: pathPrefix?.name,
      token: secretNames.token,
      apiKey: secretNames["api-key"]
    }
    // Fail before the prompt if the address is invalid.
    yield* validateOptions({ baseUrl, pathPrefix: pathPrefix?.value, token: "none" }, names)
    const kind = apiKey ? "api-key" : "token"
    const profile = {
      baseUrl,
      pathPrefix: pathPrefix?.value,
      tenantId: Option.getOrUndefined(tenant),
      kind,
      secret: yield* enterSecret(kind)
    } as const
    const options = yield* validateOptions(optionsOf(profile), names)
    const apiClient = ApiClient.layerNoDeps(options).pipe(Layer.provide(serviceHttp))
    const described = yield* Effect.flatMap(ApiClient, ({ whoAmI }) => whoAmI).pipe(Effect.provide(apiClient))
    const place = yield* Effect.flatMap(Profiles, (profiles) => profiles.save(name, profile))
    yield* say(
      described === undefined
        ? `Signed in to ${baseUrl}. The service does not describe tokens: the first command shows whether this one is valid.`
        : `Signed in to ${baseUrl}${described.tenant_id === null ? "" : `, tenant ${described.tenant_id}`}.`
    )
    yield* say(`${secretNames[kind]} kept in ${place}.`)
    yield* checkPathPrefix.pipe(Effect.provide(Recommendations.layer.pipe(Layer.provide(apiClient))))
  })
).pipe(
  Command.withDescription(
    "Save the address of a service and a token for it. The token is typed at a prompt or read from standard input"
  ),
  Command.withExamples([
    { command: "threat-exposure login --base-url https://api.example.com", description: "Type an access token" },
    {
      command: "pass threat-exposure | threat-exposure login --api-key --base-url https://api.example.com",
      description: "Read an API key from a password manager"
    }
  ])
)

/**
 * The request that describes the token does not use the path prefix, so this one checks it. Listing recommendations
 * costs no quota, but a service may lack them.
 */
const checkPathPrefix = Recommendations.pipe(
  Effect.flatMap(({ pages }) => Stream.runHead(pages({ size: 1 }))),
  Effect.catchTag("NotFound", () =>
    say('The service lists no recommendations: if other commands end with "not found", the path prefix is wrong.')
  ),
  Effect.ignore
)

const printProfiles = Effect.gen(function* () {
  const profiles = yield* Profiles
  const saved = yield* Effect.forEach(yield* profiles.names, (name) =>
    Effect.map(profiles.get(name), (profile) => ({
      name,
      base_url: profile?.baseUrl ?? "",
      kind: profile?.kind ?? "",
      tenant: profile?.tenantId ?? null
    }))
  )
  if (yield* json) return yield* Effect.forEach(saved, printJson, { discard: true })
  if (saved.length === 0) return yield* say("No profile is saved: run threat-exposure login.")
  const columns = [
    { title: "PROFILE", rank: 0 },
    { title: "SERVICE", rank: 0 },
    { title: "KIND", rank: 1 },
    { title: "TENANT", rank: 2 }
  ]
  const rows = saved.map(({ base_url, kind, name, tenant }) => [name, base_url, kind, String(tenant ?? "")])
  for (const line of table(columns, rows, yield* tableOptions)) yield* print(line)
})

export const logout = Command.make(
  "logout",
  {},
  Effect.fnUntraced(function* () {
    const name = yield* profileFlag
    const profiles = yield* Profiles
    if (yield* profiles.remove(name)) return yield* say(`Signed out: the profile "${name}" is deleted.`)
    const known = yield* profiles.names
    // A misspelt name must not pass for a token that was deleted.
    if (known.length > 0) return yield* new UsageInvalid({ message: noProfile(name, known) })
    yield* say(`${noProfile(name)}.`)
  })
).pipe(
  Command.withDescription("Delete the saved token of a profile"),
  Command.withExamples([{ command: "threat-exposure logout", description: "Sign out of the default profile" }])
)
