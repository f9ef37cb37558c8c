import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Acting } from "../../contract/acting.ts"
import { currentSecond } from "../../contract/time.ts"
import { newSoldCode, untilCreated } from "../../domain/bookings/reservations/drawn-name.ts"
import type { NightTaken } from "../../domain/bookings/reservations/nights-taken.ts"
import {
  againWhileNightsGo,
  type FoundOrder,
  Orders,
  SOLD_ATTEMPTS
} from "../../domain/bookings/reservations/Orders.ts"
import { allBoxed } from "../../domain/bookings/reservations/rules/box.ts"
import { SaidRefused } from "../../domain/channels/port/heard.ts"
import type { OrderSaid } from "../../domain/channels/port/said.ts"
import { Conversations } from "../../domain/guests/conversations/Conversations.ts"
import { type Ground, groundOf } from "./ground.ts"
import type { Heard, Hears, Speaker } from "./heard.ts"
import { orderAsSaid } from "./rules/order-as-said.ts"
import { orderSold } from "./rules/order-sold.ts"
import { placed } from "./rules/placing.ts"
import { type StaySaid, type StaysSaid, staysSaid } from "./rules/stays-said.ts"

// Orders as channels say them: new, changed or over.

/** An order that is taken: who says what of it, and where its rooms can be. */
interface Taken {
  readonly speaker: Speaker
  readonly said: OrderSaid
  readonly stays: StaysSaid
  readonly free: ReadonlyArray<ReadonlyArray<number>>
}

type Attempt = Effect.Effect<Heard | undefined, SaidRefused | NightTaken, Acting>

/** Takes orders. One that comes for the first time is entered, one that is known becomes what is said, if that is newer. */
export const hearsOrder: Effect.Effect<
  Hears<OrderSaid>,
  never,
  Orders | Conversations | SqlClient.SqlClient
> = Effect.gen(function* () {
  const services = { orders: yield* Orders, conversations: yield* Conversations }
  const groundIn = groundOf(yield* SqlClient.SqlClient)

  return Effect.fnUntraced(function* (speaker, said) {
    const stays = yield* Effect.mapError(
      Effect.fromResult(staysSaid(said)),
      ({ message }) => new SaidRefused({ reason: message })
    )
    /** Undefined where somebody else brought it meanwhile, or another order has the code that was drawn. */
    const attempt = (isBoxed: boolean): Attempt =>
      Effect.gen(function* () {
        const ground = yield* groundIn(speaker, said.channel_id, stays)
        const taken: Taken = { speaker, said, stays, free: yield* placesIn(stays, ground) }
        return ground.reservation_code === null
          ? yield* entered(services, taken, isBoxed)
          : yield* changed(services, taken, ground.reservation_code)
      })
    // What a channel has sold is never refused for its nights: where others are faster again and again, it is boxed.
    return yield* againWhileNightsGo(untilCreated(attempt(false)), SOLD_ATTEMPTS).pipe(
      Effect.catchTag("NightTaken", () => untilCreated(attempt(true))),
      Effect.catchTag("NightTaken", Effect.die)
    )
  })
})

/** Of each room where it can be; fails where the account is unknown, or speaks of what is not its own. */
const placesIn = Effect.fnUntraced(function* (stays: StaysSaid, ground: Ground) {
  if (!ground.account_known) return yield* new SaidRefused({ reason: "the account is unknown" })
  if (ground.is_anothers) {
    return yield* new SaidRefused({ reason: "channel_id: the order belongs to another account" })
  }
  const free = yield* Effect.forEach(stays, (_: StaySaid, room) => {
    const places = ground.free[room]
    return places === undefined || places === null
      ? Effect.fail(new SaidRefused({ reason: `rooms[${room}].listing_id: the account has no such listing` }))
      : Effect.succeed(places)
  })
  return free
})

interface Services {
  readonly orders: Orders["Service"]
  readonly conversations: Conversations["Service"]
}

/** What callers name the conversation with the order's guest by; undefined where its channel names no thread. */
const conversationIn = ({ conversations }: Services, { speaker, said }: Taken, at: Date) =>
  said.thread_id === undefined || said.thread_id === null
    ? Effect.undefined
    : conversations.ofOrder(speaker, said.thread_id, said.booker, at)

const entered = Effect.fnUntraced(function* (services: Services, taken: Taken, isBoxed: boolean) {
  const { speaker, said, stays, free } = taken
  const at = yield* currentSecond
  const conversation_id = (yield* conversationIn(services, taken, at)) ?? null
  const order = orderSold(speaker, said, placed(stays, free), { code: newSoldCode(), conversation_id, at })
  const created = yield* services.orders.create(speaker.operatorId, isBoxed ? allBoxed(order) : order, at)
  return created === undefined ? undefined : APPLIED
})

/** An order that is known becomes what is said of it, unless as much or more was said before. */
const changed = Effect.fnUntraced(function* (services: Services, taken: Taken, reservation_code: string) {
  const { speaker, said, stays, free } = taken
  const { operatorId, accountId } = speaker
  const at = yield* currentSecond
  let heard: Heard = APPLIED
  const next = Effect.fnUntraced(function* ({ order, kept }: FoundOrder) {
    heard = APPLIED
    if (order === null) return []
    const before = order.channel_version ?? 0
    if (said.version <= before) {
      heard = { outcome: said.version === before ? "known" : "late" }
      return []
    }
    const after = yield* Effect.mapError(
      Effect.fromResult(orderAsSaid(order, { said, stays, free, kept, accountId, at })),
      ({ message }) => new SaidRefused({ reason: message })
    )
    // What is refused begins no conversation; where no thread is said, there is the one that there was.
    return [{ ...after, conversation_id: (yield* conversationIn(services, taken, at)) ?? order.conversation_id }]
  })
  yield* services.orders
    .changeSold(operatorId, at, { reservation_code }, next)
    .pipe(Effect.catchTag("Conflict", Effect.die))
  return heard
})

const APPLIED: Heard = { outcome: "applied" }
