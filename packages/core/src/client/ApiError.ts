export * from "../transport/ApiError.ts"
