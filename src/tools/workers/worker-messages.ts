import { Schema } from "effect"
import { type CountedLimit, WINDOW_LABELS, windowOf } from "../../admission/windows/rate-window.ts"
import { MetricsSnapshot } from "../../platform/telemetry/metrics/metrics-snapshot.ts"

// What a parent and its workers say to each other. After an update they may be of two releases (a rolling restart leaves
// the parent as it is), so each reads what it knows and leaves the rest: a worker that is not answered counts alone.

/** A counter on its way: key, label of its window, most calls. */
const EncodedCounter = Schema.Tuple([Schema.String, Schema.Literals(WINDOW_LABELS), Schema.Finite])

/** One step of counting that a worker asks for. */
export const CountRequest = Schema.Struct({
  id: Schema.Int,
  act: Schema.Literals(["admit", "count", "give back"]),
  buckets: Schema.Array(EncodedCounter),
  peek: Schema.Array(EncodedCounter),
  /** The worker's clock, in milliseconds since 1970. */
  now: Schema.Finite
})
export type CountRequest = typeof CountRequest.Type

/** The counts before a step, in the order they were asked for. */
export const CountResponse = Schema.Struct({ id: Schema.Int, counts: Schema.Array(Schema.Finite) })
export type CountResponse = typeof CountResponse.Type

export const WorkerMessage = Schema.Union([
  /** It serves now, and this is what a start prints. */
  Schema.Struct({ ready: Schema.String }),
  Schema.Struct({ asks: Schema.Array(CountRequest) }),
  /** What it counted until now, and whether its database answers. */
  Schema.Struct({ measured: MetricsSnapshot, ready: Schema.Boolean })
])
export type WorkerMessage = typeof WorkerMessage.Type

export const SupervisorMessage = Schema.Union([
  Schema.Struct({ told: Schema.Array(CountResponse) }),
  /** Somebody asks for metrics: it says what it counted. */
  Schema.Struct({ measure: Schema.Literal(true) }),
  /** Another worker serves in its place: it ends without a drain, as nobody need notice. */
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
