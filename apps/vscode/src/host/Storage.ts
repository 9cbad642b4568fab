/** Implements settings, secrets, and stored data. */
import { Effect, Option, Stream } from "effect"
import * as vscode from "vscode"
import type { StorageOfEditor } from "../editor/Editor.ts"
import { type HostScope, listen } from "./HostScope.ts"
import { memento } from "./SavedState.ts"

export const storage = ({ context }: HostScope): StorageOfEditor => ({
  setting: (name, folder) =>
    Effect.sync((): unknown =>
      vscode.workspace
        .getConfiguration("threatExposure", folder === undefined ? undefined : vscode.Uri.parse(folder))
        .get(name)
    ),
  setSetting: (name, value) =>
    Effect.promise(async () => {
      const settings = vscode.workspace.getConfiguration("threatExposure")
      // Overwrite an existing workspace value, which takes precedence over the user's.
      const { Global, Workspace } = vscode.ConfigurationTarget
      await settings.update(name, value, settings.inspect(name)?.workspaceValue === undefined ? Global : Workspace)
    }),
  settingDefault: (name) =>
    Effect.sync((): unknown => vscode.workspace.getConfiguration("threatExposure").inspect(name)?.defaultValue),
  settingsChanged: (names) =>
    listen(vscode.workspace.onDidChangeConfiguration, (event) =>
      names.some((name) => event.affectsConfiguration(`threatExposure.${name}`))
    ).pipe(
      Stream.filter((isOurs) => isOurs),
      Stream.map(() => undefined)
    ),

  secret: (key) =>
    Effect.map(
      Effect.promise(async () => context.secrets.get(key)),
      Option.fromUndefinedOr
    ),
  setSecret: (key, value) =>
    Effect.promise(async () =>
      Option.isSome(value) ? context.secrets.store(key, value.value) : context.secrets.delete(key)
    ),
  secretsChanged: listen(context.secrets.onDidChange, () => undefined),
  recall: (where, key) => Effect.sync((): unknown => memento(context, where).get(key)),
  remember: (where, key, value) => Effect.promise(async () => memento(context, where).update(key, value))
})
