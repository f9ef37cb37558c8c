import { Schema } from "effect"
import { type Counter, WINDOW_LABELS, windowOf } from "../../admission/windows/window.ts"
import { Snapshot } from "../../platform/telemetry/metrics/snapshot.ts"

// What a parent and its workers say to each other. After an update they may be of two releases (a rolling restart leaves
// the parent as it is), so each reads what it knows and leaves the rest: a worker that is not answered counts alone.

/** A counter on its way: key, label of its window, most calls. */
const Counted = Schema.Tuple([Schema.String, Schema.Literals(WINDOW_LABELS), Schema.Finite])

/** One step of counting that a worker asks for. */
export const Ask = Schema.Struct({
  id: Schema.Int,
  act: Schema.Literals(["admit", "count", "give back"]),
  buckets: Schema.Array(Counted),
  peek: Schema.Array(Counted),
  /** The worker's clock, in milliseconds since 1970. */
  now: Schema.Finite
})
export type Ask = typeof Ask.Type

/** The counts before a step, in the order they were asked for. */
export const Told = Schema.Struct({ id: Schema.Int, counts: Schema.Array(Schema.Finite) })
export type Told = typeof Told.Type

export const FromWorker = Schema.Union([
  /** It serves now, and this is what a start prints. */
  Schema.Struct({ ready: Schema.String }),
  Schema.Struct({ asks: Schema.Array(Ask) }),
  /** What it counted until now, and whether its database answers. */
  Schema.Struct({ measured: Snapshot, ready: Schema.Boolean })
])
export type FromWorker = typeof FromWorker.Type

export const FromParent = Schema.Union([
  Schema.Struct({ told: Schema.Array(Told) }),
  /** Somebody asks for metrics: it says what it counted. */
  Schema.Struct({ measure: Schema.Literal(true) }),
  /** Another worker serves in its place: it ends without a drain, as nobody need notice. */
  Schema.Struct({ retire: Schema.Literal(true) })
])
export type FromParent = typeof FromParent.Type

export const sent = ({ key, window, max }: Counter): typeof Counted.Type => [key, window.label, max]

export const received = ([key, label, max]: typeof Counted.Type): Counter => ({ key, window: windowOf(label), max })
