import { Schema } from "effect"
import { type CountedLimit, WINDOW_LABELS, windowOf } from "../../admission/windows/rate-window.ts"
import { MetricsSnapshot } from "../../platform/telemetry/metrics/metrics-snapshot.ts"

// Messages between primary and workers. A rolling restart keeps the primary, so its release may differ from that of the
// workers. Both ignore unknown messages, and a worker without a response counts its own calls.

/** Key, window label, maximum. */
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

/** For `admit`, `counts` are the counts before the step, first of `buckets`, then of `peek`. Otherwise it is empty. */
export const CountResponse = Schema.Struct({ id: Schema.Int, counts: Schema.Array(Schema.Finite) })
export type CountResponse = typeof CountResponse.Type

export const WorkerMessage = Schema.Union([
  /** The start message. */
  Schema.Struct({ ready: Schema.String }),
  Schema.Struct({ asks: Schema.Array(CountRequest) }),
  /** `measured`: all metrics since the worker started. `ready`: whether the database responds. */
  Schema.Struct({ measured: MetricsSnapshot, ready: Schema.Boolean })
])
export type WorkerMessage = typeof WorkerMessage.Type

export const SupervisorMessage = Schema.Union([
  Schema.Struct({ told: Schema.Array(CountResponse) }),
  Schema.Struct({ measure: Schema.Literal(true) }),
  /** A replaced worker ends without a drain. */
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
