/** The coding agents that can run a hook, and how the hook is registered in the settings of each. */
import * as Predicate from "effect/Predicate"

export const agents = ["claude-code", "codex", "gemini-cli", "copilot", "cursor"] as const
export type Agent = (typeof agents)[number]

/** Milliseconds that the check of an event may take, the start of the program included. Agents wait five seconds. */
export const defaultDeadline = 1750

export interface AgentHooks {
  /** The settings of the agent, relative to the top folder of the repository. */
  readonly file: string
  /** Before a prompt is sent, before a tool runs, and after it. */
  readonly events: ReadonlyArray<string>
  readonly entryOf: (command: string) => unknown
  /** Members of the file beside `hooks`. */
  readonly members?: Readonly<Record<string, unknown>>
  /** A sentence that tells the user what to do before the agent runs the hook. */
  readonly trust: string
  /** Whether the agent leaves out the output of a tool that the hook refuses. */
  readonly isOutputWithheld: boolean
  /** The answer on standard output by which the model learns why a tool was refused. The other agents read standard error. */
  readonly decisionOf?: (reason: string) => unknown
  /** Sends a prompt and ends; undefined if that cannot be done without a person. */
  readonly dryRun?: AgentCommand
}

export interface AgentCommand {
  readonly program: string
  readonly args: ReadonlyArray<string>
  /** Keeps the agent off its model: the hook is called before. */
  readonly environment: Readonly<Record<string, string>>
}

/** Seconds after which an agent gives up on the hook, which ends before. */
const timeout = 5

const nowhere = "http://127.0.0.1:9"

const group = (command: string, seconds: number) => ({ hooks: [{ type: "command", command, timeout: seconds }] })

const prompt = "Say hello."

export const agentHooks: Readonly<Record<Agent, AgentHooks>> = {
  "claude-code": {
    file: ".claude/settings.json",
    events: ["UserPromptSubmit", "PreToolUse", "PostToolUse"],
    entryOf: (command) => group(command, timeout),
    trust: "Claude Code runs it from the next session on; /hooks lists it.",
    isOutputWithheld: false,
    dryRun: {
      program: "claude",
      args: ["-p", prompt],
      environment: { ANTHROPIC_BASE_URL: nowhere, ANTHROPIC_API_KEY: "none" }
    }
  },
  codex: {
    file: ".codex/hooks.json",
    events: ["UserPromptSubmit", "PreToolUse", "PostToolUse"],
    entryOf: (command) => group(command, timeout),
    trust:
      "Codex skips it without a word until you trust it: start codex in this folder, trust the folder, then review and trust the hook with /hooks.",
    isOutputWithheld: true,
    dryRun: {
      program: "codex",
      args: [
        "exec",
        "-c",
        'model_provider="nowhere"',
        "-c",
        `model_providers.nowhere={name="nowhere",base_url="${nowhere}",wire_api="responses",request_max_retries=0,stream_max_retries=0}`,
        prompt
      ],
      environment: {}
    }
  },
  "gemini-cli": {
    file: ".gemini/settings.json",
    events: ["BeforeAgent", "BeforeTool", "AfterTool"],
    entryOf: (command) => group(command, timeout * 1000),
    trust:
      "Gemini CLI skips it without a word in a folder that is not trusted: start gemini in this folder and trust it.",
    isOutputWithheld: true,
    dryRun: {
      program: "gemini",
      args: ["-p", prompt],
      environment: { GEMINI_API_KEY: "none" }
    }
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
    dryRun: {
      program: "copilot",
      args: ["-p", prompt],
      environment: { COPILOT_PROVIDER_BASE_URL: nowhere, COPILOT_PROVIDER_API_KEY: "none", COPILOT_MODEL: "none" }
    }
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

/** Where a dry run learns that the agent called the hook. */
export const probeVariable = "THREAT_EXPOSURE_HOOK_PROBE"

/** Part of the command of every hook that is installed. */
const marker = "threat-exposure hook run"

export const commandOf = (agent: Agent, onIncomplete: "fail" | "warn"): string =>
  `${marker} --agent ${agent} --on-incomplete ${onIncomplete}`

/** Whether the hook can be added without a loss of what is there. */
export const takesHook = ({ hooks = {} }: Record<string, unknown>, agent: Agent): boolean =>
  Predicate.isObject(hooks) &&
  agentHooks[agent].events.map((event) => hooks[event] ?? []).every((entries) => Array.isArray(entries))

/** The settings with the hook, in place of an earlier one of this program; without it if `command` is undefined. */
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

/** Whether the settings hold nothing that this program did not write. */
export const isEmpty = (settings: Record<string, unknown>, agent: Agent): boolean =>
  Object.keys(settings).every((name) => name in (agentHooks[agent].members ?? {}))
