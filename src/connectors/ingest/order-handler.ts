import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { CurrentActor } from "../../contract/actor.ts"
import { currentSecond } from "../../contract/time.ts"
import { newChannelOrderCode, retryUntilCreated } from "../../domain/bookings/reservations/generated-codes.ts"
import type { NightTaken } from "../../domain/bookings/reservations/nights-taken.ts"
import {
  CHANNEL_ORDER_ATTEMPTS,
  type OrderChangeContext,
  Orders,
  retryWhileNightsTaken
} from "../../domain/bookings/reservations/Orders.ts"
import { unassignAllStays } from "../../domain/bookings/reservations/rules/unassigned-stays.ts"
import type { ChannelOrderEvent } from "../../domain/channels/port/channel-events.ts"
import { InvalidChannelEvent } from "../../domain/channels/port/event-handling.ts"
import { Conversations } from "../../domain/guests/conversations/Conversations.ts"
import type { ChannelEventHandler, IngestResult, SourceAccount } from "./ingest-result.ts"
import { makeLoadOrderContext, type OrderContext } from "./order-context.ts"
import { type ChannelStay, type ChannelStays, toChannelStays } from "./rules/channel-stays.ts"
import { toNewOrder } from "./rules/new-order.ts"
import { assignProperties } from "./rules/property-assignment.ts"
import { applyOrderEvent } from "./rules/updated-order.ts"

interface OrderIntake {
  readonly account: SourceAccount
  readonly event: ChannelOrderEvent
  readonly stays: ChannelStays
  readonly freeProperties: ReadonlyArray<ReadonlyArray<number>>
}

type OrderAttempt = Effect.Effect<IngestResult | undefined, InvalidChannelEvent | NightTaken, CurrentActor>

export const makeOrderHandler: Effect.Effect<
  ChannelEventHandler<ChannelOrderEvent>,
  never,
  Orders | Conversations | SqlClient.SqlClient
> = Effect.gen(function* () {
  const services = { orders: yield* Orders, conversations: yield* Conversations }
  const loadContext = makeLoadOrderContext(yield* SqlClient.SqlClient)

  return Effect.fnUntraced(function* (account, event) {
    const stays = yield* Effect.mapError(
      Effect.fromResult(toChannelStays(event)),
      ({ message }) => new InvalidChannelEvent({ reason: message })
    )
    /** Returns undefined if another order has just taken the channel id or the generated code. */
    const attempt = (isUnassigned: boolean): OrderAttempt =>
      Effect.gen(function* () {
        const context = yield* loadContext(account, event.channel_id, stays)
        const intake: OrderIntake = { account, event, stays, freeProperties: yield* findFreeProperties(stays, context) }
        return context.reservation_code === null
          ? yield* createOrder(services, intake, isUnassigned)
          : yield* updateOrder(services, intake, context.reservation_code)
      })
    // After too many conflicts the stays become unassigned, because an order that is already sold must not be rejected.
    return yield* retryWhileNightsTaken(retryUntilCreated(attempt(false)), CHANNEL_ORDER_ATTEMPTS).pipe(
      Effect.catchTag("NightTaken", () => retryUntilCreated(attempt(true))),
      Effect.catchTag("NightTaken", Effect.die)
    )
  })
})

const findFreeProperties = Effect.fnUntraced(function* (stays: ChannelStays, context: OrderContext) {
  if (!context.account_known) return yield* new InvalidChannelEvent({ reason: "the account is unknown" })
  if (context.is_anothers) {
    return yield* new InvalidChannelEvent({ reason: "channel_id: the order belongs to another account" })
  }
  const freeProperties = yield* Effect.forEach(stays, (_: ChannelStay, room) => {
    const properties = context.free[room]
    return properties === undefined || properties === null
      ? Effect.fail(new InvalidChannelEvent({ reason: `rooms[${room}].listing_id: the account has no such listing` }))
      : Effect.succeed(properties)
  })
  return freeProperties
})

interface OrderServices {
  readonly orders: Orders["Service"]
  readonly conversations: Conversations["Service"]
}

const resolveConversation = ({ conversations }: OrderServices, { account, event }: OrderIntake, at: Date) =>
  event.thread_id === undefined || event.thread_id === null
    ? Effect.undefined
    : conversations.ensureForOrder(account, event.thread_id, event.booker, at)

const createOrder = Effect.fnUntraced(function* (services: OrderServices, intake: OrderIntake, isUnassigned: boolean) {
  const { account, event, stays, freeProperties } = intake
  const at = yield* currentSecond
  const conversation_id = (yield* resolveConversation(services, intake, at)) ?? null
  const order = toNewOrder(account, event, assignProperties(stays, freeProperties), {
    code: newChannelOrderCode(),
    conversation_id,
    receivedAt: at
  })
  const created = yield* services.orders.create(account.operatorId, isUnassigned ? unassignAllStays(order) : order, at)
  return created === undefined ? undefined : APPLIED_RESULT
})

const updateOrder = Effect.fnUntraced(function* (
  services: OrderServices,
  intake: OrderIntake,
  reservation_code: string
) {
  const { account, event, stays, freeProperties } = intake
  const { operatorId, accountId } = account
  const at = yield* currentSecond
  let result: IngestResult = APPLIED_RESULT
  const computeNextState = Effect.fnUntraced(function* ({ order, kept: lostStayIds }: OrderChangeContext) {
    result = APPLIED_RESULT
    if (order === null) return []
    const lastVersion = order.channel_version ?? 0
    if (event.version <= lastVersion) {
      result = { outcome: event.version === lastVersion ? "known" : "late" }
      return []
    }
    const nextOrder = yield* Effect.mapError(
      Effect.fromResult(
        applyOrderEvent(order, { event, stays, freeProperties, lostStayIds, accountId, receivedAt: at })
      ),
      ({ message }) => new InvalidChannelEvent({ reason: message })
    )
    // Runs after validation, so that a rejected event creates no conversation.
    return [
      { ...nextOrder, conversation_id: (yield* resolveConversation(services, intake, at)) ?? order.conversation_id }
    ]
  })
  yield* services.orders
    .changeFromChannel(operatorId, at, { reservation_code }, computeNextState)
    .pipe(Effect.catchTag("Conflict", Effect.die))
  return result
})

const APPLIED_RESULT: IngestResult = { outcome: "applied" }
