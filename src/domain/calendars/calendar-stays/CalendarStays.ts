import { Context, DateTime, Effect, Layer } from "effect"
import { CurrentActor } from "../../../contract/actor.ts"
import { currentSecond, dateInZone } from "../../../contract/time.ts"
import { CALENDAR_STAY_CHANGES_MAX } from "../../../platform/limits.ts"
import { type OrderChangeContext, Orders } from "../../bookings/reservations/Orders.ts"
import { type CalendarKey, CalendarStayStore, type StayContext } from "./CalendarStayStore.ts"
import { findConfirmationCode, findPhoneDigits, newCalendarOrderCode, toCalendarOrder } from "./calendar-order.ts"
import type { ImportedEvent, StayLink, StayNights } from "./stay-link.ts"
import { groupMoves, type StayMoveGroup } from "./stay-moves.ts"
import { planStayChanges, type StayPlan } from "./stay-plan.ts"
import { type StayProblem, shortenProblems, toCalendarProblem } from "./stay-problem.ts"

export interface StaySyncRequest extends CalendarKey {
  readonly propertyId: number
  readonly timeZone: string
  /** Undefined if neither the host nor the feed names a channel. Then bookings only block days. */
  readonly channelType: string | undefined
  readonly events: ReadonlyArray<ImportedEvent>
  /** Bookings that share the UID of an event, with other nights. */
  readonly duplicates: ReadonlyArray<StayNights>
  /** Whether the feed was read completely. */
  readonly isComplete: boolean
  /** Whether the feed has more events than were read. */
  readonly hasMore: boolean
}

export interface StaySyncResult {
  readonly problems: ReadonlyArray<StayProblem>
  /**
   * `none`: the next fetch may skip an unchanged feed. `regular`: it must read the feed. `now`: it must read the feed and
   * is due at once, because a fetch makes at most {@link CALENDAR_STAY_CHANGES_MAX} changes.
   */
  readonly nextRead: "none" | "regular" | "now"
  readonly hasChanges: boolean
}

/** Creates, moves and cancels the stays of an imported calendar, so that they match its bookings. */
export class CalendarStays extends Context.Service<
  CalendarStays,
  {
    /**
     * Idempotent. The caller must have blocked the days of the feed, so that no night is sold twice. Returns undefined if
     * another fetch of the calendar has begun.
     */
    readonly syncStays: (request: StaySyncRequest) => Effect.Effect<StaySyncResult | undefined, never, CurrentActor>
  }
>()("latchkey/domain/calendars/calendar-stays/CalendarStays") {
  static readonly layer = Layer.effect(
    CalendarStays,
    Effect.gen(function* () {
      const [store, orders] = [yield* CalendarStayStore, yield* Orders]
      return CalendarStays.of({ syncStays: makeSyncStays(store, orders) })
    })
  ).pipe(Layer.provide([CalendarStayStore.layer, Orders.layer]))
}

/** The key of the call is used by the change of the calendar's days, so the changes of stays must not use it. */
const withoutIdempotencyKey = Effect.updateService(CurrentActor, (actor) => ({ ...actor, idempotencyKey: undefined }))

const makeSyncStays = (
  store: CalendarStayStore["Service"],
  orders: Orders["Service"]
): CalendarStays["Service"]["syncStays"] =>
  Effect.fnUntraced(function* (request) {
    const context = yield* store.loadContext(request)
    if (context === undefined) return undefined
    const plan = planStayChanges(toPlanRequest(request, context, yield* DateTime.nowAsDate))
    const { is_current, unfollowed_codes } = yield* store.saveLinks(request, plan)
    if (!is_current) return undefined
    const isAttached = ({ reservation_code }: StayLink) => !unfollowed_codes.includes(reservation_code)
    const attachedPlan = {
      ...plan,
      cancellations: plan.cancellations.filter(isAttached),
      moves: plan.moves.filter(({ link }) => isAttached(link))
    }
    return yield* applyPlan(orders, request, context, attachedPlan)
  }, withoutIdempotencyKey)

const toPlanRequest = (
  { channelType, events, duplicates, isComplete, hasMore, timeZone }: StaySyncRequest,
  { links, repeated_days, has_account }: StayContext,
  now: Date
) => ({
  links: links.map((link) => ({
    ...link,
    stay: link.stay && {
      ...link.stay,
      guestName: link.stay.guest_name ?? undefined,
      confirmationCode: findConfirmationCode(link.stay.channel_id, link),
      phoneDigits: findPhoneDigits(link.stay.channel_remarks)
    }
  })),
  events,
  duplicates,
  isComplete: isComplete && !hasMore,
  createsStays: channelType !== undefined && !has_account,
  repeatedDays: new Set(repeated_days),
  now,
  today: dateInZone(now, timeZone),
  newCode: newCalendarOrderCode
})

const listCalendarProblems = (
  { channelType, events, hasMore }: StaySyncRequest,
  { has_account }: StayContext
): ReadonlyArray<StayProblem> => {
  const hasBookings = events.some(({ isBooking }) => isBooking)
  return [
    ...(hasMore ? [toCalendarProblem("too_many")] : []),
    ...(hasBookings && channelType === undefined ? [toCalendarProblem("channel_unknown")] : []),
    ...(hasBookings && has_account ? [toCalendarProblem("account_connected")] : [])
  ]
}

/** One change of one stay, or of the stays that must change together. */
interface StayChange {
  readonly stayCount: number
  readonly apply: Effect.Effect<ReadonlyArray<ChangeOutcome>, never, CurrentActor>
}

const toChange = (apply: Effect.Effect<ChangeOutcome, never, CurrentActor>): StayChange => ({
  stayCount: 1,
  apply: Effect.map(apply, (outcome) => [outcome])
})

/** Cancellations and moves come first, because they free nights for other stays. */
const toChanges = (
  orders: Orders["Service"],
  { operatorId, propertyId, channelType = "" }: StaySyncRequest,
  { currency }: StayContext,
  { cancellations, moves, creations }: StayPlan<ImportedEvent>
): ReadonlyArray<StayChange> => [
  ...cancellations.map((link) => toChange(cancelStay(orders, operatorId, link))),
  ...groupMoves(moves).map((group) => ({ stayCount: group.length, apply: moveStays(orders, operatorId, group) })),
  ...creations.map(({ link, event }) =>
    toChange(createStay(orders, operatorId, event, { ...link, channelType, propertyId, currency }))
  )
]

/** Returns the first changes of at most {@link CALENDAR_STAY_CHANGES_MAX} stays, and at least one change. */
const takeChanges = (changes: ReadonlyArray<StayChange>): ReadonlyArray<StayChange> => {
  const dueChanges: Array<StayChange> = []
  let stayCount = 0
  for (const change of changes) {
    stayCount += change.stayCount
    if (dueChanges.length > 0 && stayCount > CALENDAR_STAY_CHANGES_MAX) break
    dueChanges.push(change)
  }
  return dueChanges
}

const applyPlan = Effect.fnUntraced(function* (
  orders: Orders["Service"],
  request: StaySyncRequest,
  context: StayContext,
  plan: StayPlan<ImportedEvent>
): Effect.fn.Return<StaySyncResult, never, CurrentActor> {
  const changes = toChanges(orders, request, context, plan)
  const dueChanges = takeChanges(changes)
  const outcomes = (yield* Effect.forEach(dueChanges, ({ apply }) => apply)).flat()
  const problems = outcomes.flatMap((outcome) => (typeof outcome === "string" ? [] : [outcome]))
  const hasChanges = outcomes.includes("changed")
  const hasMoreChanges = changes.length > dueChanges.length
  // The nights may become free while the feed stays unchanged.
  const mustRetry =
    hasMoreChanges || outcomes.includes("busy") || problems.some(({ reason }) => reason === "nights_taken")
  return {
    problems: shortenProblems([...listCalendarProblems(request, context), ...plan.problems, ...problems]),
    // Reads again at once only after progress. Otherwise the same changes would fail in an endless loop.
    nextRead: hasMoreChanges && hasChanges ? "now" : plan.isPending || mustRetry ? "regular" : "none",
    hasChanges
  }
})

/** `busy`: other requests are changing the order at the same time. */
type ChangeOutcome = "changed" | "busy" | StayProblem

const toNightsTaken = ({ check_in_date, check_out_date }: StayLink, reservation_code: string | null): StayProblem => ({
  reason: "nights_taken",
  reservation_code,
  check_in_date,
  check_out_date
})

const createStay = (
  orders: Orders["Service"],
  operatorId: number,
  event: ImportedEvent,
  details: StayLink & Omit<Parameters<typeof toCalendarOrder>[1], "at">
): Effect.Effect<ChangeOutcome, never, CurrentActor> =>
  Effect.gen(function* () {
    const at = yield* currentSecond
    const order = yield* orders.create(operatorId, toCalendarOrder(event, { ...details, at }), at)
    const outcome: ChangeOutcome =
      order === undefined ? { ...toNightsTaken(details, null), reason: "reservation_exists" } : "changed"
    return outcome
  }).pipe(Effect.catchTag("NightTaken", () => Effect.succeed(toNightsTaken(details, null))))

/**
 * Moves the stays of the group in one change. A stay whose order is no longer accepted, or has a channel account, is
 * left out. If another order holds a night, no stay moves.
 */
const moveStays = (
  orders: Orders["Service"],
  operatorId: number,
  group: StayMoveGroup
): Effect.Effect<ReadonlyArray<ChangeOutcome>, never, CurrentActor> => {
  const [first, ...others] = group
  const { reservation_code } = first.link
  const otherCodes = others.map(({ link }) => link.reservation_code)
  const computeOrders = ({ order, other_orders }: OrderChangeContext) =>
    Effect.succeed(
      [...(order === null ? [] : [order]), ...other_orders].flatMap((each) => {
        const link = group.find((move) => move.link.reservation_code === each.reservation_code)?.link
        if (link === undefined || each.status !== "accepted" || each.channel_account_id !== null) return []
        const { check_in_date, check_out_date } = link
        return [{ ...each, stays: each.stays.map((stay) => ({ ...stay, check_in_date, check_out_date })) }]
      })
    )
  const toGroupOutcomes = (toOutcome: (link: StayLink) => ChangeOutcome) => group.map(({ link }) => toOutcome(link))
  return Effect.flatMap(currentSecond, (at) =>
    orders.change(operatorId, at, { key: { reservation_code }, otherCodes }, computeOrders)
  ).pipe(
    Effect.as(toGroupOutcomes(() => "changed")),
    Effect.catchTags({
      NightTaken: () => Effect.succeed(toGroupOutcomes((link) => toNightsTaken(link, link.reservation_code))),
      Conflict: () => Effect.succeed(toGroupOutcomes(() => "busy"))
    })
  )
}

const cancelStay = (
  orders: Orders["Service"],
  operatorId: number,
  { reservation_code }: StayLink
): Effect.Effect<ChangeOutcome, never, CurrentActor> =>
  Effect.flatMap(currentSecond, (at) =>
    orders.changeFromChannel(operatorId, at, { reservation_code }, ({ order }) =>
      Effect.succeed(
        order === null || order.status !== "accepted" || order.channel_account_id !== null
          ? []
          : [{ ...order, status: "cancelled" as const, cancelled_at: at }]
      )
    )
  ).pipe(
    Effect.as<ChangeOutcome>("changed"),
    Effect.catchTag("Conflict", () => Effect.succeed<ChangeOutcome>("busy"))
  )
