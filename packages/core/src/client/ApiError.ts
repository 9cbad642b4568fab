/** Every failure of a call. */
export * from "../transport/ApiError.ts"
