import { assert, layer } from "@effect/vitest"
import { Cause, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { SqlError } from "effect/sql/SqlError"
import { CurrentActor, type IdempotencyKeyState, systemActor } from "../../src/contract/actor.ts"
import { Orders } from "../../src/domain/bookings/reservations/Orders.ts"
import { findConstraintViolation } from "../../src/platform/database/constraint-violations.ts"
import { ORDER_CHANGE_FREE_ATTEMPTS } from "../../src/platform/limits.ts"
import type { OperationName } from "../../src/service/Api.ts"
import { callWithKey, countIdempotencyKeys, loadAuditLines, summarizeResponse } from "../support/changes/keyed-calls.ts"
import {
  deleteEvents,
  layerWithoutRateWindows,
  loadEvents,
  loadReservationRows,
  MANUAL_RESERVATION,
  NOW_ISO,
  prepareOperator
} from "../support/domain/bookings/reservations/reservation-operator.ts"
import { insertOrder } from "../support/harness.ts"
import { countStatements } from "../support/statement-count.ts"

/** An operator with an accepted order of two rooms, an entry on it, and a request; all of them without a trail yet. */
const ground = Effect.gen(function* () {
  const all = yield* prepareOperator
  const { operatorId, propertyId: property, secondPropertyId: second } = all
  const sql = yield* SqlClient.SqlClient
  const order = yield* insertOrder(operatorId, [{ propertyId: property }, { propertyId: second }])
  const dates = { checkIn: "2027-06-01", checkOut: "2027-06-03" }
  const request = yield* insertOrder(operatorId, [{ propertyId: property, ...dates }], {
    channelType: "airbnb",
    status: "wait_accept"
  })
  const { transaction_id } = yield* all.api
    .create_transaction({
      direction: "income",
      reservation_code: order,
      amount: 90,
      item_id: 11,
      payment_method_id: 197
    })
    .pipe(all.as)
  yield* sql`DELETE FROM trail WHERE operator_id = ${operatorId}`
  return { ...all, order, request, entry: transaction_id }
})
type Ground = Effect.Success<typeof ground>

interface Changed {
  readonly operation: OperationName
  readonly fields: (on: Ground) => object
  /** The rows of the trail, without their operation; those of records that the change made by their kind. */
  readonly trail: (on: Ground) => ReadonlyArray<string>
}

const stay = ({ order }: Ground) => ({ stay_code: order })
const ofOrder =
  (...fields: ReadonlyArray<string>) =>
  ({ order }: Ground) => [[`reservation:${order}`, ...fields].join(" ")]

const CHANGES: ReadonlyArray<Changed> = [
  {
    operation: "create_transaction",
    fields: ({ propertyId: property }) => ({
      direction: "expense",
      property_id: property,
      amount: 12.5,
      currency: "EUR",
      item_id: 51,
      payment_method_id: 301
    }),
    trail: () => ["transaction:"]
  },
  {
    operation: "update_transaction",
    fields: ({ entry }) => ({ id: entry, amount: 60, note: "less" }),
    trail: ({ entry }) => [`transaction:${entry} amount note`]
  },
  {
    operation: "delete_transaction",
    fields: ({ entry }) => ({ id: entry }),
    trail: ({ entry }) => [`transaction:${entry}`]
  },
  {
    operation: "create_reservation",
    fields: ({ propertyId: property }) => ({
      ...MANUAL_RESERVATION,
      property_id: property,
      received_amount: 100,
      check_out_date: "2027-05-06"
    }),
    trail: () => ["reservation:", "transaction:"]
  },
  {
    operation: "update_reservation_basic",
    fields: (on) => ({ ...stay(on), rate_amount: 120, mobile: "+49 1", check_out_date: "2027-05-05", creator: "Me" }),
    trail: ({ order, entry }) => [
      `reservation:${order} check_out_date creator guest_phone rate`,
      `transaction:${entry} shares`
    ]
  },
  {
    operation: "cancel_reservation",
    fields: ({ order }) => ({ reservation_code: order }),
    trail: ofOrder("cancelled_at", "status")
  },
  {
    operation: "approve_reservation",
    fields: ({ request }) => ({ reservation_code: request }),
    trail: ({ request }) => [`reservation:${request} status`]
  },
  {
    operation: "decline_reservation",
    fields: ({ request }) => ({ reservation_code: request }),
    trail: ({ request }) => [`reservation:${request} status`]
  },
  {
    operation: "allocate_stay",
    fields: ({ request, secondPropertyId: second }) => ({ stay_code: request, property_id: second }),
    trail: ({ request }) => [`reservation:${request} property_id`]
  },
  { operation: "move_stay_to_box", fields: stay, trail: ofOrder("property_id") },
  {
    operation: "add_reservation_tag",
    fields: (on) => ({ ...stay(on), tag_name: "Quiet" }),
    trail: (on) => [...ofOrder("tags")(on), "reservation_tag:"]
  },
  {
    operation: "update_check_in_details",
    fields: (on) => ({ ...stay(on), lock_code: "4711", deposit: 100, arrival_at: { hour: 16, minute: 30 } }),
    trail: ofOrder("arrival_at", "deposit", "lock_code")
  },
  {
    operation: "update_reservation_custom_fields",
    fields: (on) => ({ ...stay(on), custom_fields: { zoo: "near", Door: "blue" } }),
    trail: ofOrder("custom_fields")
  },
  {
    operation: "update_stay_status",
    fields: (on) => ({ ...stay(on), stay_status: "in_house" }),
    trail: ofOrder("stay_status")
  }
]

/** A row of the trail without the ids of what was made. */
const withoutNewIds = (rows: ReadonlyArray<string>, expected: ReadonlyArray<string>) =>
  rows.map((row) => expected.find((each) => each.endsWith(":") && row.startsWith(each) && !row.includes(" ")) ?? row)

/** Everything, the trail among it. */
const world = (operatorId: number) => Effect.all([loadReservationRows(operatorId), loadAuditLines(operatorId)])

layer(layerWithoutRateWindows)("a change with a key", (it) => {
  for (const { operation, fields, trail } of CHANGES) {
    it.effect(`${operation} is made once, answered the same again, and told in the trail`, () =>
      Effect.gen(function* () {
        const on = yield* ground
        const { token, operatorId } = on
        const attempt = Effect.map(callWithKey(token, operation, fields(on), "k"), summarizeResponse)
        const [first, statements] = yield* countStatements(attempt)
        assert.strictEqual(first.code, 0, first.data)
        assert.isAtMost(statements, operation.endsWith("e_reservation") ? 4 : 3)
        const rows = (yield* loadAuditLines(operatorId)).map((row) => row.slice(operation.length + 1))
        assert.sameMembers([...withoutNewIds(rows, trail(on))], [...trail(on)])
        assert.lengthOf(rows, trail(on).length)
        const before = yield* world(operatorId)
        assert.deepStrictEqual(yield* attempt, { ...first, replayed: true })
        assert.deepStrictEqual(yield* world(operatorId), before)
        assert.deepStrictEqual(yield* countIdempotencyKeys(operatorId), { kept: 1, underWay: 0 })
      })
    )
  }

  it.effect("remove_reservation_tag is made once, answered the same again, and told in the trail", () =>
    Effect.gen(function* () {
      const on = yield* ground
      const tagged = { ...stay(on), tag_name: "Quiet" }
      yield* on.api.add_reservation_tag(tagged).pipe(on.as)
      const attempt = Effect.map(callWithKey(on.token, "remove_reservation_tag", tagged, "k"), summarizeResponse)
      const first = yield* attempt
      assert.deepStrictEqual([first.code, first.replayed], [0, false])
      assert.strictEqual(
        (yield* loadAuditLines(on.operatorId)).at(-1),
        `remove_reservation_tag reservation:${on.order} tags`
      )
      assert.deepStrictEqual(yield* attempt, { ...first, replayed: true })
      const other = yield* callWithKey(on.token, "remove_reservation_tag", tagged, "other")
      assert.strictEqual(other.envelope.error_code, 404)
    })
  )

  it.effect("that changes two orders tells of both", () =>
    Effect.gen(function* () {
      const on = yield* ground
      const moving = yield* insertOrder(on.operatorId, [{ propertyId: null }])
      const fields = { stay_code: moving, property_id: on.propertyId }
      const first = summarizeResponse(yield* callWithKey(on.token, "allocate_stay", fields, "k"))
      assert.strictEqual(first.code, 0, first.data)
      assert.sameMembers(
        [...(yield* loadAuditLines(on.operatorId))],
        [`allocate_stay reservation:${moving} property_id`, `allocate_stay reservation:${on.order} property_id`]
      )
    })
  )

  it.effect("that changes nothing succeeds, is kept, and leaves no trail", () =>
    Effect.gen(function* () {
      const on = yield* ground
      const { token, operatorId, order, entry } = on
      yield* on.api.add_reservation_tag({ stay_code: order, tag_name: "Quiet" }).pipe(on.as)
      const before = yield* loadAuditLines(operatorId)
      const unchanged: ReadonlyArray<readonly [OperationName, object]> = [
        ["update_transaction", { id: entry }],
        ["update_reservation_basic", { stay_code: order, remarks: "" }],
        ["allocate_stay", { stay_code: order, property_id: on.propertyId }],
        ["add_reservation_tag", { stay_code: order, tag_name: "Quiet" }],
        ["update_check_in_details", { stay_code: order, id_required: "not_required" }],
        ["update_stay_status", { stay_code: order, stay_status: "checkin_pending" }]
      ]
      for (const [operation, fields] of unchanged) {
        const attempt = Effect.map(callWithKey(token, operation, fields, operation), summarizeResponse)
        const first = yield* attempt
        assert.deepStrictEqual([operation, first.code, first.replayed], [operation, 0, false])
        assert.deepStrictEqual(yield* attempt, { ...first, replayed: true })
      }
      assert.deepStrictEqual(yield* loadAuditLines(operatorId), before)
      assert.deepStrictEqual(yield* countIdempotencyKeys(operatorId), { kept: unchanged.length, underWay: 0 })
    })
  )

  it.effect("that is told, though it saves what was there, is told once and leaves a trail of no field", () =>
    Effect.gen(function* () {
      const on = yield* ground
      const { token, operatorId, order, entry } = on
      const saved = { stay_code: order, custom_fields: { door: "blue" } }
      yield* on.api.update_reservation_custom_fields(saved).pipe(on.as)
      yield* deleteEvents(operatorId)
      const before = yield* loadAuditLines(operatorId)
      for (const [operation, fields] of [
        ["update_reservation_custom_fields", saved],
        ["update_transaction", { id: entry, amount: 90 }]
      ] as const) {
        const attempt = Effect.map(callWithKey(token, operation, fields, operation), summarizeResponse)
        const first = yield* attempt
        assert.deepStrictEqual([first.code, first.replayed], [0, false])
        assert.deepStrictEqual(yield* attempt, { ...first, replayed: true })
      }
      const events = (yield* loadEvents(operatorId)).map(({ event }) => event)
      assert.deepStrictEqual(events, ["reservation_updated", "transaction_updated"])
      assert.deepStrictEqual((yield* loadAuditLines(operatorId)).slice(before.length), [
        `update_reservation_custom_fields reservation:${order}`,
        `update_transaction transaction:${entry}`
      ])
    })
  )

  it.effect("that is refused keeps no key and leaves no trail", () =>
    Effect.gen(function* () {
      const { token, operatorId, order, propertyId: property } = yield* ground
      const refused: ReadonlyArray<readonly [OperationName, object, number]> = [
        ["create_transaction", { direction: "income", amount: 1, item_id: 11, payment_method_id: 197 }, 400],
        ["delete_transaction", { id: 1 }, 404],
        ["create_reservation", { ...MANUAL_RESERVATION, property_id: property, check_in_date: "2027-05-01" }, 409],
        ["update_reservation_basic", { stay_code: order, check_out_date: "2027-04-01" }, 422],
        ["approve_reservation", { reservation_code: order }, 400],
        ["remove_reservation_tag", { stay_code: order, tag_name: "Quiet" }, 404]
      ]
      for (const [operation, fields, code] of refused) {
        const { envelope } = yield* callWithKey(token, operation, fields, "k")
        assert.deepStrictEqual([operation, envelope.error_code], [operation, code], envelope.error_msg)
      }
      assert.deepStrictEqual(yield* countIdempotencyKeys(operatorId), { kept: 0, underWay: 0 })
      assert.deepStrictEqual(yield* loadAuditLines(operatorId), [])
    })
  )
})

layer(layerWithoutRateWindows)("a channel_id with a key beside it", (it) => {
  const named = ({ propertyId: property }: Effect.Success<typeof prepareOperator>) => ({
    ...MANUAL_RESERVATION,
    property_id: property,
    channel_id: "NAMED"
  })

  it.effect("answers the order as it is now, whatever the key was used for", () =>
    Effect.gen(function* () {
      const on = yield* prepareOperator
      const { token, operatorId } = on
      const create = (fields: object, key: string | undefined) =>
        Effect.map(callWithKey(token, "create_reservation", fields, key), summarizeResponse)
      const first = yield* create(named(on), "k")
      assert.include(first.data, '"accepted"')
      yield* on.api.cancel_reservation({ reservation_code: "5-NAMED" }).pipe(on.as)
      const now = { ...first, data: first.data.replaceAll("accepted", "cancelled") }
      assert.deepStrictEqual(yield* create(named(on), "k"), now)
      assert.deepStrictEqual(yield* create(named(on), "another"), now)
      assert.deepStrictEqual(yield* create({ ...named(on), guest_name: "Grace" }, "k"), now)
      assert.deepStrictEqual(
        yield* countIdempotencyKeys(operatorId),
        { kept: 1, underWay: 0 },
        "only the call that made it"
      )
      const { data, code } = yield* create({ ...named(on), channel_id: "OTHER" }, "k")
      assert.deepStrictEqual([code, data], [422, "{}"])
    })
  )

  it.effect("makes one order of many calls at once, under one key and under many", () =>
    Effect.gen(function* () {
      const on = yield* prepareOperator
      const sql = yield* SqlClient.SqlClient
      const calls = Array.from({ length: 40 }, (_, at) =>
        Effect.map(
          callWithKey(on.token, "create_reservation", named(on), at % 2 === 0 ? "k" : `k${at}`),
          summarizeResponse
        )
      )
      const answers = yield* Effect.all(calls, { concurrency: "unbounded" })
      assert.strictEqual(new Set(answers.map(({ code, data }) => `${code} ${data}`)).size, 1)
      assert.strictEqual(answers[0]?.code, 0)
      assert.lengthOf(yield* sql`SELECT FROM orders WHERE operator_id = ${on.operatorId}`, 1)
      assert.deepStrictEqual(yield* loadAuditLines(on.operatorId), ["create_reservation reservation:5-NAMED"])
      assert.strictEqual((yield* countIdempotencyKeys(on.operatorId)).kept, 1)
    })
  )
})

layer(layerWithoutRateWindows)("one key", (it) => {
  it.effect("makes one order of many calls at once that name none", () =>
    Effect.gen(function* () {
      const on = yield* prepareOperator
      const sql = yield* SqlClient.SqlClient
      const fields = { ...MANUAL_RESERVATION, property_id: on.propertyId, received_amount: 50 }
      const create = Effect.map(callWithKey(on.token, "create_reservation", fields, "k"), summarizeResponse)
      const answers = yield* Effect.all(
        Array.from({ length: 40 }, () => create),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(answers.map(({ code, data }) => `${code} ${data}`)).size, 1)
      assert.lengthOf(
        answers.filter(({ replayed }) => !replayed),
        1
      )
      assert.lengthOf(yield* sql`SELECT FROM transactions WHERE operator_id = ${on.operatorId}`, 1)
    })
  )

  it.effect("changes an order once of many calls at once, also where they queue", () =>
    Effect.gen(function* () {
      const on = yield* prepareOperator
      const codes = yield* Effect.forEach(Array.from({ length: 6 }), (_, at) =>
        insertOrder(on.operatorId, [
          { propertyId: null, checkIn: `2027-07-0${at + 1}`, checkOut: `2027-07-0${at + 3}` }
        ])
      )
      // Each wants nights of the one before it: they meet on the same orders and queue.
      const calls = codes.flatMap((stay_code, at) =>
        Array.from({ length: 8 }, () =>
          Effect.map(
            callWithKey(on.token, "allocate_stay", { stay_code, property_id: on.propertyId }, `k${at}`),
            summarizeResponse
          )
        )
      )
      const answers = yield* Effect.all(calls, { concurrency: "unbounded" })
      assert.deepStrictEqual(new Set(answers.map(({ code }) => code)), new Set([0]))
      assert.lengthOf(
        answers.filter(({ replayed }) => !replayed),
        codes.length
      )
      assert.deepStrictEqual(yield* countIdempotencyKeys(on.operatorId), { kept: codes.length, underWay: 0 })
    })
  )

  it.effect("that another call has kept meanwhile undoes a change that queues, and is not tried again", () =>
    Effect.gen(function* () {
      const on = yield* prepareOperator
      const { operatorId } = on
      const sql = yield* SqlClient.SqlClient
      const orders = yield* Orders
      const code = yield* insertOrder(operatorId, [{ propertyId: on.propertyId }])
      const key: IdempotencyKeyState = {
        operatorId,
        digest: new Uint8Array([1]),
        fingerprint: new Uint8Array([1]),
        grantId: 0,
        isResuming: false,
        progress: "none",
        claimedUntil: undefined
      }
      yield* sql`
        INSERT INTO idempotency_keys (operator_id, digest, fingerprint, outcome, kept_at)
        VALUES (${operatorId}, ${key.digest}, ${key.fingerprint}, '{}', now())`
      const before = yield* world(operatorId)
      let rounds = 0
      const exit = yield* orders
        .change(operatorId, new Date(NOW_ISO), { key: { reservation_code: code } }, ({ order }) =>
          Effect.gen(function* () {
            rounds += 1
            // Others are faster, until the change queues.
            if (rounds <= ORDER_CHANGE_FREE_ATTEMPTS) {
              yield* Effect.orDie(sql`UPDATE orders SET version = version + 1 WHERE operator_id = ${operatorId}`)
            }
            return order === null ? [] : [{ ...order, status: "cancelled" as const }]
          })
        )
        .pipe(
          Effect.provideService(CurrentActor, { ...systemActor("test", "test"), idempotencyKey: key }),
          Effect.sandbox,
          Effect.flip
        )
      assert.strictEqual(rounds, ORDER_CHANGE_FREE_ATTEMPTS + 1)
      const [defect] = exit.reasons.flatMap((reason) => (Cause.isDieReason(reason) ? [reason.defect] : []))
      assert.strictEqual(
        defect instanceof SqlError ? findConstraintViolation(defect)?.name : String(defect),
        "idempotency_keys_pkey"
      )
      assert.strictEqual(key.progress, "none")
      yield* sql`UPDATE orders SET version = 0 WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(yield* world(operatorId), before)
    }).pipe(Effect.provide(Orders.layer))
  )
})
