import type { HttpFailureReason } from "../../../../domain/webhooks/deliveries/http-call.ts"
import { TEXTS } from "../../console-texts.ts"

const WEBHOOK_TEXTS = TEXTS.access.webhooks

interface AttemptResult {
  /** Null if there was no response. Then `reason` says why. */
  readonly status: number | null
  readonly reason: string | null
}

const failureTexts: Readonly<Record<HttpFailureReason, string>> = WEBHOOK_TEXTS.failureReasons

const isFailureReason = (reason: string): reason is HttpFailureReason => Object.hasOwn(failureTexts, reason)

const isExplainedStatus = (status: string): status is keyof typeof WEBHOOK_TEXTS.statusExplanations =>
  Object.hasOwn(WEBHOOK_TEXTS.statusExplanations, status)

export const isAccepted = ({ status }: AttemptResult): boolean => status !== null && status >= 200 && status < 300

const explainStatus = (status: number): string => {
  const statusText = String(status)
  if (isExplainedStatus(statusText)) return WEBHOOK_TEXTS.statusExplanations[statusText]
  const statusClass = `${Math.floor(status / 100)}xx`
  return isExplainedStatus(statusClass)
    ? WEBHOOK_TEXTS.statusExplanations[statusClass]
    : WEBHOOK_TEXTS.statusExplanations.other
}

export const explainResult = ({ status, reason }: AttemptResult): string => {
  if (status !== null) return explainStatus(status)
  return reason !== null && isFailureReason(reason) ? failureTexts[reason] : WEBHOOK_TEXTS.failureReasons.closed
}
