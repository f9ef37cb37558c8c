import { Cause, Effect, Option } from "effect"
import type { Acting } from "../../contract/acting.ts"
import { decimalText, minorUnits } from "../../contract/money.ts"
import { currentSecond } from "../../contract/time.ts"
import { unlessOrderChanges } from "../../domain/bookings/orders/rules.ts"
import type { Orders } from "../../domain/bookings/reservations/Orders.ts"
import { instantSaid, SaidRefused } from "../../domain/channels/port/heard.ts"
import type { MoneySaid } from "../../domain/channels/port/said.ts"
import {
  type ChannelMoneyStore,
  type FoundMoney,
  isSameMoney,
  type OrderOfMoney
} from "../../domain/money/channel-money.ts"
import type { ChannelMoney } from "../../domain/money/told-money.ts"
import { CHANNEL_MONEY_WAITING } from "../../platform/limits.ts"
import type { Heard, Hears, Speaker } from "./heard.ts"

// Payments and refunds that channels tell of.

const moneyOf = ({ operatorId, accountId, channelType }: Speaker, said: MoneySaid): ChannelMoney | undefined =>
  Option.match(minorUnits(said.amount, said.currency), {
    onNone: () => undefined,
    onSome: (units) => ({
      operatorId,
      accountId,
      channelType,
      paymentId: said.payment_id,
      channelId: said.channel_id,
      kind: said.type,
      amount: decimalText(units, said.currency),
      currency: said.currency,
      paidAt: instantSaid(said.paid_at)
    })
  })

/** Why money that was found so cannot be an entry; undefined: it can. */
const against = ({ money, order, waiting }: FoundMoney, told: ChannelMoney): string | undefined => {
  if (money !== null && !isSameMoney(money, told)) return "payment_id: was sent before with different content"
  if (order === null) {
    return money === null && waiting >= CHANNEL_MONEY_WAITING
      ? `channel_id: ${CHANNEL_MONEY_WAITING} payments of the account already wait for their orders`
      : undefined
  }
  if (order.is_anothers) return "channel_id: the order belongs to another account"
  return order.currency === told.currency ? undefined : `currency: the order is in ${order.currency}`
}

/** What money is taken with. */
export interface MoneyServices {
  readonly money: ChannelMoneyStore["Service"]
  readonly orders: Orders["Service"]
}

/**
 * An order that waited for its payment is accepted: it was sold, so a stay whose nights others hold by now goes into the box.
 * Done before the entry is made: who is cut off in between is told again.
 */
const acceptPaid = ({ orders }: MoneyServices, operatorId: number, reservation_code: string, at: Date) =>
  Effect.orDie(
    orders.changeSold(operatorId, at, { reservation_code }, ({ order }) =>
      Effect.succeed(order?.status === "wait_pay" ? [{ ...order, status: "accepted" }] : [])
    )
  )

/** The entry of an order, once. Undefined where the order has changed since it was read; then there is no entry yet. */
const settle = Effect.fnUntraced(function* (
  services: MoneyServices,
  told: ChannelMoney,
  order: OrderOfMoney,
  now: Date
) {
  if (told.kind === "payment" && order.status === "wait_pay") {
    yield* acceptPaid(services, told.operatorId, order.reservation_code, now)
    return undefined
  }
  const { as_read, id } = yield* services.money.settle(told, order, now)
  if (!as_read) return undefined
  const heard: Heard = { outcome: id === null ? "known" : "applied" }
  return heard
})

/** Makes the entry of what was told, or keeps it until its order is known. */
const takeTold = (services: MoneyServices, told: ChannelMoney): Effect.Effect<Heard, SaidRefused, Acting> => {
  const attempt = (isKept: boolean): Effect.Effect<Heard | undefined, SaidRefused, Acting> =>
    Effect.gen(function* () {
      const found = yield* services.money.find(told)
      const reason = against(found, told)
      if (reason !== undefined) return yield* new SaidRefused({ reason })
      if (found.money?.settled === true) return { outcome: "known" }
      const now = yield* currentSecond
      if (found.order !== null) return yield* settle(services, told, found.order, now)
      if (isKept || found.money !== null) return { outcome: "waiting" }
      yield* services.money.wait(told, now)
      // The order may have come in before what waits for it could be seen.
      return yield* attempt(true)
    })
  return Effect.catchTag(unlessOrderChanges(attempt(false)), "Conflict", Effect.die)
}

/** Takes a payment or a refund. */
export const hearsMoney =
  (services: MoneyServices): Hears<MoneySaid> =>
  (speaker, said) => {
    const told = moneyOf(speaker, said)
    return told === undefined
      ? Effect.fail(new SaidRefused({ reason: `amount: has more decimals than ${said.currency} has` }))
      : takeTold(services, told)
  }

/**
 * Makes the entry of what waited for its order, or gives it up where it cannot be one or is one already, told by another
 * account. What breaks is tried again with the next look, and holds up none that come after it.
 */
const takeWaiting = (services: MoneyServices, told: ChannelMoney): Effect.Effect<void, never, Acting> => {
  const about = Effect.annotateLogs({ operator_id: told.operatorId, channel_account_id: told.accountId })
  return takeTold(services, told).pipe(
    Effect.flatMap(({ outcome }) => (outcome === "known" ? services.money.giveUp(told) : Effect.void)),
    Effect.catchTag("SaidRefused", ({ reason }) =>
      Effect.andThen(
        services.money.giveUp(told),
        Effect.logWarning("a waiting payment was dropped because its order rejects it").pipe(
          about,
          Effect.annotateLogs({ reason })
        )
      )
    ),
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) => about(Effect.logWarning("recording a waiting payment failed and will be retried", cause))
    )
  )
}

/** Makes the entries of what was told before its order came in. */
export const settleWaiting =
  (services: MoneyServices) =>
  ({ operatorId, accountId }: Speaker, channelId: string): Effect.Effect<void, never, Acting> =>
    Effect.flatMap(services.money.waitingFor({ operatorId, accountId, channelId }), (all) =>
      Effect.forEach(all, (told) => takeWaiting(services, told), { discard: true })
    )

/** Accepts an order that is heard to wait for its payment, where that was told before it. */
export const acceptPaidBefore =
  (services: MoneyServices) =>
  ({ operatorId, channelType }: Speaker, channelId: string): Effect.Effect<void, never, Acting> =>
    Effect.gen(function* () {
      const paid = yield* services.money.paidBefore(operatorId, channelType, channelId)
      if (paid !== undefined) yield* acceptPaid(services, operatorId, paid.reservation_code, yield* currentSecond)
    })

/** Payments one look through what waits takes at once. */
const BATCH = 200

/**
 * Looks through all that waits and makes the entries of what has its order by now: a process that ended between an order
 * and its payments left them.
 */
export const settleAllWaiting = Effect.fnUntraced(function* (services: MoneyServices) {
  let after = { operatorId: 0, accountId: 0, channelId: "", paymentId: "" }
  while (true) {
    const batch = yield* services.money.waitingAfter(after, BATCH)
    yield* Effect.forEach(batch, (told) => takeWaiting(services, told), { discard: true })
    const last = batch.at(-1)
    if (last === undefined || batch.length < BATCH) return
    after = last
  }
})
