export {
  type AuthenticationOptions,
  CallOptions,
  type ClientOptions,
  defaultLimits,
  type ResponseInfo,
  type SecretInput,
  settingsOf,
  type UncheckedOptions
} from "../transport/ClientOptions.ts"
export { rawPages, type ResponseHead, withResponse, type WithResponse } from "../transport/Received.ts"
