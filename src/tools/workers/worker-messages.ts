import { Schema } from "effect"
import { type CountedLimit, WINDOW_LABELS, windowOf } from "../../admission/windows/rate-window.ts"
import { MetricsSnapshot } from "../../platform/telemetry/metrics/metrics-snapshot.ts"

// After an update, a rolling restart keeps the primary of the former release. So primary and workers ignore unknown
// messages, and workers without a response count their own calls.

/** Rate-limit key, window label and maximum. */
const EncodedCounter = Schema.Tuple([Schema.String, Schema.Literals(WINDOW_LABELS), Schema.Finite])

export const CountRequest = Schema.Struct({
  id: Schema.Int,
  act: Schema.Literals(["admit", "count", "give back"]),
  buckets: Schema.Array(EncodedCounter),
  peek: Schema.Array(EncodedCounter),
  /** Milliseconds of the worker's clock. */
  now: Schema.Finite
})
export type CountRequest = typeof CountRequest.Type

/** For `admit`: the counts before the step, first of `buckets`, then of `peek`. Otherwise empty. */
export const CountResponse = Schema.Struct({ id: Schema.Int, counts: Schema.Array(Schema.Finite) })
export type CountResponse = typeof CountResponse.Type

export const WorkerMessage = Schema.Union([
  /** The start message, which the primary prints. */
  Schema.Struct({ ready: Schema.String }),
  Schema.Struct({ asks: Schema.Array(CountRequest) }),
  /** `measured`: all metrics since the worker started. `ready`: whether the database responds. */
  Schema.Struct({ measured: MetricsSnapshot, ready: Schema.Boolean })
])
export type WorkerMessage = typeof WorkerMessage.Type

export const SupervisorMessage = Schema.Union([
  Schema.Struct({ told: Schema.Array(CountResponse) }),
  Schema.Struct({ measure: Schema.Literal(true) }),
  Schema.Struct({ retire: Schema.Literal(true) })
])
export type SupervisorMessage = typeof SupervisorMessage.Type

export const encodeCounter = ({ key, window, max }: CountedLimit): typeof EncodedCounter.Type => [
  key,
  window.label,
  max
]

export const decodeCounter = ([key, label, max]: typeof EncodedCounter.Type): CountedLimit => ({
  key,
  window: windowOf(label),
  max
})
