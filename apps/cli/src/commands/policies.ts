import { MatchingPolicies } from "@threat-exposure/core/client/MatchingPolicies"
import { type MatchingPolicy, NewMatchingPolicy } from "@threat-exposure/core/domain/MatchingPolicy"
import { counted } from "@threat-exposure/leak-check/Counted"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { switchFlag } from "@threat-exposure/command-line/SwitchFlag"
import { client } from "../connection/Client.ts"
import { maxAssigned } from "../monitoring/MonitoringChanges.ts"
import { redactJson } from "../redaction/Redaction.ts"
import { countFlag, listFlag, optionalText, textArgument } from "../request/Flags.ts"
import { collect, printListing, printRecord } from "../request/Listing.ts"
import { namingInputs, namingMissing } from "../request/Refusal.ts"
import { actOnTargets, confirmDeletion, idsOf, targetFlags, targetsOf, yesFlag } from "../request/Targets.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"

const uuidArgument = textArgument("UUID", "The uuid, as policies list shows it")

const shownOf = (policy: MatchingPolicy) => redactJson(policy, /^uuid$/u)

const list = Command.make(
  "list",
  { limit: countFlag("limit", 1000, "Maximum number of policies") },
  Effect.fnUntraced(function* ({ limit }) {
    const policies = yield* MatchingPolicies
    yield* printListing(yield* collect(policies.pages(), limit), {
      noun: "policy",
      columns: [
        { title: "UUID", rank: 0 },
        { title: "TYPE", rank: 1 },
        { title: "NAME", rank: 0, isFlexible: true },
        { title: "VALUE", rank: 2, isFlexible: true }
      ],
      shownOf,
      rowOf: (_, { name, policy_type, uuid, value }) => [uuid, policy_type, name, valueText(value)]
    })
  }, Effect.provide(client))
).pipe(
  Command.withDescription("List the matching policies"),
  Command.withExamples([{ command: "threat-exposure policies list", description: "All of them" }])
)

const valueText = (value: MatchingPolicy["value"]): string =>
  Object.values(value).map(String).join(" ").replaceAll(",", ", ")

const get = Command.make(
  "get",
  { uuid: uuidArgument },
  Effect.fnUntraced(function* ({ uuid }) {
    const policies = yield* MatchingPolicies
    yield* printRecord(shownOf(yield* namingMissing("policy", uuid)(policies.get(uuid))))
  }, Effect.provide(client))
).pipe(
  Command.withDescription("Show one policy"),
  Command.withExamples([
    { command: "threat-exposure policies get 4b1c9a3e-7d52-4f0a-9a57-2f1f0c3d6e88", description: "By its uuid" }
  ])
)

const types = ["INCLUDED_KEYWORDS", "EXCLUDED_KEYWORDS", "LUCENE_QUERY", "ASTP_DOMAIN", "ASTP_COOKIES"] as const

const matchModes = ["email_domain_only", "auth_domain_and_email_domain", "auth_domain_only"] as const

const valueFlags = {
  keywords: listFlag("keywords", "LIST", "For INCLUDED_KEYWORDS and EXCLUDED_KEYWORDS"),
  query: optionalText("query", "TEXT", "For LUCENE_QUERY"),
  matchMode: Flag.Literals("match-mode", matchModes).pipe(
    Flag.withMetavar("MODE"),
    Flag.optional,
    Flag.withDescription("For ASTP_DOMAIN: which addresses of a credential match")
  ),
  cookies: listFlag("cookies", "LIST", "Names of cookies, for ASTP_COOKIES"),
  matchSubdomains: Flag.Boolean("match-subdomains").pipe(
    Flag.withOptionalValue("true"),
    Flag.optional,
    Flag.withDescription("For ASTP_COOKIES: cookies of subdomains as well")
  )
}

const inputs = namingInputs({
  name: "--name",
  keywords: "--keywords",
  query: "--query",
  match_mode: "--match-mode",
  cookie_names: "--cookies",
  match_subdomains: "--match-subdomains"
})

type ValueFlagValues = {
  readonly [Name in keyof typeof valueFlags]: (typeof valueFlags)[Name] extends Flag.Flag<infer Value> ? Value : never
}

/** The value with the changes of the flags; undefined if no flag is given. Fails for a flag of another policy type. */
const valueOf = Effect.fnUntraced(function* (
  type: string,
  before: object,
  { cookies, keywords, matchMode, matchSubdomains, query }: ValueFlagValues
) {
  const given = [
    {
      flag: "keywords",
      types: ["INCLUDED_KEYWORDS", "EXCLUDED_KEYWORDS"],
      member: "keywords",
      value: keywords.length === 0 ? undefined : keywords
    },
    { flag: "query", types: ["LUCENE_QUERY"], member: "query", value: Option.getOrUndefined(query) },
    { flag: "match-mode", types: ["ASTP_DOMAIN"], member: "match_mode", value: Option.getOrUndefined(matchMode) },
    {
      flag: "cookies",
      types: ["ASTP_COOKIES"],
      member: "cookie_names",
      value: cookies.length === 0 ? undefined : cookies
    },
    {
      flag: "match-subdomains",
      types: ["ASTP_COOKIES"],
      member: "match_subdomains",
      value: Option.getOrUndefined(matchSubdomains)
    }
  ].filter(({ value }) => value !== undefined)
  const wrong = given.find(({ types }) => !types.includes(type))
  if (wrong !== undefined) {
    return yield* new UsageInvalid({
      message: `--${wrong.flag} is for a policy of type ${wrong.types.join(" or ")}, not ${type}`
    })
  }
  return given.length === 0
    ? undefined
    : { ...before, ...Object.fromEntries(given.map(({ member, value }) => [member, value])) }
})

/** The flag with the value of each type. */
const valueNames: Readonly<Record<(typeof types)[number], string>> = {
  INCLUDED_KEYWORDS: "keywords",
  EXCLUDED_KEYWORDS: "keywords",
  LUCENE_QUERY: "query",
  ASTP_DOMAIN: "match-mode",
  ASTP_COOKIES: "cookies"
}

const decodePolicy = Schema.decodeUnknownOption(NewMatchingPolicy)

const create = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(Flag.withMetavar("TEXT"), Flag.withDescription("A name for people")),
    type: Flag.Literals("type", types).pipe(Flag.withMetavar("TYPE"), Flag.withDescription("What its value is")),
    ...valueFlags
  },
  Effect.fnUntraced(
    function* ({ name, type, ...flags }) {
      const value = yield* valueOf(type, type === "ASTP_COOKIES" ? { match_subdomains: false } : {}, flags)
      const policy = Option.getOrUndefined(decodePolicy({ name, type, value }))
      if (policy === undefined) {
        return yield* new UsageInvalid({
          message: `A policy of type ${type} needs --${valueNames[type]}, and a name that is not empty`
        })
      }
      const policies = yield* MatchingPolicies
      yield* printRecord(shownOf(yield* policies.create(policy)))
    },
    inputs,
    Effect.provide(client)
  )
).pipe(
  Command.withDescription("Create a policy; it has no effect until it is assigned"),
  Command.withExamples([
    {
      command: "threat-exposure policies create --name shops --type INCLUDED_KEYWORDS --keywords checkout,payment",
      description: "Only events with one of two words"
    }
  ])
)

const update = Command.make(
  "update",
  { uuid: uuidArgument, name: optionalText("name", "TEXT", "Another name"), ...valueFlags },
  Effect.fnUntraced(
    function* ({ name, uuid, ...flags }) {
      const policies = yield* MatchingPolicies
      const current = yield* namingMissing("policy", uuid)(policies.get(uuid))
      const value = yield* valueOf(current.policy_type, current.value, flags)
      if (value === undefined && Option.isNone(name)) {
        return yield* new UsageInvalid({
          message: `Nothing to change: a policy of type ${current.policy_type} takes --name and the flag of its type, see --help`
        })
      }
      const body = {
        name: Option.getOrElse(name, () => current.name),
        value: value ?? current.value
      }
      yield* printRecord(shownOf(yield* policies.update(uuid, body)))
    },
    inputs,
    Effect.provide(client)
  )
).pipe(
  Command.withDescription("Change the name or the value of a policy, for what is matched from then on"),
  Command.withExamples([
    {
      command: "threat-exposure policies update 4b1c9a3e-7d52-4f0a-9a57-2f1f0c3d6e88 --keywords checkout",
      description: "Another list of words"
    }
  ])
)

const remove = Command.make(
  "delete",
  { ...targetFlags("UUID", "Uuids of policies, as policies list shows them"), yes: yesFlag },
  Effect.fnUntraced(function* ({ yes, ...flags }) {
    const uuids = yield* targetsOf(flags)
    yield* confirmDeletion(`${counted(uuids.length, "policy")} with all assignments`, yes)
    const policies = yield* MatchingPolicies
    yield* actOnTargets(uuids, {
      noun: "policy",
      done: "deleted",
      key: "uuid",
      maxTargets: 1,
      run: ([uuid = ""]) => policies.delete(uuid)
    })
  }, Effect.provide(client))
).pipe(
  Command.withDescription("Delete policies with their assignments"),
  Command.withExamples([
    {
      command: "threat-exposure policies delete 4b1c9a3e-7d52-4f0a-9a57-2f1f0c3d6e88 --yes",
      description: "Without asking"
    }
  ])
)

const assignment = (name: "assign" | "unassign", done: string, description: string) =>
  Command.make(
    name,
    {
      uuid: uuidArgument,
      ...targetFlags("ID", "Ids of identifiers, as identifiers list shows them"),
      cleanPastEvents: switchFlag(
        "clean-past-events",
        "Apply the change to past events as well, not only to what is matched from now on"
      )
    },
    Effect.fnUntraced(function* ({ cleanPastEvents, uuid, ...flags }) {
      const ids = yield* idsOf(flags)
      const policies = yield* MatchingPolicies
      // The assignment itself answers "not found" without saying whether the policy or an identifier is missing.
      yield* namingMissing("policy", uuid)(policies.get(uuid))
      yield* actOnTargets(ids, {
        noun: "identifier",
        done,
        key: "id",
        maxTargets: maxAssigned,
        run: (some) => policies[name](uuid, { identifier_ids: some, clean_past_events: cleanPastEvents })
      })
    }, Effect.provide(client))
  ).pipe(
    Command.withDescription(description),
    Command.withExamples([
      {
        command: `threat-exposure policies ${name} 4b1c9a3e-7d52-4f0a-9a57-2f1f0c3d6e88 42 43`,
        description: "Two identifiers"
      }
    ])
  )

export const policies = Command.make("policies").pipe(
  Command.withDescription("Manage matching policies: which events match an identifier"),
  Command.withSubcommands([
    list,
    get,
    create,
    update,
    remove,
    assignment("assign", "given the policy", "Give a policy to identifiers"),
    assignment("unassign", "freed of the policy", "Take a policy from identifiers")
  ])
)
