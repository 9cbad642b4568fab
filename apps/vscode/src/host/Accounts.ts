/**
 * Provides the profiles as accounts of the editor, which lists them in its Accounts menu and asks the person before
 * another extension receives a session. Does not use Effect, because the editor requests the sessions during
 * activation.
 */
import * as vscode from "vscode"
import type { AccountHandler, Handlers } from "./Registrations.ts"

export interface Account {
  readonly name: string
  /** Empty if a proxy adds the credentials. */
  readonly token: string
  /** Scope of the session: the method of the sign-in. */
  readonly scope: string
}

export interface Accounts extends vscode.Disposable {
  /** Must be called after a change of profiles or secrets. */
  readonly changed: () => Promise<void>
}

export const registerAccounts = (
  /** Returns the signed-in accounts. */
  load: () => Promise<ReadonlyArray<Account>>,
  handlers: Handlers<AccountHandler>
): Accounts => {
  const changes = new vscode.EventEmitter<vscode.AuthenticationProviderAuthenticationSessionsChangeEvent>()
  /** Sessions by id as last reported to the editor; undefined before its first request. */
  let reported: ReadonlyMap<string, vscode.AuthenticationSession> | undefined

  const read = async () => new Map((await load()).map((account) => [account.name, sessionOf(account)]))

  const provider: vscode.AuthenticationProvider = {
    onDidChangeSessions: changes.event,
    getSessions: async (scopes, { account }) => {
      reported = await read()
      return [...reported.values()].filter(
        (session) =>
          (account === undefined || session.account.id === account.id) &&
          (scopes ?? []).every((scope) => session.scopes.includes(scope))
      )
    },
    createSession: async () => {
      const name = await (await handlers.of("accounts")).signIn()
      const session = (await read()).get(name ?? "")
      if (session === undefined) throw new Error(vscode.l10n.t("You are not signed in."))
      return session
    },
    removeSession: async (id) => (await handlers.of("accounts")).signOut(id)
  }

  const registered = vscode.Disposable.from(
    changes,
    vscode.authentication.registerAuthenticationProvider("threatExposure", "Threat Exposure", provider, {
      supportsMultipleAccounts: true
    })
  )
  return {
    changed: async () => {
      const before = reported
      if (before === undefined) return
      const after = await read()
      reported = after
      const event = {
        added: [...after.values()].filter(({ id }) => !before.has(id)),
        removed: [...before.values()].filter(({ id }) => !after.has(id)),
        changed: [...after.values()].filter(({ id, accessToken }) => {
          const known = before.get(id)
          return known !== undefined && known.accessToken !== accessToken
        })
      }
      if (event.added.length + event.removed.length + event.changed.length > 0) changes.fire(event)
    },
    dispose: () => registered.dispose()
  }
}

const sessionOf = ({ name, scope, token }: Account): vscode.AuthenticationSession => ({
  id: name,
  accessToken: token,
  account: { id: name, label: name },
  scopes: [scope]
})
