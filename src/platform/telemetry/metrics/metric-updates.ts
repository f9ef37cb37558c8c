import { Context, Effect, type Fiber, type Metric } from "effect"

/** Whether anything is counted: not in a process whose metrics nobody asks for. */
export const MetricsEnabled = Context.Reference<boolean>("latchkey/platform/telemetry/metrics/MetricsEnabled", {
  defaultValue: () => true
})

/** Says it of a series, if somebody wants to know. For those that are in a fiber already, where each call pays for it. */
export const updateSeries = (
  fiber: Fiber.Fiber<unknown, unknown>,
  series: Metric.Counter<number> | Metric.Histogram<number>,
  value: number
): void => {
  if (fiber.getRef(MetricsEnabled)) series.updateUnsafe(value, fiber.context)
}

/** Counts one more. */
export const incrementCounter = (series: Metric.Counter<number>): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    updateSeries(fiber, series, 1)
    return Effect.void
  })

/** Says what a gauge stands at. */
export const setGauge = (gauge: Metric.Gauge<number>, value: number): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    if (fiber.getRef(MetricsEnabled)) gauge.updateUnsafe(value, fiber.context)
    return Effect.void
  })
