import { Effect, type Metric } from "effect"
import { callDuration, calls, requestDuration } from "./metric-definitions.ts"
import { updateSeries } from "./metric-updates.ts"

export interface CallMeasurement {
  readonly transport: string
  readonly errorCode: number
  readonly durationMs: number
}

export const makeCallRecorder = (operation: string): ((measurement: CallMeasurement) => Effect.Effect<void>) => {
  const operationDuration = callDuration.withLabels({ operation })
  const byCode = new Map<number, Metric.Counter<number>>()
  const findCodeCounter = (code: number): Metric.Counter<number> => {
    const existing = byCode.get(code)
    if (existing !== undefined) return existing
    const series = calls.withLabels({ operation, error_code: String(code) })
    byCode.set(code, series)
    return series
  }
  return ({ transport, errorCode, durationMs }) =>
    Effect.withFiber((fiber) => {
      updateSeries(fiber, operationDuration, durationMs / 1000)
      updateSeries(fiber, requestDuration.withLabels({ door: transport }), durationMs / 1000)
      updateSeries(fiber, findCodeCounter(errorCode), 1)
      return Effect.void
    })
}
