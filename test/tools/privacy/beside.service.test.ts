import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  type SkipQuestionsParameters,
  skipWithoutAnswerSql
} from "../../../src/domain/automation/answering/answer-statements.ts"
import { CheckInStore } from "../../../src/domain/bookings/check-in/store.ts"
import { SendQueue } from "../../../src/domain/guests/conversations/sending/SendQueue.ts"
import { ReviewStore } from "../../../src/domain/guests/reviews/store.ts"
import { eraseGuestMatches } from "../../../src/tools/privacy/guest-erasure.ts"
import { findGuest } from "../../../src/tools/privacy/guest-search.ts"
import { asSystemActor, layerService } from "../../support/harness.ts"
import { layerOwnDatabase } from "../../support/own-database.ts"
import {
  type ErasableGuest,
  findTablesWithWord,
  insertErasableGuest
} from "../../support/tools/privacy/erasable-guest.ts"

// What others have in hand while a guest is erased, and write down afterwards.

const now = new Date("2026-11-26T12:00:00Z")

const erased = Effect.fnUntraced(function* ({ operator, reservationCode: code }: ErasableGuest) {
  const found = yield* findGuest(operator.operatorId, { by: "order", value: code }, now)
  yield* asSystemActor(eraseGuestMatches(found))
})

layer(layerService(layerOwnDatabase), { excludeTestServices: true })("beside the erasure of a guest", (it) => {
  it.effect("a review that was read before is not written back", () =>
    Effect.gen(function* () {
      const held = yield* insertErasableGuest({ word: "Backwritten" })
      const { operatorId } = held.operator
      const store = yield* Effect.provide(ReviewStore, ReviewStore.layer)
      const found = yield* store.findByReservationCode(operatorId, held.reservationCode)
      if (found?.written == null) return assert.fail("no review")
      yield* erased(held)
      const content = { ...found.written, channel_version: 1 }
      assert.isUndefined(yield* asSystemActor(store.writeContent(operatorId, found, content, "updated", now)))
      assert.notInclude(yield* findTablesWithWord("Backwritten", operatorId), "reviews")
    })
  )

  it.effect("an identity document is not handed in by a page that was opened before", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const held = yield* insertErasableGuest({ word: "Latecomer" })
      const { operatorId } = held.operator
      const [stay] = yield* sql<{ id: number }>`
        UPDATE stays SET id_required = 'required' WHERE operator_id = ${operatorId} RETURNING id`
      const [image] = yield* sql<{ id: number }>`
        INSERT INTO images (operator_id, token, kind, bytes, created_at, delete_at)
        VALUES (${operatorId}, ${`lkimage_late${held.reservationCode}`}, 'identity', 8, now(), now() + interval '1 hour') RETURNING id`
      const store = yield* Effect.provide(CheckInStore, CheckInStore.layer)
      const given = {
        operatorId,
        stayId: stay?.id ?? 0,
        guestId: null,
        imageId: image?.id ?? 0,
        url: "x",
        maxImages: 9,
        at: now
      }
      yield* erased(held)
      assert.deepStrictEqual(yield* asSystemActor(store.submitIdentityImage(given)), { handed: false })
      const kept = sql`SELECT id FROM images WHERE operator_id = ${operatorId} AND delete_at IS NULL`
      assert.deepStrictEqual(yield* kept, [])
    })
  )

  it.effect(
    "a message that is on its way has the name that its channel gives it, so that it is not heard as another",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const held = yield* insertErasableGuest({ word: "Underway" })
        const { operatorId } = held.operator
        yield* sql`
        UPDATE messages SET delivery = 'queued', created_at = ${now} WHERE operator_id = ${operatorId} AND sender_role = 'host'`
        yield* sql`
        INSERT INTO message_lanes (operator_id, conversation_id, account_id, waiting, due_at)
        SELECT operator_id, id, account_id, 1, ${now}::timestamptz FROM conversations WHERE operator_id = ${operatorId}`
        const queue = yield* Effect.provide(SendQueue, SendQueue.layer)
        const [taken] = (yield* queue.claim(now, 100, [])).filter(({ operator_id }) => operator_id === operatorId)
        if (taken === undefined) return assert.fail("nothing was taken")
        yield* erased(held)
        const message = sql`
        SELECT content, delivery, channel_message_id FROM messages WHERE operator_id = ${operatorId} AND id = ${taken.message_id}`
        assert.deepStrictEqual(yield* message, [{ content: "(erased)", delivery: "unknown", channel_message_id: null }])
        yield* queue.recordSent(taken, "said-by-channel", now)
        assert.deepStrictEqual(yield* message, [
          { content: "(erased)", delivery: "sent", channel_message_id: "said-by-channel" }
        ])
        const lanes = yield* sql`SELECT waiting FROM message_lanes WHERE operator_id = ${operatorId}`
        assert.deepStrictEqual(lanes, [{ waiting: 0 }])
      })
  )

  it.effect("the key of a call about another order, whose code only begins so, is kept", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const held = yield* insertErasableGuest({ word: "Beginning" })
      const { operatorId } = held.operator
      yield* sql`
        INSERT INTO idempotency_keys (operator_id, digest, fingerprint, outcome, kept_at)
        VALUES (${operatorId}, '\\x01', '\\x00', jsonb_build_object('reservation_code', ${`${held.reservationCode}0`}::text), now()),
          (${operatorId}, '\\x02', '\\x00', jsonb_build_object('reservation_code', ${held.reservationCode}::text), now())`
      yield* erased(held)
      const kept = yield* sql`SELECT outcome FROM idempotency_keys WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(kept, [{ outcome: { reservation_code: `${held.reservationCode}0` } }])
    })
  )

  it.effect("a room that its channel gave the order since it was found is erased as well", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const held = yield* insertErasableGuest({ word: "Roomier" })
      const { operatorId } = held.operator
      const found = yield* findGuest(operatorId, { by: "order", value: held.reservationCode }, now)
      yield* sql`
        INSERT INTO stays (operator_id, order_id, stay_code, check_in_date, check_out_date, guest_name)
        SELECT operator_id, id, ${`${held.reservationCode}-2`}, '2025-03-01', '2025-03-04', 'Roomier' FROM orders WHERE operator_id = ${operatorId}`
      yield* asSystemActor(eraseGuestMatches(found))
      const named = sql`SELECT stay_code FROM stays WHERE operator_id = ${operatorId} AND guest_name IS NOT NULL`
      assert.deepStrictEqual(yield* named, [])
    })
  )

  it.effect("a question that somebody has in hand is settled by nobody", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const held = yield* insertErasableGuest({ word: "Asked" })
      const { operatorId } = held.operator
      const [lane] = yield* sql<{ id: number }>`
        INSERT INTO answer_lanes (operator_id, conversation_id, account_id, waiting, due_at, attempts)
        SELECT operator_id, id, account_id, 1, ${now}::timestamptz, 5 FROM conversations WHERE operator_id = ${operatorId}
        RETURNING conversation_id AS id`
      yield* erased(held)
      const mine = { operator_id: operatorId, key: lane?.id ?? 0, attempts: 5 }
      const settle = (given: SkipQuestionsParameters) => sql`${skipWithoutAnswerSql(sql, given)}`
      yield* settle({ ...mine, skippedPlanIds: [], skipReasons: [], settledCount: 1, now, nextDueAt: now })
      const lanes = yield* sql`SELECT waiting FROM answer_lanes WHERE operator_id = ${operatorId}`
      assert.deepStrictEqual(lanes, [{ waiting: 0 }])
    })
  )
})
