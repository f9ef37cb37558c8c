import { Context, Effect, type Fiber, type Metric } from "effect"

/** False in a process whose metrics are not read. */
export const MetricsEnabled = Context.Reference<boolean>("latchkey/platform/telemetry/metrics/MetricsEnabled", {
  defaultValue: () => true
})

/** Updates a series at once, without an effect, to save time in each call. */
export const updateSeries = (
  fiber: Fiber.Fiber<unknown, unknown>,
  series: Metric.Counter<number> | Metric.Histogram<number>,
  value: number
): void => {
  if (fiber.getRef(MetricsEnabled)) series.updateUnsafe(value, fiber.context)
}

export const incrementCounter = (series: Metric.Counter<number>): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    updateSeries(fiber, series, 1)
    return Effect.void
  })

export const setGauge = (gauge: Metric.Gauge<number>, value: number): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    if (fiber.getRef(MetricsEnabled)) gauge.updateUnsafe(value, fiber.context)
    return Effect.void
  })
