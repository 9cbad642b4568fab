/** The coding agents that can run a hook, and how their settings register it. */
import * as Predicate from "effect/Predicate"

export const agents = ["claude-code", "codex", "gemini-cli", "copilot", "cursor"] as const
export type Agent = (typeof agents)[number]

/** Milliseconds for the check of an event, including the start of the program. Agents wait five seconds. */
export const defaultDeadline = 1750

/** The share of the deadline in which an event must be scanned; the rest is for the search. */
export const scanShare = 0.7

export interface AgentHooks {
  /** Path of the settings file, relative to the top folder of the repository. */
  readonly file: string
  /** Names of the events before a prompt is sent, before a tool runs, and after it. */
  readonly events: ReadonlyArray<string>
  readonly entryOf: (command: string) => unknown
  /** Members of the file that a hook needs besides `hooks`. */
  readonly members?: Readonly<Record<string, unknown>>
  /** A sentence that tells the user how to enable the hook in the agent. */
  readonly trust: string
  /** Whether the agent withholds the output of a tool from the model if the hook refuses it. */
  readonly isOutputWithheld: boolean
  /**
   * The answer on standard output that tells the model why a tool was refused. Agents without it read standard error.
   */
  readonly decisionOf?: (reason: string) => unknown
  /**
   * A command that sends one prompt to the model at this address and exits; undefined if the agent cannot do that
   * unattended.
   */
  readonly dryRun?: (model: string) => AgentCommand
}

export interface AgentCommand {
  readonly program: string
  readonly args: ReadonlyArray<string>
  /** Variables with which the agent calls no other model. It calls the hook before. */
  readonly environment: Readonly<Record<string, string>>
}

/** Seconds after which an agent stops waiting. The hook ends earlier. */
const timeout = 5

const group = (command: string, seconds: number) => ({ hooks: [{ type: "command", command, timeout: seconds }] })

const prompt = "Say hello."

export const agentHooks: Readonly<Record<Agent, AgentHooks>> = {
  "claude-code": {
    file: ".claude/settings.json",
    events: ["UserPromptSubmit", "PreToolUse", "PostToolUse"],
    entryOf: (command) => group(command, timeout),
    trust: "Claude Code runs it from the next session on; /hooks lists it.",
    isOutputWithheld: false,
    dryRun: (model) => ({
      program: "claude",
      args: ["-p", prompt],
      environment: { ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: "none" }
    })
  },
  codex: {
    file: ".codex/hooks.json",
    events: ["UserPromptSubmit", "PreToolUse", "PostToolUse"],
    entryOf: (command) => group(command, timeout),
    trust:
      "Codex skips it without a word until you trust it: start codex in this folder, trust the folder, then review and trust the hook with /hooks. Its background process calls the hook with the variables that it was started with: sign in with threat-exposure login, or restart it with /daemon after a change.",
    isOutputWithheld: true,
    dryRun: (model) => ({
      program: "codex",
      args: [
        "exec",
        "-c",
        'model_provider="nowhere"',
        "-c",
        `model_providers.nowhere={name="nowhere",base_url="${model}",wire_api="responses",request_max_retries=0,stream_max_retries=0}`,
        prompt
      ],
      environment: {}
    })
  },
  "gemini-cli": {
    file: ".gemini/settings.json",
    events: ["BeforeAgent", "BeforeTool", "AfterTool"],
    entryOf: (command) => group(command, timeout * 1000),
    trust:
      "Gemini CLI skips it without a word in a folder that is not trusted: start gemini in this folder and trust it.",
    isOutputWithheld: true,
    dryRun: () => ({
      program: "gemini",
      args: ["-p", prompt],
      environment: { GEMINI_API_KEY: "none" }
    })
  },
  copilot: {
    file: ".github/hooks/threat-exposure.json",
    events: ["userPromptSubmitted", "preToolUse", "postToolUse"],
    entryOf: (command) => ({ type: "command", bash: command, powershell: command, timeoutSec: timeout }),
    members: { version: 1 },
    trust:
      "Copilot skips it without a word in a folder that is not trusted: start copilot in this folder and trust it. It refuses tools, but not prompts.",
    isOutputWithheld: false,
    decisionOf: (reason) => ({ permissionDecision: "deny", permissionDecisionReason: reason }),
    dryRun: (model) => ({
      program: "copilot",
      args: ["-p", prompt],
      environment: { COPILOT_PROVIDER_BASE_URL: model, COPILOT_PROVIDER_API_KEY: "none", COPILOT_MODEL: "none" }
    })
  },
  cursor: {
    file: ".cursor/hooks.json",
    events: ["beforeSubmitPrompt", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile"],
    entryOf: (command) => ({ command }),
    members: { version: 1 },
    trust: "Written after Cursor's documents and not tried with it: look at Settings, Hooks, and try it once.",
    isOutputWithheld: false
  }
}

/** Variable with a path: during a dry run, the hook creates this file. */
export const probeVariable = "THREAT_EXPOSURE_HOOK_PROBE"

/** Identifies an installed hook by its command. */
const marker = "threat-exposure hook run"

export const commandOf = (agent: Agent, onIncomplete: "fail" | "warn"): string =>
  `${marker} --agent ${agent} --on-incomplete ${onIncomplete}`

/** Whether the hook can be added without overwriting other settings. */
export const takesHook = ({ hooks = {} }: Record<string, unknown>, agent: Agent): boolean =>
  Predicate.isObject(hooks) &&
  agentHooks[agent].events.map((event) => hooks[event] ?? []).every((entries) => Array.isArray(entries))

/** Adds the hook to the settings and replaces an earlier one; removes it if `command` is undefined. */
export const withHook = (settings: unknown, agent: Agent, command: string | undefined): Record<string, unknown> => {
  const { entryOf, events, members } = agentHooks[agent]
  const document: Record<string, unknown> = { ...members, ...(Predicate.isObject(settings) ? settings : {}) }
  const hooks: Record<string, unknown> = { ...(Predicate.isObject(document["hooks"]) ? document["hooks"] : {}) }
  for (const event of events) {
    const given = hooks[event]
    const others = (Array.isArray(given) ? given : []).filter((entry) => !JSON.stringify(entry).includes(marker))
    const entries = command === undefined ? others : [...others, entryOf(command)]
    if (entries.length > 0) hooks[event] = entries
    else delete hooks[event]
  }
  if (Object.keys(hooks).length > 0) document["hooks"] = hooks
  else delete document["hooks"]
  return document
}

/** Whether the settings contain nothing but what this program wrote. */
export const isEmpty = (settings: Record<string, unknown>, agent: Agent): boolean =>
  Object.keys(settings).every((name) => name in (agentHooks[agent].members ?? {}))
