/** The options of a client, and of a call. */
export type { ResponseInfo } from "../promise/ClientOptions.ts"
export { CallOptions, type ClientOptions, type Secret, settingsOf } from "../transport/ClientOptions.ts"
