import type { RateLimited } from "@threat-exposure/core/domain/Failures"
import { quotaSpent } from "./Quota.ts"
import type { QuotaLeft } from "./SearchQuota.ts"

export const quotaHeaders = ({ batchReached, remaining }: QuotaLeft): Record<string, string> => ({
  [remainingHeader]: String(remaining),
  "X-Global-Searches-Batch-Reached": String(batchReached)
})

export const limitHeaders = ({ code, retryAfter }: RateLimited): Record<string, string> => ({
  ...(retryAfter === undefined ? undefined : { "Retry-After": String(retryAfter) }),
  ...(code === quotaSpent ? { [remainingHeader]: "0" } : undefined)
})

const remainingHeader = "X-Global-Searches-Remaining"
