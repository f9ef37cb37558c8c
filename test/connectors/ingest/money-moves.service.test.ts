import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { Ingest, type SourceAccount } from "../../../src/connectors/ingest/Ingest.ts"
import { applyAllPendingPayments } from "../../../src/connectors/ingest/payment-handler.ts"
import { addDays } from "../../../src/contract/time.ts"
import { Orders } from "../../../src/domain/bookings/reservations/Orders.ts"
import { ChannelPaymentStore } from "../../../src/domain/money/channel-payment-store.ts"
import { deleteExpiredPendingPaymentsSql } from "../../../src/domain/money/pending-payments.ts"
import { applyRetention } from "../../../src/jobs/retention.ts"
import {
  createOperatorWithListings,
  makeChannelRoom,
  makeOrderEvent
} from "../../support/connectors/ingest/channel-events.ts"
import { newChannelOrder } from "../../support/domain/bookings/reservations/channel-orders.ts"
import {
  layerWithoutRateWindows,
  loadNightHolders,
  NOW_ISO
} from "../../support/domain/bookings/reservations/reservation-operator.ts"
import { asSystemActor } from "../../support/harness.ts"
import { insertChannelAccount } from "../../support/listings.ts"

// Money whose order changes, or goes to another account, around it.

const paid = {
  type: "payment",
  payment_id: "P-1",
  channel_id: "HM1",
  amount: 100,
  currency: "EUR",
  paid_at: "2027-04-20T09:00:00Z"
} as const

const ground = Effect.gen(function* () {
  const own = yield* createOperatorWithListings
  const sql = yield* SqlClient.SqlClient
  const { operatorId } = own
  const second = yield* insertChannelAccount(operatorId, { username: "anew" })
  const anew: SourceAccount = { ...own.sourceAccount, accountId: second }
  const stands = (accountId: number, status: string) => sql`
    UPDATE channel_accounts SET auth_status = ${status} WHERE operator_id = ${operatorId} AND id = ${accountId}`
  return {
    ...own,
    sql,
    anew,
    services: { payments: yield* ChannelPaymentStore, orders: yield* Orders },
    hearAnew: (said: unknown) => own.ingest(anew, said),
    /** The host lets the service in by the second account; the first is gone, its listings are the second's. */
    connectAnew: Effect.andThen(
      stands(own.accountId, "disconnected"),
      sql`UPDATE listings SET account_id = ${second} WHERE operator_id = ${operatorId}`
    ),
    reconnect: Effect.andThen(stands(own.accountId, "active"), stands(second, "disconnected")),
    entries: Effect.map(
      own.api.search_transactions({ start_date: "2027-04-01", end_date: "2027-04-30" }).pipe(own.as),
      ({ transactions }) => transactions.map(({ amount }) => amount).toSorted((one, other) => one - other)
    ),
    waiting: Effect.map(
      sql`SELECT FROM channel_payments WHERE operator_id = ${operatorId} AND settled_at IS NULL`,
      (rows) => rows.length
    )
  }
})

layer(
  Layer.mergeAll(Ingest.layer, ChannelPaymentStore.layer, Orders.layer).pipe(
    Layer.provideMerge(layerWithoutRateWindows)
  )
)("money of an order", (it) => {
  it.effect("that gets a room is not split over the rooms there were when it was read", () =>
    Effect.gen(function* () {
      const {
        operatorId,
        accountId,
        listingId: listing,
        otherListingId: other,
        ingestEvent: hear,
        services,
        sql
      } = yield* ground
      const { payments: money } = services
      yield* hear(makeOrderEvent([makeChannelRoom(listing)]))
      const told = {
        operatorId,
        accountId,
        channelType: "airbnb",
        paymentId: "P-1",
        channelId: "HM1",
        kind: "payment",
        amount: "100.00",
        currency: "EUR",
        paidAt: new Date("2027-04-20T09:00:00Z")
      } as const
      const asRead = (yield* money.findContext(told)).order
      yield* hear(makeOrderEvent([makeChannelRoom(listing), makeChannelRoom(other, { room_id: "R2" })], { version: 2 }))
      if (asRead === null) return assert.fail("the order is not known")
      assert.deepStrictEqual(yield* asSystemActor(money.settlePayment(told, asRead, new Date())), {
        as_read: false,
        id: null
      })
      assert.deepStrictEqual(yield* hear(paid), { outcome: "applied" })
      const shares = yield* sql<{ amount: string }>`
          SELECT amount::text FROM transaction_shares WHERE operator_id = ${operatorId} ORDER BY stay_id`
      assert.deepStrictEqual(
        shares.map(({ amount }) => Number(amount)),
        [50, 50]
      )
    })
  )

  it.effect("whose host connects anew is told by the new account, before it has spoken of the order", () =>
    Effect.gen(function* () {
      const { listingId: listing, ingestEvent: hear, hearAnew, connectAnew, entries } = yield* ground
      yield* hear(makeOrderEvent([makeChannelRoom(listing)]))
      yield* hear(paid)
      assert.strictEqual((yield* hearAnew({ ...paid, payment_id: "P-2" })).outcome, "refused")
      yield* connectAnew
      assert.deepStrictEqual(yield* hearAnew({ ...paid, payment_id: "P-2", amount: 20 }), { outcome: "applied" })
      assert.deepStrictEqual(yield* entries, [20, 100])
    })
  )

  it.effect("told by the account before is one entry, whichever account tells it again", () =>
    Effect.gen(function* () {
      const { listingId: listing, ingestEvent: hear, hearAnew, connectAnew, reconnect, entries } = yield* ground
      yield* hear(makeOrderEvent([makeChannelRoom(listing)]))
      yield* hear(paid)
      yield* connectAnew
      assert.deepStrictEqual(yield* hearAnew(paid), { outcome: "known" })
      yield* hearAnew(makeOrderEvent([makeChannelRoom(listing)], { version: 2 }))
      assert.deepStrictEqual(yield* hearAnew(paid), { outcome: "known" })
      assert.strictEqual((yield* hearAnew({ ...paid, amount: 101 })).outcome, "refused")
      yield* hearAnew({ ...paid, payment_id: "P-2", amount: 20 })
      yield* reconnect
      assert.deepStrictEqual(yield* hear(paid), { outcome: "known" })
      assert.deepStrictEqual(yield* hear({ ...paid, payment_id: "P-2", amount: 20 }), { outcome: "known" })
      assert.deepStrictEqual(yield* entries, [20, 100])
    })
  )

  it.effect("that waited under the account before is its entry, once, and waits no longer", () =>
    Effect.gen(function* () {
      const { listingId: listing, ingestEvent: hear, hearAnew, connectAnew, services, entries, waiting } = yield* ground
      yield* hear(paid)
      yield* hear({ ...paid, payment_id: "P-2", amount: 20 })
      yield* connectAnew
      yield* hearAnew({ ...paid, payment_id: "P-2", amount: 20 })
      yield* hearAnew(makeOrderEvent([makeChannelRoom(listing)]))
      yield* asSystemActor(applyAllPendingPayments(services))
      assert.deepStrictEqual(yield* entries, [20, 100])
      assert.strictEqual(yield* waiting, 0)
    })
  )

  for (const first of ["wait_accept", "unknown"] as const) {
    it.effect(`that was paid while the order was ${first} accepts it, when it is heard to wait for that`, () =>
      Effect.gen(function* () {
        const { listingId: listing, ingestEvent: hear, reservations: rows, entries, operatorId } = yield* ground
        if (first === "wait_accept") yield* hear(makeOrderEvent([makeChannelRoom(listing)], { status: "wait_accept" }))
        yield* hear(paid)
        const waits = makeOrderEvent([makeChannelRoom(listing)], { status: "wait_pay", version: 2 })
        assert.deepStrictEqual(yield* hear(waits), { outcome: "applied" })
        assert.deepStrictEqual(yield* hear(waits), { outcome: "known" })
        assert.deepInclude((yield* rows)[0], { status: "accepted" })
        assert.lengthOf(yield* loadNightHolders(operatorId), 3)
        assert.deepStrictEqual(yield* entries, [100])
      })
    )
  }

  it.effect("that is paid at the very moment in which the order is heard to wait for it accepts it, each time", () =>
    Effect.gen(function* () {
      const { api, as, listingId: listing, ingestEvent: hear } = yield* ground
      for (let round = 0; round < 20; round++) {
        const channel_id = `M${round}`
        const dates = { check_in_date: addDays("2027-06-01", round), check_out_date: addDays("2027-06-02", round) }
        const said = { channel_id, status: "wait_accept" } as const
        yield* hear(makeOrderEvent([makeChannelRoom(listing, dates)], said))
        const waits = hear(
          makeOrderEvent([makeChannelRoom(listing, dates)], { ...said, version: 2, status: "wait_pay" })
        )
        const pays = hear({ ...paid, channel_id, payment_id: channel_id })
        const wait = Effect.repeat(Effect.yieldNow, { times: round })
        const pair = round % 2 === 0 ? [waits, Effect.andThen(wait, pays)] : [Effect.andThen(wait, waits), pays]
        yield* Effect.all(pair, { concurrency: "unbounded" })
        const { reservations } = yield* api.search_reservations({ channel_id }).pipe(as)
        assert.strictEqual(reservations[0]?.status, "accepted", `${round}`)
        assert.strictEqual(reservations[0]?.payment.received_amount, 100)
      }
    })
  )

  it.effect("that the host entered by hand, or that was given back, accepts nothing", () =>
    Effect.gen(function* () {
      const { api, as, listingId: listing, ingestEvent: hear, reservations: rows } = yield* ground
      yield* hear(makeOrderEvent([makeChannelRoom(listing)], { status: "wait_accept" }))
      const [stay] = yield* rows
      yield* api
        .create_transaction({
          direction: "income",
          item_id: 11,
          payment_method_id: 197,
          amount: 100,
          reservation_code: stay?.reservation_code ?? "",
          action_at: "2027-04-20T09:00:00Z"
        })
        .pipe(as)
      yield* hear({ ...paid, type: "refund", payment_id: "R-1" })
      yield* hear(makeOrderEvent([makeChannelRoom(listing)], { status: "wait_pay", version: 2 }))
      assert.deepInclude((yield* rows)[0], { status: "wait_pay" })
    })
  )

  it.effect("that waited its time is forgotten, and not a millisecond before; what is an entry never is", () =>
    Effect.gen(function* () {
      const { operatorId, listingId: listing, ingestEvent: hear, sql, waiting } = yield* ground
      yield* hear(makeOrderEvent([makeChannelRoom(listing)]))
      yield* hear(paid)
      yield* hear({ ...paid, payment_id: "P-2", channel_id: "none" })
      // Before anything of another test's was told.
      const told = "2001-01-01T00:00:00Z"
      yield* sql`UPDATE channel_payments SET created_at = ${new Date(told)} WHERE operator_id = ${operatorId}`
      const since = (late: number) => new Date(Date.parse(told) - late)
      yield* applyRetention(sql, [deleteExpiredPendingPaymentsSql(sql, since(1))])
      assert.strictEqual(yield* waiting, 1)
      yield* applyRetention(sql, [deleteExpiredPendingPaymentsSql(sql, since(0))])
      assert.strictEqual(yield* waiting, 0)
      assert.deepStrictEqual(yield* hear(paid), { outcome: "known" })
    })
  )

  it.effect("that cannot be entered now is in the way of no other that waits, and is tried again", () =>
    Effect.gen(function* () {
      const { operatorId, accountId, ingestEvent: hear, services, entries, waiting } = yield* ground
      for (const [at, payment_id] of ["P-1", "P-2", "P-3"].entries()) {
        yield* hear({ ...paid, payment_id, amount: at + 1 })
      }
      const sold = newChannelOrder({ channel_id: "HM1", channel_account_id: accountId })
      yield* asSystemActor(services.orders.createFromChannel(operatorId, sold, new Date(NOW_ISO)))
      const { payments: money } = services
      const broken = {
        ...services,
        payments: {
          ...money,
          findContext: (told: Parameters<typeof money.findContext>[0]) =>
            told.paymentId === "P-2" ? Effect.die(new Error("broken")) : money.findContext(told)
        }
      }
      const log: Array<unknown> = []
      const logger = Logger.make(({ message }) => {
        log.push(message)
      })
      yield* asSystemActor(applyAllPendingPayments(broken)).pipe(Effect.provide(Logger.layer([logger])))
      assert.deepStrictEqual(yield* entries, [1, 3])
      assert.strictEqual(yield* waiting, 1)
      assert.lengthOf(log, 1)
      yield* asSystemActor(applyAllPendingPayments(services))
      assert.deepStrictEqual(yield* entries, [1, 2, 3])
    })
  )
})
