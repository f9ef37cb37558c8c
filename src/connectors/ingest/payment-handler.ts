import { Cause, Effect, Option } from "effect"
import type { CurrentActor } from "../../contract/actor.ts"
import { formatMinorUnits, toMinorUnits } from "../../contract/money.ts"
import { currentSecond } from "../../contract/time.ts"
import { retryWhileOrderChanges } from "../../domain/bookings/orders/order-change-retry.ts"
import type { Orders } from "../../domain/bookings/reservations/Orders.ts"
import type { ChannelMoneyEvent } from "../../domain/channels/port/channel-events.ts"
import { InvalidChannelEvent, parseChannelInstant } from "../../domain/channels/port/event-handling.ts"
import type { ChannelPayment } from "../../domain/money/channel-payment.ts"
import {
  type ChannelPaymentStore,
  isSamePayment,
  type OrderOfPayment,
  type PaymentContext
} from "../../domain/money/channel-payment-store.ts"
import { PENDING_CHANNEL_PAYMENTS_MAX } from "../../platform/limits.ts"
import type { ChannelEventHandler, IngestResult, SourceAccount } from "./ingest-result.ts"

const toChannelPayment = (
  { operatorId, accountId, channelType }: SourceAccount,
  event: ChannelMoneyEvent
): ChannelPayment | undefined =>
  Option.match(toMinorUnits(event.amount, event.currency), {
    onNone: () => undefined,
    onSome: (units) => ({
      operatorId,
      accountId,
      channelType,
      paymentId: event.payment_id,
      channelId: event.channel_id,
      kind: event.type,
      amount: formatMinorUnits(units, event.currency),
      currency: event.currency,
      paidAt: parseChannelInstant(event.paid_at)
    })
  })

const findRejectionReason = (
  { money, order, waiting }: PaymentContext,
  reported: ChannelPayment
): string | undefined => {
  if (money !== null && !isSamePayment(money, reported)) return "payment_id: was sent before with different content"
  if (order === null) {
    return money === null && waiting >= PENDING_CHANNEL_PAYMENTS_MAX
      ? `channel_id: ${PENDING_CHANNEL_PAYMENTS_MAX} payments of the account already wait for their orders`
      : undefined
  }
  if (order.is_anothers) return "channel_id: the order belongs to another account"
  return order.currency === reported.currency ? undefined : `currency: the order is in ${order.currency}`
}

export interface PaymentServices {
  readonly payments: ChannelPaymentStore["Service"]
  readonly orders: Orders["Service"]
}

/**
 * Accepts an order that waited for its payment. Stays whose nights are taken become unassigned. For a new payment, the
 * income transaction is created after this step. If a crash prevents that, the channel sends the payment again.
 */
const acceptPaidOrder = ({ orders }: PaymentServices, operatorId: number, reservation_code: string, at: Date) =>
  Effect.orDie(
    orders.changeFromChannel(operatorId, at, { reservation_code }, ({ order }) =>
      Effect.succeed(order?.status === "wait_pay" ? [{ ...order, status: "accepted" }] : [])
    )
  )

/**
 * Returns undefined if the payment must be applied again: the order has changed since it was read, or was just
 * accepted.
 */
const createTransaction = Effect.fnUntraced(function* (
  services: PaymentServices,
  payment: ChannelPayment,
  order: OrderOfPayment,
  now: Date
) {
  if (payment.kind === "payment" && order.status === "wait_pay") {
    yield* acceptPaidOrder(services, payment.operatorId, order.reservation_code, now)
    return undefined
  }
  const { as_read, id } = yield* services.payments.settlePayment(payment, order, now)
  if (!as_read) return undefined
  const result: IngestResult = { outcome: id === null ? "known" : "applied" }
  return result
})

const applyPayment = (
  services: PaymentServices,
  payment: ChannelPayment
): Effect.Effect<IngestResult, InvalidChannelEvent, CurrentActor> => {
  const attempt = (isStored: boolean): Effect.Effect<IngestResult | undefined, InvalidChannelEvent, CurrentActor> =>
    Effect.gen(function* () {
      const existing = yield* services.payments.findContext(payment)
      const reason = findRejectionReason(existing, payment)
      if (reason !== undefined) return yield* new InvalidChannelEvent({ reason })
      if (existing.money?.settled === true) return { outcome: "known" }
      const now = yield* currentSecond
      if (existing.order !== null) return yield* createTransaction(services, payment, existing.order, now)
      if (isStored || existing.money !== null) return { outcome: "waiting" }
      yield* services.payments.storePending(payment, now)
      // The order may have arrived while the payment was being stored.
      return yield* attempt(true)
    })
  return Effect.catchTag(retryWhileOrderChanges(attempt(false)), "Conflict", Effect.die)
}

export const makePaymentHandler =
  (services: PaymentServices): ChannelEventHandler<ChannelMoneyEvent> =>
  (account, event) => {
    const payment = toChannelPayment(account, event)
    return payment === undefined
      ? Effect.fail(new InvalidChannelEvent({ reason: `amount: has more decimals than ${event.currency} has` }))
      : applyPayment(services, payment)
  }

/** Discards a payment that is recorded or that its order rejects. After other failures it stays pending. */
const applyPendingPayment = (
  services: PaymentServices,
  payment: ChannelPayment
): Effect.Effect<void, never, CurrentActor> => {
  const annotate = Effect.annotateLogs({ operator_id: payment.operatorId, channel_account_id: payment.accountId })
  return applyPayment(services, payment).pipe(
    Effect.flatMap(({ outcome }) => (outcome === "known" ? services.payments.discardPending(payment) : Effect.void)),
    Effect.catchTag("InvalidChannelEvent", ({ reason }) =>
      Effect.andThen(
        services.payments.discardPending(payment),
        Effect.logWarning("a waiting payment was dropped because its order rejects it").pipe(
          annotate,
          Effect.annotateLogs({ reason })
        )
      )
    ),
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterruptsOnly(cause),
      (cause) => annotate(Effect.logWarning("recording a waiting payment failed and will be retried", cause))
    )
  )
}

export const applyPendingPaymentsOfOrder =
  (services: PaymentServices) =>
  ({ operatorId, accountId }: SourceAccount, channelId: string): Effect.Effect<void, never, CurrentActor> =>
    Effect.flatMap(services.payments.listPendingOfOrder({ operatorId, accountId, channelId }), (pending) =>
      Effect.forEach(pending, (payment) => applyPendingPayment(services, payment), { discard: true })
    )

export const acceptOrderIfPaid =
  (services: PaymentServices) =>
  ({ operatorId, channelType }: SourceAccount, channelId: string): Effect.Effect<void, never, CurrentActor> =>
    Effect.gen(function* () {
      const order = yield* services.payments.findPaidOrder(operatorId, channelType, channelId)
      if (order !== undefined)
        yield* acceptPaidOrder(services, operatorId, order.reservation_code, yield* currentSecond)
    })

const PAYMENTS_PER_BATCH = 200

/** Applies payments that a crashed process left pending although their order exists. */
export const applyAllPendingPayments = Effect.fnUntraced(function* (services: PaymentServices) {
  let after = { operatorId: 0, accountId: 0, channelId: "", paymentId: "" }
  while (true) {
    const batch = yield* services.payments.listPendingAfter(after, PAYMENTS_PER_BATCH)
    yield* Effect.forEach(batch, (payment) => applyPendingPayment(services, payment), { discard: true })
    const last = batch.at(-1)
    if (last === undefined || batch.length < PAYMENTS_PER_BATCH) return
    after = last
  }
})
