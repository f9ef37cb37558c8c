import { Effect, type Metric } from "effect"
import { callDuration, calls, requestDuration } from "./declared.ts"
import { note } from "./measuring.ts"

/** How a call came and how it ended. */
export interface CallSeen {
  readonly door: string
  readonly errorCode: number
  readonly ms: number
}

/** Counts the calls of one operation. Its series are looked up once, and not for each call. */
export const measuringCalls = (operation: string): ((seen: CallSeen) => Effect.Effect<void>) => {
  const ofOperation = callDuration.of({ operation })
  const byCode = new Map<number, Metric.Counter<number>>()
  const ended = (code: number): Metric.Counter<number> => {
    const known = byCode.get(code)
    if (known !== undefined) return known
    const series = calls.of({ operation, error_code: String(code) })
    byCode.set(code, series)
    return series
  }
  return ({ door, errorCode, ms }) =>
    Effect.withFiber((fiber) => {
      note(fiber, ofOperation, ms / 1000)
      note(fiber, requestDuration.of({ door }), ms / 1000)
      note(fiber, ended(errorCode), 1)
      return Effect.void
    })
}
