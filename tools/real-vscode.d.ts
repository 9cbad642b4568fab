/**
 * A real VS Code in the browser: code-server from npm, set up once in a folder that git ignores.
 *
 * Shared by `npm run vscode` and the end-to-end tests of the extension.
 */
import { type ChildProcess } from "node:child_process"
/** Installs code-server where it is missing (about half a minute, 400 MB); quick the second time. */
export declare const installVsCode: (say: (line: string) => void) => Promise<void>
/** The packaged extension, built anew where a source is newer than it. */
export declare const packExtension: (say: (line: string) => void) => Promise<string>
/** A port nobody listens on. */
export declare const freePort: () => Promise<number>
export interface VsCodeOptions {
  /** The packaged extension. */
  readonly vsix: string
  /** The folder that is opened, copied first so that nothing of the original changes. */
  readonly folder: string
  readonly port?: number | undefined
  readonly host?: string | undefined
  readonly settings?: Readonly<Record<string, unknown>> | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
}
export interface RunningVsCode {
  readonly address: string
  readonly port: number
  /** The copy of the folder that is open. */
  readonly workspace: string
  /** Everything this VS Code writes, removed by `stop`. */
  readonly home: string
  readonly stop: () => Promise<void>
}
/** Starts a VS Code of its own, with its own settings and the packaged extension installed. */
export declare const startVsCode: (options: VsCodeOptions) => Promise<RunningVsCode>
/** Ends a process started in a group of its own, and what it started. */
export declare const end: (child: ChildProcess) => Promise<void>
//# sourceMappingURL=real-vscode.d.ts.map
