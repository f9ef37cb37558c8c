import { Context, DateTime, Effect, Layer } from "effect"
import { CurrentActor } from "../../../contract/actor.ts"
import { currentSecond, dateInZone } from "../../../contract/time.ts"
import { CALENDAR_STAY_CHANGES_MAX } from "../../../platform/limits.ts"
import { type OrderChangeContext, Orders } from "../../bookings/reservations/Orders.ts"
import { type CalendarKey, CalendarStayStore, type StayContext } from "./CalendarStayStore.ts"
import { type CalendarBooking, findConfirmationCode, newCalendarOrderCode, toCalendarOrder } from "./calendar-order.ts"
import { planStayChanges, type StayLink, type StayPlan } from "./stay-plan.ts"
import { type StayProblem, shortenProblems, toCalendarProblem } from "./stay-problem.ts"

export interface CalendarEvent extends CalendarBooking {
  readonly uid_digest: string
  readonly isBooking: boolean
}

export interface StaySyncRequest extends CalendarKey {
  readonly propertyId: number
  readonly timeZone: string
  /** Undefined if neither the host nor the feed names a channel. Then bookings only block days. */
  readonly channelType: string | undefined
  readonly events: ReadonlyArray<CalendarEvent>
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
    const { is_current, detached_codes } = yield* store.saveLinks(request, plan)
    if (!is_current) return undefined
    const isAttached = ({ reservation_code }: StayLink) => !detached_codes.includes(reservation_code)
    const attachedPlan = {
      ...plan,
      cancellations: plan.cancellations.filter(isAttached),
      moves: plan.moves.filter(isAttached)
    }
    return yield* applyPlan(orders, request, context, attachedPlan)
  }, withoutIdempotencyKey)

const toPlanRequest = (
  { channelType, events, isComplete, hasMore, timeZone }: StaySyncRequest,
  { links, repeated_days, has_account }: StayContext,
  now: Date
) => ({
  links: links.map((link) => ({
    ...link,
    stay: link.stay && { ...link.stay, confirmationCode: findConfirmationCode(link.stay.channel_id, link) }
  })),
  events,
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

/** Cancellations and moves come first, because they free nights for other stays. */
const applyPlan = Effect.fnUntraced(function* (
  orders: Orders["Service"],
  request: StaySyncRequest,
  { currency, ...context }: StayContext,
  plan: StayPlan<CalendarEvent>
): Effect.fn.Return<StaySyncResult, never, CurrentActor> {
  const { operatorId, propertyId, channelType = "" } = request
  const changes = [
    ...plan.cancellations.map((link) => cancelStay(orders, operatorId, link)),
    ...plan.moves.map((link) => moveStay(orders, operatorId, link)),
    ...plan.creations.map(({ link, event }) =>
      createStay(orders, operatorId, event, { ...link, channelType, propertyId, currency })
    )
  ]
  const outcomes = yield* Effect.forEach(changes.slice(0, CALENDAR_STAY_CHANGES_MAX), (change) => change)
  const problems = outcomes.flatMap((outcome) => (typeof outcome === "string" ? [] : [outcome]))
  const hasMoreChanges = changes.length > CALENDAR_STAY_CHANGES_MAX
  // The nights may become free while the feed stays unchanged.
  const mustRetry = outcomes.includes("busy") || problems.some(({ reason }) => reason === "nights_taken")
  return {
    problems: shortenProblems([
      ...listCalendarProblems(request, { currency, ...context }),
      ...plan.problems,
      ...problems
    ]),
    nextRead: hasMoreChanges ? "now" : plan.isPending || mustRetry ? "regular" : "none",
    hasChanges: outcomes.includes("changed")
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
  event: CalendarEvent,
  details: StayLink & Omit<Parameters<typeof toCalendarOrder>[1], "at">
): Effect.Effect<ChangeOutcome, never, CurrentActor> =>
  Effect.gen(function* () {
    const at = yield* currentSecond
    const order = yield* orders.create(operatorId, toCalendarOrder(event, { ...details, at }), at)
    const outcome: ChangeOutcome =
      order === undefined ? { ...toNightsTaken(details, null), reason: "reservation_exists" } : "changed"
    return outcome
  }).pipe(Effect.catchTag("NightTaken", () => Effect.succeed(toNightsTaken(details, null))))

const moveStay = (
  orders: Orders["Service"],
  operatorId: number,
  { reservation_code, ...link }: StayLink
): Effect.Effect<ChangeOutcome, never, CurrentActor> => {
  const { check_in_date, check_out_date } = link
  const computeOrders = ({ order }: OrderChangeContext) =>
    Effect.succeed(
      order === null || order.status !== "accepted" || order.channel_account_id !== null
        ? []
        : [{ ...order, stays: order.stays.map((stay) => ({ ...stay, check_in_date, check_out_date })) }]
    )
  return Effect.flatMap(currentSecond, (at) =>
    orders.change(operatorId, at, { key: { reservation_code } }, computeOrders)
  ).pipe(
    Effect.as<ChangeOutcome>("changed"),
    Effect.catchTags({
      NightTaken: () => Effect.succeed<ChangeOutcome>(toNightsTaken({ reservation_code, ...link }, reservation_code)),
      Conflict: () => Effect.succeed<ChangeOutcome>("busy")
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
