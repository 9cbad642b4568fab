/** The options of a client. */
export { type ClientOptions, type RateLimits, type Secret, settingsOf } from "../transport/ClientOptions.ts"
