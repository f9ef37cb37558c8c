import { Cause, DateTime, Effect, Layer, Random } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import { loop } from "../../../jobs/loop.ts"
import { type Backoff, pauseOf } from "../../../jobs/retries.ts"
import { attemptOnce, makeTimedWork } from "../../../jobs/timed-work.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { channelComparisons } from "../../../platform/telemetry/metrics/declared.ts"
import { countOne } from "../../../platform/telemetry/metrics/measuring.ts"
import { asRoot } from "../../../platform/telemetry/spans.ts"
import { OUTWARD_ACT_MS } from "../../channels/port/api-errors.ts"
import { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import type { ListingDay } from "../../channels/port/days.ts"
import { type ChannelError, ChannelUnavailable } from "../../channels/port/errors.ts"
import { COMPARING_ROOM, Comparisons, FOLLOWING_ROWS, type TakenComparison } from "./Comparisons.ts"
import { type Drift, driftOf, nextNight } from "./drift.ts"
import { PushQueue } from "./PushQueue.ts"
import type { Span } from "./push.ts"
import { horizonOf } from "./stock.ts"

// The calendars of linked listings are compared with what their channels sell: every night, and once they are linked. What
// was lost on the way, whatever lost it, is found and told again.

/** Of a channel that cannot be read: a minute, doubling up to an hour, each a quarter shorter or longer. */
export const COMPARING_BACKOFF: Backoff = { firstMs: 60_000, longestMs: 60 * 60 * 1000, jitter: 0.25 }

/** Milliseconds until days are looked at again of which the channel sells less: by then what it sold has come in. */
export const SECOND_LOOK_MS = 5 * 60 * 1000

/** Milliseconds between two looks for listings that were linked, and between two for what is due to be compared. */
export const FOLLOWING_MS = 20_000
export const COMPARING_POLL_MS = 5_000
/** And at least: each look goes through all accounts there are, and at night there is one due whenever another ended. */
export const COMPARING_GAP_MS = 250

/** What the channel sells. Undefined: it is not to be asked before the next night; a failure is one that may pass. */
const there = Effect.fnUntraced(function* (taken: TakenComparison, { start_date, end_date }: Span) {
  const gateway = yield* ChannelGateway
  const account = { operatorId: taken.operator_id, accountId: taken.account_id, channelType: taken.channel_type }
  return yield* gateway.readCalendar(account, { listingId: taken.listing_id, start: start_date, end: end_date }).pipe(
    Effect.timeoutOrElse({
      duration: OUTWARD_ACT_MS,
      orElse: () => Effect.fail(new ChannelUnavailable({ code: 504 }))
    }),
    Effect.map((days): Answer => ({ days })),
    Effect.catch((error) => Effect.succeed(unread(error))),
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) => Effect.as(Effect.logError("a connector failed with a defect", cause), "later" as const)
    )
  )
})

type Answer = { readonly days: ReadonlyArray<ListingDay> } | "later" | "never"

const unread = (error: ChannelError): Answer => {
  switch (error._tag) {
    case "ChannelUnavailable":
    case "ChannelDisconnected":
      return "later"
    case "ChannelRefused":
    case "ChannelAccountMissing":
    case "ChannelNotServed":
      return "never"
  }
}

const NOTHING: Drift = { more: [], fewer: [], suspected: [] }

/** One look: the channel first, so that what changed here meanwhile is seen. */
const attemptOf = Effect.fnUntraced(function* (taken: TakenComparison) {
  const horizon = horizonOf(dateInZone(yield* DateTime.nowAsDate, taken.time_zone))
  const answer = yield* there(taken, horizon)
  if (answer === "later") return { end: "later" as const }
  const stock = yield* Effect.flatMap(PushQueue, (queue) => queue.stock(taken, horizon))
  const drift = answer === "never" || stock?.linked !== true ? NOTHING : driftOf(stock, answer.days, taken.suspected)
  return { end: "compared" as const, drift }
})

type Ended = Effect.Success<ReturnType<typeof attemptOf>>

const settle = Effect.fnUntraced(function* (taken: TakenComparison, ended: Ended) {
  const comparisons = yield* Comparisons
  const now = yield* DateTime.nowAsDate
  const random = yield* Random.next
  yield* countOne(channelComparisons.of({ outcome: ended.end === "later" ? "failed" : "compared" }))
  if (ended.end === "later") {
    const pause = pauseOf(COMPARING_BACKOFF, taken.failures + 1, random)
    return yield* comparisons.failed(taken, new Date(now.getTime() + pause), now)
  }
  const { drift } = ended
  const drifted = [...drift.more, ...drift.fewer].toSorted()
  const next =
    drift.suspected.length > 0 ? new Date(now.getTime() + SECOND_LOOK_MS) : nextNight(now, taken.time_zone, random)
  const marked = yield* comparisons.compared(taken, { drifted, suspected: drift.suspected, next }, now)
  if (!marked) return
  yield* logged(taken, drift, drifted)
  yield* (yield* WakeUp).wake
})

/** The last day that the channel could have been told of at the look before; undefined: there was none. */
const lastKnown = ({ compared_at, time_zone }: TakenComparison): string | undefined =>
  compared_at === null ? undefined : horizonOf(dateInZone(compared_at, time_zone)).end_date

/** That a listing was linked is no fault, nor that a day came into reach: of what they bring nobody is warned. */
const logged = (taken: TakenComparison, drift: Drift, days: ReadonlyArray<string>) => {
  const { operator_id, channel_type, listing_id } = taken
  const last = lastKnown(taken)
  const log =
    last === undefined || drift.more.every((day) => day > last)
      ? Effect.logInfo("a channel's days of a listing differ and are sent again")
      : Effect.logWarning("a channel sells more of a listing than is available and is corrected")
  return Effect.annotateLogs(log, {
    operator_id,
    channel_type,
    listing_id,
    days: days.length,
    more_there: drift.more.length,
    first_day: days[0],
    last_day: days.at(-1)
  })
}

const rootOf = (taken: TakenComparison) => ({
  name: "compare",
  kind: "producer" as const,
  attributes: () => ({ "latchkey.channel": taken.channel_type })
})

/** Looks at one listing's calendar, and writes down what it found. */
export const compare = (taken: TakenComparison) =>
  attemptOnce({
    attempt: attemptOf(taken),
    settle: (ended: Ended) => settle(taken, ended),
    handBack: Effect.flatMap(Comparisons, (comparisons) =>
      Effect.flatMap(DateTime.nowAsDate, (now) => comparisons.handBack(taken, now))
    )
  }).pipe(
    (tried) => asRoot(rootOf(taken), tried),
    Effect.catchCause((cause) => Effect.logWarning("the result of a calendar comparison could not be saved", cause))
  )

/** What takes comparisons that are due and makes them. */
export const makeComparing = Effect.flatMap(Comparisons, (comparisons) =>
  makeTimedWork({
    what: "comparing calendars",
    room: COMPARING_ROOM,
    take: comparisons.take,
    run: compare,
    pollMs: COMPARING_POLL_MS,
    gapMs: COMPARING_GAP_MS
  })
)

/** Takes up all that was linked since. */
export const follow = Effect.fnUntraced(function* (now: Date) {
  const comparisons = yield* Comparisons
  while ((yield* comparisons.follow(now)) >= FOLLOWING_ROWS) yield* Effect.yieldNow
})

/** Compares until the scope closes, in any number of processes on one database. A start has other things to do first. */
const work = Effect.gen(function* () {
  const { polling, changed } = yield* makeComparing
  const followed = Effect.andThen(Effect.flatMap(DateTime.nowAsDate, follow), changed)
  yield* Effect.forkScoped(loop("comparing listing calendars", Effect.andThen(Effect.sleep(FOLLOWING_MS), followed)))
  yield* polling
})

/** The worker of this process, over a database and the channels. */
export const layerComparing = Layer.effectDiscard(work).pipe(Layer.provide([Comparisons.layer, PushQueue.layer]))
