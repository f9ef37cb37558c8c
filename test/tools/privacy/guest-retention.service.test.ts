import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  eraseOldMessagesSql,
  MESSAGE_RETENTION_BATCH_ROWS
} from "../../../src/domain/guests/conversations/message-retention.ts"
import { releaseOldMessageImagesSql } from "../../../src/domain/guests/images/message-image-retention.ts"
import { eraseGuestMatch } from "../../../src/tools/privacy/guest-erasure.ts"
import {
  applyGuestRetention,
  areConversationsInactive,
  INQUIRIES_PER_BATCH,
  oldInquiriesSql,
  STAYS_PER_BATCH
} from "../../../src/tools/privacy/guest-retention.ts"
import { findGuestByConversation } from "../../../src/tools/privacy/guest-search.ts"
import { asSystemActor, layerService } from "../../support/harness.ts"
import { layerOwnDatabase } from "../../support/own-database.ts"
import {
  ERASABLE_WORD,
  findTablesWithWord,
  insertErasableGuest,
  loadAccountingRows
} from "../../support/tools/privacy/erasable-guest.ts"

const none = { messages: undefined, images: undefined, orders: undefined }

const DAY_MS = 86_400_000

const forgotten = (days: Partial<typeof none | Record<keyof typeof none, number>>, now: Date) =>
  asSystemActor(applyGuestRetention({ ...none, ...days }, now))

const messagesOf = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    rows: number
  }>`SELECT count(*) AS rows FROM messages WHERE operator_id = ${operatorId} AND content <> '(erased)'`
  return row?.rows ?? 0
})

layer(layerService(layerOwnDatabase), { excludeTestServices: true })("what is kept for so many days", (it) => {
  it.effect("is a message until it is that old, and one that waits to be sent until it is sent", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const held = yield* insertErasableGuest()
      const { operatorId } = held.operator
      const at = new Date("2026-06-01T10:00:00Z")
      yield* sql`UPDATE messages SET created_at = ${at} WHERE operator_id = ${operatorId}`
      yield* sql`UPDATE messages SET delivery = 'queued' WHERE operator_id = ${operatorId} AND sender_role = 'host'`
      yield* forgotten({ messages: 30 }, new Date(at.getTime() + 30 * DAY_MS - 1))
      assert.strictEqual(yield* messagesOf(operatorId), 2)
      yield* forgotten({ messages: 30 }, new Date(at.getTime() + 30 * DAY_MS))
      assert.strictEqual(yield* messagesOf(operatorId), 1)
      const going = yield* sql`SELECT kind FROM images WHERE operator_id = ${operatorId} AND delete_at IS NOT NULL`
      assert.deepStrictEqual(going, [{ kind: "message" }])
      yield* sql`UPDATE messages SET delivery = 'sent' WHERE operator_id = ${operatorId} AND sender_role = 'host'`
      yield* forgotten({ messages: 30 }, new Date(at.getTime() + 30 * DAY_MS))
      assert.strictEqual(yield* messagesOf(operatorId), 0)
    })
  )

  it.effect("is an image of a message until it is that old, and none of a document", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { operatorId } = (yield* insertErasableGuest()).operator
      const at = new Date("2026-06-01T10:00:00Z")
      yield* sql`UPDATE images SET created_at = ${at} WHERE operator_id = ${operatorId}`
      const going = sql`SELECT kind FROM images WHERE operator_id = ${operatorId} AND delete_at IS NOT NULL`
      yield* forgotten({ images: 7 }, new Date(at.getTime() + 7 * DAY_MS - 1))
      assert.deepStrictEqual(yield* going, [])
      yield* forgotten({ images: 7 }, new Date(at.getTime() + 7 * DAY_MS))
      assert.deepStrictEqual(yield* going, [{ kind: "message" }])
      assert.strictEqual(yield* messagesOf(operatorId), 2)
    })
  )

  it.effect("is a guest until the order's last check-out is that old, and then money and nights are as they were", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const held = yield* insertErasableGuest({ checkOut: "2025-03-04" })
      const { operatorId } = held.operator
      const books = yield* loadAccountingRows(operatorId)
      const whole = yield* findTablesWithWord(ERASABLE_WORD, operatorId)
      yield* forgotten({ orders: 10 }, new Date("2025-03-13T12:00:00Z"))
      assert.deepStrictEqual(yield* findTablesWithWord(ERASABLE_WORD, operatorId), whole)
      yield* forgotten({ orders: 10 }, new Date("2025-03-14T12:00:00Z"))
      assert.deepStrictEqual(yield* findTablesWithWord(ERASABLE_WORD, operatorId), ["image_bytes"])
      assert.deepStrictEqual(yield* loadAccountingRows(operatorId), books)
      const trail =
        yield* sql`SELECT DISTINCT fields FROM trail WHERE operator_id = ${operatorId} AND fields = '{guest}'`
      assert.lengthOf(trail, 1)
      const events = sql`SELECT id FROM events WHERE operator_id = ${operatorId}`
      const told = (yield* events).length
      yield* forgotten({ orders: 10 }, new Date("2025-03-15T12:00:00Z"))
      assert.strictEqual((yield* events).length, told)
    })
  )

  it.effect("is a thread until each of its orders is over that long", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const early = yield* insertErasableGuest({ word: "Early" })
      const late = yield* insertErasableGuest({
        host: early,
        word: "Early",
        checkIn: "2025-05-01",
        checkOut: "2025-05-04"
      })
      const { operatorId } = early.operator
      yield* sql`UPDATE orders SET conversation_id = ${early.conversationCode} WHERE operator_id = ${operatorId}`
      yield* forgotten({ orders: 10 }, new Date("2025-04-01T12:00:00Z"))
      const stays = sql`SELECT stay_code FROM stays WHERE operator_id = ${operatorId} AND guest_name IS NOT NULL`
      assert.deepStrictEqual(yield* stays, [{ stay_code: late.reservationCode }])
      assert.strictEqual(yield* messagesOf(operatorId), 4)
      yield* forgotten({ orders: 10 }, new Date("2025-05-14T12:00:00Z"))
      assert.deepStrictEqual(yield* stays, [])
      // The late one's own thread has no order any more.
      assert.strictEqual(yield* messagesOf(operatorId), 2)
    })
  )

  it.effect("is the guest of a conversation without an order once it is quiet that long, and never one who waits", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const held = yield* insertErasableGuest({ word: "Asks", checkIn: "2026-12-28", checkOut: "2027-01-01" })
      const { operatorId } = held.operator
      const at = new Date("2026-06-01T10:00:00Z")
      const day = at.getTime() + 30 * DAY_MS
      yield* sql`UPDATE conversations SET last_message_at = ${at} WHERE operator_id = ${operatorId}`
      const asking = sql`SELECT code FROM conversations WHERE operator_id = ${operatorId} AND guest_name = 'Asks'`
      const stays = Effect.fnUntraced(function* (now: number) {
        yield* forgotten({ orders: 30 }, new Date(now))
        assert.lengthOf(yield* asking, 1)
      })
      // Its order is not over that long: the order says when the guest goes.
      yield* stays(day)
      yield* sql`UPDATE orders SET conversation_id = NULL WHERE operator_id = ${operatorId}`
      yield* stays(day - 1)
      yield* sql`UPDATE conversations SET inquiry_check_out_date = '2026-06-03' WHERE operator_id = ${operatorId}`
      yield* stays(day)
      yield* sql`UPDATE conversations SET inquiry_check_out_date = '2026-06-01' WHERE operator_id = ${operatorId}`
      yield* sql`UPDATE messages SET delivery = 'queued' WHERE operator_id = ${operatorId} AND sender_role = 'host'`
      yield* stays(day)
      yield* sql`UPDATE messages SET delivery = 'sent' WHERE operator_id = ${operatorId} AND sender_role = 'host'`
      yield* sql`
        INSERT INTO special_offers (operator_id, conversation_id, offer_id, offer_type, status, check_in_date, check_out_date,
          number_of_adults, number_of_children, number_of_infants, number_of_pets, price, expires_at, created_at)
        SELECT operator_id, id, 'o1', 'special_offer', 'active', '2026-07-01', '2026-07-03', 1, 0, 0, 0, 100, ${at}, ${at}
        FROM conversations WHERE operator_id = ${operatorId} AND guest_name = 'Asks'`
      yield* stays(day)
      yield* sql`UPDATE special_offers SET status = 'expired' WHERE operator_id = ${operatorId}`
      // He may write between the look and the erasing: once all is locked it is looked again.
      const found = yield* findGuestByConversation(operatorId, held.conversationCode, at)
      yield* sql`UPDATE conversations SET last_message_at = ${new Date(day)} WHERE operator_id = ${operatorId}`
      assert.isAbove(found.length, 0)
      yield* asSystemActor(
        Effect.forEach(found, (each) => eraseGuestMatch(each, areConversationsInactive(sql, each, at)))
      )
      assert.lengthOf(yield* asking, 1)
      yield* sql`UPDATE conversations SET last_message_at = ${at} WHERE operator_id = ${operatorId}`
      yield* forgotten({ orders: 30 }, new Date(day))
      assert.deepStrictEqual(yield* asking, [])
      const tables = yield* findTablesWithWord("Asks", operatorId)
      for (const table of ["conversations", "messages"]) assert.notInclude(tables, table)
      // The order is somebody's whose conversation nobody knows by now.
      assert.include(tables, "stays")
      const trail = sql`SELECT record FROM trail WHERE operator_id = ${operatorId} AND fields = '{guest}'`
      assert.deepStrictEqual(yield* trail, [{ record: `conversation:${held.conversationCode}` }])
      yield* forgotten({ orders: 30 }, new Date(day))
      assert.lengthOf(yield* trail, 1)
      // A channel names the guest of a thread once more whose order is over: nothing else would let go of that.
      yield* sql`UPDATE orders SET conversation_id = ${held.conversationCode} WHERE operator_id = ${operatorId}`
      yield* sql`UPDATE conversations SET guest_name = 'Asks' WHERE operator_id = ${operatorId} AND code = ${held.conversationCode}`
      yield* stays(day)
      yield* forgotten({ orders: 30 }, new Date("2027-02-15T00:00:00Z"))
      assert.deepStrictEqual(yield* asking, [])
      yield* sql`UPDATE conversations SET guest_name = 'Asks' WHERE operator_id = ${operatorId} AND code = ${held.conversationCode}`
      yield* forgotten({ orders: 30 }, new Date("2027-03-15T00:00:00Z"))
      assert.deepStrictEqual(yield* asking, [])
    })
  )

  it.effect("is every such guest, however many turns that takes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { operator, account } = yield* insertErasableGuest({ word: "Many" })
      const { operatorId } = operator
      yield* sql`
        INSERT INTO conversations (operator_id, code, account_id, channel_type, thread_id, guest_name, last_message_at, created_at)
        SELECT ${operatorId}::bigint, 'many' || n, ${account}::bigint, 'airbnb', 'many' || n, 'Many', '2026-01-01', now()
        FROM generate_series(1, ${INQUIRIES_PER_BATCH + 1}::int) n`
      yield* forgotten({ orders: 30 }, new Date("2026-02-01T00:00:00Z"))
      assert.lengthOf(
        yield* sql`SELECT code FROM conversations WHERE operator_id = ${operatorId} AND guest_name = 'Many' AND code LIKE 'many%'`,
        0
      )
    })
  )

  it.effect("goes to the end of more than one turn has, and past orders that are not over", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const held = yield* insertErasableGuest({ word: "Plenty" })
      const { operatorId } = held.operator
      yield* sql`
        INSERT INTO messages (operator_id, conversation_id, code, sender_role, sources, display_type, content, created_at)
        SELECT operator_id, id, 'plenty' || n, 'guest', '[]', 'Text', 'x', now() - interval '1 year'
        FROM conversations, generate_series(1, ${MESSAGE_RETENTION_BATCH_ROWS + 1}::int) n WHERE operator_id = ${operatorId}`
      yield* forgotten({ messages: 100 }, new Date())
      assert.strictEqual(yield* messagesOf(operatorId), 2)
      // Each with a room that is taken until much later.
      yield* sql`
        WITH entered AS (
          INSERT INTO orders (operator_id, reservation_code, channel_type, channel_id, status, currency, booked_at, created_at)
          SELECT ${operatorId}::bigint, '0-P' || n, 'airbnb', 'P' || n, 'denied', 'EUR', now(), now()
          FROM generate_series(1, ${STAYS_PER_BATCH + 1}::int) n RETURNING id, reservation_code
        )
        INSERT INTO stays (operator_id, order_id, stay_code, check_in_date, check_out_date, rate, accommodation_revenue, guest_name)
        SELECT ${operatorId}::bigint, id, reservation_code || room, '2024-01-01', ('2024-01-02'::date + 3000 * room), 1, 1, 'Waits'
        FROM entered, generate_series(0, 1) room`
      yield* forgotten({ orders: 10 }, new Date("2025-03-14T12:00:00Z"))
      assert.notInclude(yield* findTablesWithWord("Plenty", operatorId), "stays")
      assert.include(yield* findTablesWithWord("Waits", operatorId), "stays")
    })
  )

  it.effect("goes although one cannot go", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const stuck = yield* insertErasableGuest({ word: "Stuck", checkIn: "2025-02-01", checkOut: "2025-02-03" })
      const other = yield* insertErasableGuest({ host: stuck, word: "Goes" })
      const { operatorId } = stuck.operator
      yield* sql`
        CREATE FUNCTION refuse_stuck() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'stuck'; END $$`
      yield* sql`
        CREATE TRIGGER refuse_stuck BEFORE UPDATE ON stays FOR EACH ROW WHEN (old.guest_name = 'Stuck')
        EXECUTE FUNCTION refuse_stuck()`
      yield* forgotten({ orders: 10 }, new Date("2025-03-14T12:00:00Z"))
      const left = yield* sql`SELECT stay_code FROM stays WHERE operator_id = ${operatorId} AND guest_name IS NULL`
      assert.deepStrictEqual(left, [{ stay_code: other.reservationCode }])
      yield* sql`DROP FUNCTION refuse_stuck CASCADE`
    })
  )

  it.effect("is found by its age, in an index", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { operator, account } = yield* insertErasableGuest()
      const { operatorId } = operator
      yield* sql`
        INSERT INTO messages (operator_id, conversation_id, code, sender_role, sources, display_type, content, created_at)
        SELECT operator_id, id, 'aged' || n, 'guest', '[]', 'Text', 'x', now() - make_interval(mins => n)
        FROM conversations, generate_series(1, 5000) n WHERE operator_id = ${operatorId}`
      yield* sql`
        INSERT INTO images (operator_id, token, kind, bytes, created_at)
        SELECT ${operatorId}, 'lkimage_aged' || n, 'message', 1, now() - make_interval(mins => n) FROM generate_series(1, 5000) n`
      yield* sql`
        INSERT INTO conversations (operator_id, code, account_id, channel_type, thread_id, last_message_at, created_at)
        SELECT ${operatorId}, 'aged' || n, ${account}, 'airbnb', 'aged' || n, now() - make_interval(mins => n), now()
        FROM generate_series(1, 5000) n`
      yield* sql`ANALYZE messages, images, conversations`
      const now = new Date(Date.now() - 30 * DAY_MS)
      for (const [index, statement] of [
        ["messages_by_age", eraseOldMessagesSql(sql, operatorId, now, now)],
        ["images_by_age", releaseOldMessageImagesSql(sql, operatorId, now, now)],
        ["conversations_of_guests", oldInquiriesSql(sql, operatorId, now, { at: "-infinity", id: 0 })]
      ] as const) {
        const plan = JSON.stringify(yield* sql`EXPLAIN (FORMAT JSON) ${statement}`)
        assert.include(plan, index)
      }
    })
  )
})
