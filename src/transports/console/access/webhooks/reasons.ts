import type { FailureReason } from "../../../../domain/webhooks/deliveries/http-call.ts"
import { TEXTS } from "../../texts.ts"

const WORDS = TEXTS.access.webhooks

/** How a try ended, as it is written down. */
export interface Ended {
  /** What the receiver answered; null: nothing, and `reason` says why. */
  readonly status: number | null
  readonly reason: string | null
}

const noAnswer: Readonly<Record<FailureReason, string>> = WORDS.noAnswer

const isKnown = (reason: string): reason is FailureReason => Object.hasOwn(noAnswer, reason)

const isNamed = (status: string): status is keyof typeof WORDS.answered => Object.hasOwn(WORDS.answered, status)

/** 2xx alone says that the receiver has it. */
export const isTaken = ({ status }: Ended): boolean => status !== null && status >= 200 && status < 300

const ofStatus = (status: number): string => {
  const named = String(status)
  if (isNamed(named)) return WORDS.answered[named]
  const kind = `${Math.floor(status / 100)}xx`
  return isNamed(kind) ? WORDS.answered[kind] : WORDS.answered.other
}

/** Why a receiver has it not, or that it has, for a host who runs no network. */
export const whyOf = ({ status, reason }: Ended): string => {
  if (status !== null) return ofStatus(status)
  return reason !== null && isKnown(reason) ? noAnswer[reason] : WORDS.noAnswer.closed
}
