import type { RateLimited } from "@threat-exposure/core/domain/Failures"
import { EncodedAnswer } from "../requests/OperationHandlers.ts"
import type { Answer } from "../requests/ServedRequest.ts"
import { quotaSpent } from "./Quota.ts"
import type { QuotaLeft } from "./SearchQuota.ts"

export const answerWithQuota = (body: Answer["body"], { batchReached, remaining }: QuotaLeft) =>
  new EncodedAnswer({
    status: 200,
    headers: { [remainingHeader]: String(remaining), "X-Global-Searches-Batch-Reached": String(batchReached) },
    body
  })

export const limitHeaders = ({ code, retryAfter }: RateLimited): Record<string, string> => ({
  ...(retryAfter === undefined ? undefined : { "Retry-After": String(retryAfter) }),
  ...(code === quotaSpent ? { [remainingHeader]: "0" } : undefined)
})

const remainingHeader = "X-Global-Searches-Remaining"
