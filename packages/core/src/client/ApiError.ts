/** All errors of a call. */
export * from "../transport/ApiError.ts"
