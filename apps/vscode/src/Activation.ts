/**
 * Activation: registers everything that package.json contributes, and shows in the status bar who is signed in. The
 * first use of a contribution loads the rest of the extension. Does not use Effect, so that little has to be loaded.
 */
import type { ExtensionContext } from "vscode"
import { type Connection, savedAccounts, savedConnection, savedEnvironment } from "./connection/Connection.ts"
import type { ProfileWithToken } from "./connection/Profile.ts"
import { statusOf } from "./connection/StatusText.ts"
import { registerAccounts } from "./host/Accounts.ts"
import { registerMcpServers } from "./host/McpServers.ts"
import { reopenPages } from "./host/OpenPages.ts"
import { register, type Registrations, scheme, setContext, showLoadFailure, showStatus } from "./host/Registrations.ts"
import { savedState, watchSavedState } from "./host/SavedState.ts"

/** Disposes of what was started. */
type End = () => Promise<void>

export const activate = async (
  context: ExtensionContext,
  options: {
    /** Profile from environment variables. */
    readonly given?: ProfileWithToken | undefined
    /** Finds the path of an installed program. Undefined in a browser, which has none. */
    readonly findProgram?: (name: string) => Promise<string | undefined>
    /** Loads the rest of the extension, which passes its handlers to the registrations. */
    readonly start: (registrations: Registrations) => Promise<End>
  }
): Promise<End> => {
  let started: Promise<End> | undefined
  const rest = () => {
    started ??= options.start(registrations).catch((cause: unknown) => {
      // A read error may be temporary: the next use tries again.
      started = undefined
      console.error("Threat Exposure could not be loaded", cause)
      showLoadFailure(cause)
      throw cause
    })
    return started
  }
  const registrations = register(context, rest)

  const pages = reopenPages(context, scheme)
  const saved = savedState(context)
  const accounts = registerAccounts(() => savedAccounts(saved, options.given), registrations.accounts)
  const { findProgram } = options
  const mcpServers =
    findProgram === undefined
      ? undefined
      : registerMcpServers({
          findProgram: () => findProgram("threat-exposure"),
          environment: () => savedEnvironment(saved, options.given)
        })
  const show = async () => {
    const connection: Connection = await savedConnection(saved, options.given?.profile)
    // Once started, the rest of the extension shows the connection itself.
    if (started !== undefined) return
    setContext("signedIn", connection._tag === "SignedIn")
    showStatus(registrations.status, statusOf(connection, saved.setting("masking") === true))
  }
  const begin = async () => {
    // Detection as you type is off by default. It needs the rest of the extension.
    if (saved.setting("leakCheck.asYouType") === true) await rest()
    else if (started === undefined) await show()
  }
  const watched = watchSavedState(context, ["profiles", "masking", "leakCheck.asYouType"], () => {
    begin().catch(() => {})
    accounts.changed().catch(() => {})
    mcpServers?.changed()
  })
  const unfinished = saved.recall("here", "exports.unfinished")
  setContext("exports.unfinished", Array.isArray(unfinished) && unfinished.length > 0)
  begin().catch(() => {})

  return async () => {
    watched.dispose()
    const end = await started?.catch(() => undefined)
    await end?.()
    pages.dispose()
    accounts.dispose()
    mcpServers?.dispose()
    registrations.dispose()
  }
}
