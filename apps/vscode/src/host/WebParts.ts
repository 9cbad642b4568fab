/** Lets the web bundle load its other parts, because the web host provides no `require` for files. */
import * as vscode from "vscode"

export const loadWebParts = (context: vscode.ExtensionContext): vscode.Disposable => {
  const parts = new Map<string, unknown>()
  const loading = new Map<string, Promise<unknown>>()
  const read = async (name: string): Promise<unknown> => {
    const file = vscode.Uri.joinPath(context.extensionUri, "dist", name)
    const code = new TextDecoder().decode(await vscode.workspace.fs.readFile(file))
    const module = { exports: {} }
    // oxlint-disable-next-line no-new-func -- there is no other way to load code of our own there
    new Function("module", "exports", "require", code)(module, module.exports, (part: string) =>
      part === "vscode" ? vscode : parts.get(part)
    )
    parts.set(name, module.exports)
    return module.exports
  }
  const load = (name: string): Promise<unknown> => {
    if (parts.has(name)) return Promise.resolve(parts.get(name))
    const loaded = loading.get(name) ?? read(name).finally(() => loading.delete(name))
    loading.set(name, loaded)
    return loaded
  }
  // scripts/bundle.ts generates calls of this function. The host loads the first part in the same way.
  Reflect.set(globalThis, "threatExposure", {
    /** Loads the parts in order, and returns the last one. */
    load: async (names: ReadonlyArray<string>, asker: string, exports: unknown): Promise<unknown> => {
      parts.set(asker, exports)
      let last: unknown
      for (const name of names) last = await load(name)
      return last
    }
  })
  return new vscode.Disposable(() => Reflect.deleteProperty(globalThis, "threatExposure"))
}
