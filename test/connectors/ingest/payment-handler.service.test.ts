import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import {
  applyAllPendingPayments,
  applyPendingPaymentsOfOrder,
  makePaymentHandler
} from "../../../src/connectors/ingest/payment-handler.ts"
import type { NewOrder } from "../../../src/domain/bookings/orders/order.ts"
import { Orders } from "../../../src/domain/bookings/reservations/Orders.ts"
import type { ChannelMoneyEvent } from "../../../src/domain/channels/port/channel-events.ts"
import { ChannelPaymentStore } from "../../../src/domain/money/channel-payment-store.ts"
import { PENDING_CHANNEL_PAYMENTS_MAX } from "../../../src/platform/limits.ts"
import { newChannelOrder, newChannelStay } from "../../support/domain/bookings/reservations/channel-orders.ts"
import {
  layerWithoutRateWindows,
  loadEvents,
  loadNightHolders,
  prepareOperator
} from "../../support/domain/bookings/reservations/reservation-operator.ts"
import { asSystemActor } from "../../support/harness.ts"
import { insertChannelAccount } from "../../support/listings.ts"

const payment = (said: Partial<ChannelMoneyEvent> = {}): ChannelMoneyEvent => ({
  type: "payment",
  payment_id: "P-1",
  channel_id: "90001",
  amount: 420,
  currency: "EUR",
  paid_at: "2027-04-20T09:00:00Z",
  ...said
})

const ground = Effect.gen(function* () {
  const own = yield* prepareOperator
  const accountId = yield* insertChannelAccount(own.operatorId)
  const services = { payments: yield* ChannelPaymentStore, orders: yield* Orders }
  const speaker = { operatorId: own.operatorId, accountId, channelType: "airbnb" }
  const entries = Effect.map(
    own.api.search_transactions({ start_date: "2027-04-01", end_date: "2027-04-30" }).pipe(own.as),
    ({ transactions }) => transactions
  )
  return {
    ...own,
    accountId,
    services,
    speaker,
    entries,
    take: (said: Partial<ChannelMoneyEvent> = {}) =>
      asSystemActor(makePaymentHandler(services)(speaker, payment(said))).pipe(
        Effect.catchTag("InvalidChannelEvent", ({ reason }) => Effect.succeed({ outcome: "refused" as const, reason }))
      ),
    sell: (said: Partial<NewOrder> = {}) =>
      asSystemActor(
        services.orders.createFromChannel(
          own.operatorId,
          newChannelOrder({
            channel_id: "90001",
            channel_account_id: accountId,
            stays: [
              newChannelStay({ property_id: own.propertyId }),
              newChannelStay({ property_id: own.secondPropertyId, rate: "210" })
            ],
            ...said
          }),
          new Date("2027-04-20T08:00:00Z")
        )
      )
  }
})

const created = (events: ReadonlyArray<{ readonly event: string }>) =>
  events.filter(({ event }) => event === "transaction_created").length

layer(Layer.mergeAll(Orders.layer, ChannelPaymentStore.layer).pipe(Layer.provideMerge(layerWithoutRateWindows)))(
  "money of a channel",
  (it) => {
    it.effect("is an income entry of System on its order, split over its stays, and told of", () =>
      Effect.gen(function* () {
        const { take, sell, entries, operatorId } = yield* ground
        const { reservation_code } = yield* sell()
        assert.deepStrictEqual(yield* take({ amount: 100 }), { outcome: "applied" })
        const [entry, ...others] = yield* entries
        assert.lengthOf(others, 0)
        assert.deepInclude(entry, {
          direction: "income",
          amount: 100,
          currency: "EUR",
          operator_name: "System",
          reservation_code,
          status: "paid",
          action_at: "2027-04-20T09:00:00Z"
        })
        assert.strictEqual(created(yield* loadEvents(operatorId)), 1)
        const sql = yield* SqlClient.SqlClient
        const shares = yield* sql<{ amount: string }>`
          SELECT amount::text FROM transaction_shares WHERE operator_id = ${operatorId} ORDER BY stay_id`
        assert.deepStrictEqual(
          shares.map(({ amount }) => Number(amount)),
          [66.67, 33.33]
        )
      })
    )

    it.effect("that was paid by a clock ahead of ours is paid, now", () =>
      Effect.gen(function* () {
        const { take, sell, entries, api, as } = yield* ground
        const { reservation_code } = yield* sell()
        yield* take({ paid_at: "2027-04-20T10:05:00Z" })
        assert.deepInclude((yield* entries)[0], { status: "paid", action_at: "2027-04-20T10:00:00Z" })
        const { reservations } = yield* api.search_reservations({ reservation_code }).pipe(as)
        assert.strictEqual(reservations[0]?.payment.received_amount, 420)
      })
    )

    it.effect("given back is an expense on the order", () =>
      Effect.gen(function* () {
        const { take, sell, entries } = yield* ground
        const { reservation_code } = yield* sell()
        yield* take()
        yield* take({ type: "refund", payment_id: "R-1", amount: 20 })
        const found = yield* entries
        assert.deepStrictEqual(
          found
            .map(({ direction, amount, item_name }) => ({ direction, amount, item_name }))
            .toSorted((one, other) => one.amount - other.amount),
          [
            { direction: "expense", amount: 20, item_name: "Refund" },
            { direction: "income", amount: 420, item_name: "Room fee" }
          ]
        )
        assert.isTrue(
          found.every((entry) => entry.reservation_code === reservation_code && entry.operator_name === "System")
        )
      })
    )

    it.effect("told many times at once and again later is one entry", () =>
      Effect.gen(function* () {
        const { take, sell, entries, operatorId } = yield* ground
        yield* sell()
        const heard = yield* Effect.all(
          Array.from({ length: 20 }, () => take()),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(
          heard.filter(({ outcome }) => outcome === "applied"),
          1
        )
        assert.deepStrictEqual(yield* take(), { outcome: "known" })
        assert.lengthOf(yield* entries, 1)
        assert.strictEqual(created(yield* loadEvents(operatorId)), 1)
      })
    )

    it.effect("whose entry the host deleted is not entered anew", () =>
      Effect.gen(function* () {
        const { take, sell, entries, api, as } = yield* ground
        yield* sell()
        yield* take()
        const [entry] = yield* entries
        yield* api.delete_transaction({ id: entry?.id ?? 0 }).pipe(as)
        assert.deepStrictEqual(yield* take(), { outcome: "known" })
        assert.lengthOf(yield* entries, 0)
      })
    )

    it.effect(
      "accepts an order that waits for it, whose nights are then held; one whose night is gone goes into the box",
      () =>
        Effect.gen(function* () {
          const { take, sell, api, as, operatorId, propertyId: property, secondPropertyId: second } = yield* ground
          const expires_at = new Date("2027-04-21T08:00:00Z")
          const { reservation_code } = yield* sell({ status: "wait_pay", expires_at })
          yield* sell({
            reservation_code: "0-90002-XK2P",
            channel_id: "90002",
            stays: [newChannelStay({ property_id: second })]
          })
          assert.deepStrictEqual(yield* take({ type: "refund", payment_id: "R-1", amount: 1 }), { outcome: "applied" })
          const status = Effect.map(api.search_reservations({ reservation_code }).pipe(as), ({ reservations }) =>
            reservations.map((each) => [each.status, each.property_id])
          )
          assert.deepStrictEqual((yield* status)[0]?.[0], "wait_pay")
          yield* take()
          assert.sameDeepMembers(
            [...(yield* status)],
            [
              ["accepted", property],
              ["accepted", 0]
            ]
          )
          assert.lengthOf(yield* loadNightHolders(operatorId), 6)
          const sql = yield* SqlClient.SqlClient
          const [order] = yield* sql<{ expires_at: Date | null }>`
          SELECT expires_at FROM orders WHERE operator_id = ${operatorId} AND reservation_code = ${reservation_code}`
          assert.isNull(order?.expires_at)
        })
    )

    it.effect("waits for its order, and is its entry then, once", () =>
      Effect.gen(function* () {
        const { take, sell, entries, services, speaker } = yield* ground
        assert.deepStrictEqual(yield* take(), { outcome: "waiting" })
        assert.deepStrictEqual(yield* take(), { outcome: "waiting" })
        yield* asSystemActor(applyAllPendingPayments(services))
        assert.lengthOf(yield* entries, 0)
        yield* sell()
        yield* asSystemActor(applyPendingPaymentsOfOrder(services)(speaker, "90001"))
        yield* asSystemActor(applyPendingPaymentsOfOrder(services)(speaker, "90001"))
        assert.lengthOf(yield* entries, 1)
        assert.deepStrictEqual(yield* take(), { outcome: "known" })
      })
    )

    it.effect("that waited when a process ended is found by the look through all", () =>
      Effect.gen(function* () {
        const { take, sell, entries, services } = yield* ground
        yield* take()
        yield* take({ payment_id: "P-2", currency: "USD" })
        yield* sell()
        yield* asSystemActor(applyAllPendingPayments(services))
        assert.lengthOf(yield* entries, 1)
        // The one in another currency was dropped: what is refused at once is refused late, too.
        assert.strictEqual((yield* take({ payment_id: "P-2", currency: "USD" })).outcome, "refused")
      })
    )

    it.effect("that cannot be is refused and changes nothing", () =>
      Effect.gen(function* () {
        const { take, sell, entries, operatorId } = yield* ground
        const other = yield* insertChannelAccount(operatorId, { username: "another" })
        yield* sell()
        yield* sell({
          reservation_code: "0-90003-XK2P",
          channel_id: "90003",
          channel_account_id: other,
          stays: [newChannelStay()]
        })
        yield* take()
        for (const said of [
          { payment_id: "P-3", currency: "USD" },
          { payment_id: "P-3", amount: 1.005 },
          { payment_id: "P-3", channel_id: "90003" },
          { payment_id: "P-1", amount: 421 },
          { payment_id: "P-1", type: "refund" as const }
        ]) {
          assert.strictEqual((yield* take(said)).outcome, "refused", JSON.stringify(said))
        }
        assert.lengthOf(yield* entries, 1)
      })
    )

    it.effect(`waits with at most ${PENDING_CHANNEL_PAYMENTS_MAX} of its account`, () =>
      Effect.gen(function* () {
        const { take, operatorId, accountId } = yield* ground
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          INSERT INTO channel_payments (operator_id, account_id, payment_id, channel_id, kind, amount, currency, paid_at, created_at)
          SELECT ${operatorId}, ${accountId}, 'W' || n, '90009', 'payment', 1, 'EUR', now(), now()
          FROM generate_series(1, ${PENDING_CHANNEL_PAYMENTS_MAX - 1}) n`
        assert.deepStrictEqual(yield* take(), { outcome: "waiting" })
        assert.strictEqual((yield* take({ payment_id: "P-2" })).outcome, "refused")
        assert.deepStrictEqual(yield* take(), { outcome: "waiting" })
      })
    )
  }
)
