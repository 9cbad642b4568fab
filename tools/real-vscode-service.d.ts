export interface SampleService {
  readonly address: string
  /** Of a key with every permission. */
  readonly token: string
  readonly database: string
  /** Ends the process and keeps the data. */
  readonly kill: () => Promise<void>
  /** On the same port, with the same data. */
  readonly restart: (env?: Readonly<Record<string, string>>) => Promise<void>
  readonly stop: () => Promise<void>
}
export declare const startSampleService: (env?: Readonly<Record<string, string>>) => Promise<SampleService>
//# sourceMappingURL=real-vscode-service.d.ts.map
