/** What a client is told once. */
export { type ClientOptions, type RateLimits, type Secret, settingsOf } from "../transport/ClientOptions.ts"
