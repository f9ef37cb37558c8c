import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { call, createOperator, insertOrder, insertProperty, type TestOperator } from "../../harness.ts"
import { insertChannelAccount } from "../../listings.ts"

// A guest of whom something is written wherever there is room for it, and words that nobody else has.

export const ERASABLE_WORD = "Zyxwanda"
export const ERASED_EMAIL = "zyxwanda@guest.example"
export const ERASED_PHONE = "+49 151 0815-4711"

export interface ErasableGuest {
  readonly operator: TestOperator
  readonly reservationCode: string
  readonly propertyId: number
  readonly conversationCode: string
  readonly account: number
}

const firstId = (rows: ReadonlyArray<{ readonly id: number }>) =>
  rows[0]?.id ?? assert.fail("the statement returned no row")

export interface ErasableGuestOptions {
  readonly word?: string
  readonly email?: string
  readonly checkIn?: string
  readonly checkOut?: string
  readonly host?: { readonly operator: TestOperator; readonly propertyId: number; readonly account: number }
}

const makeHost = Effect.gen(function* () {
  const operator = yield* createOperator()
  const propertyId = yield* insertProperty(operator.operatorId, "Harbour")
  return { operator, propertyId, account: yield* insertChannelAccount(operator.operatorId) }
})

/** An order of a guest with everything that may be written about one. */
export const insertErasableGuest = Effect.fnUntraced(function* (options: ErasableGuestOptions = {}) {
  const sql = yield* SqlClient.SqlClient
  const { word = ERASABLE_WORD, email = ERASED_EMAIL, checkIn = "2025-03-01", checkOut = "2025-03-04" } = options
  const { operator, propertyId, account } = options.host ?? (yield* makeHost)
  const { operatorId } = operator
  const reservationCode = yield* insertOrder(operatorId, [{ propertyId, checkIn, checkOut }], { channelType: "airbnb" })
  const conversationCode = `c${reservationCode.replace(/\W/g, "")}`
  const [{ order = 0, stay = 0 } = {}] = yield* sql<{ order: number; stay: number }>`
    UPDATE stays s SET guest_name = ${word}, guest_phone = ${ERASED_PHONE}, guest_email = ${email}, remarks = ${`${word} comes late`},
      channel_remarks = ${`of ${word}`}, custom_fields = ${JSON.stringify({ custom_field_1: word })}::jsonb,
      lock_code = ${word}, guide_token = ${`lkguest_${reservationCode}`}, check_in_guide_url = ${`https://example.com/${word}`},
      number_of_guests = 2, rate_details = ${JSON.stringify([
        { type: "ACCOMMODATION", description: `Nights of ${word}`, amount: 300 },
        { type: "CLEANING_FEE", description: `Cleaning after ${word}`, amount: 40 }
      ])}::jsonb,
      additional_fees = ${JSON.stringify([{ name: "Pet fee", currency: "EUR", amount: 20 }])}::jsonb
    FROM orders o WHERE o.operator_id = ${operatorId} AND o.reservation_code = ${reservationCode} AND s.operator_id = ${operatorId}
      AND s.order_id = o.id RETURNING o.id AS "order", s.id AS stay`
  const conversationId = firstId(
    yield* sql<{ id: number }>`
    INSERT INTO conversations (operator_id, code, account_id, channel_type, thread_id, guest_name, guest_phone, guest_email, note,
      last_message_at, created_at)
    VALUES (${operatorId}, ${conversationCode}, ${account}, 'airbnb', ${conversationCode}, ${word}, ${ERASED_PHONE}, ${email}, ${`${word} is kind`},
      now(), now()) RETURNING id`
  )
  yield* sql`UPDATE orders SET conversation_id = ${conversationCode} WHERE operator_id = ${operatorId} AND id = ${order}`
  const image = (kind: string, nth: string) =>
    Effect.map(
      sql<{ id: number }>`
      WITH share AS (
        INSERT INTO image_shares AS share (operator_id, bytes) VALUES (${operatorId}, 8)
        ON CONFLICT (operator_id) DO UPDATE SET bytes = share.bytes + 8
      ), image AS (
        INSERT INTO images (operator_id, token, kind, bytes, created_at)
        VALUES (${operatorId}, ${`lkimage_${(reservationCode.toLowerCase().replace(/\W/g, "") + nth).padEnd(26, "0")}`}, ${kind}, 8, now()) RETURNING id
      ) SELECT id FROM image`,
      firstId
    )
  const [identityImageId, messageImageId] = [yield* image("identity", "a"), yield* image("message", "b")]
  yield* sql`
    INSERT INTO image_bytes (operator_id, image_id, content)
    SELECT ${operatorId}, image_id, convert_to(${word}, 'UTF8') FROM unnest(ARRAY[${identityImageId}, ${messageImageId}]::bigint[]) image_id`
  const guestId = firstId(
    yield* sql<{ id: number }>`
    INSERT INTO guests (operator_id, stay_id, name, phone, email, id_number, is_booker)
    VALUES (${operatorId}, ${stay}, ${word}, ${ERASED_PHONE}, ${email}, ${`${word}-123`}, true) RETURNING id`
  )
  yield* sql`
    INSERT INTO identity_images (operator_id, order_id, stay_id, guest_id, image_id, large_url, extra_large_url, created_at)
    VALUES (${operatorId}, ${order}, ${stay}, ${guestId}, ${identityImageId}, ${`https://x/${word}`}, ${`https://x/${word}`}, now())`
  const sources = JSON.stringify([
    {
      type: "host_knowledge",
      docs: [{ title: `For ${word}`, fragment: [`Ask ${word}`], source_type: "host_knowledge", link_id: 1 }]
    }
  ])
  for (const [nth, role] of ["guest", "host"].entries()) {
    yield* sql`
      INSERT INTO messages (operator_id, conversation_id, code, sender_role, sender_name, sources, display_type, content,
        attachment_url, image_id, created_at)
      VALUES (${operatorId}, ${conversationId}, ${`${conversationCode}m${nth}`}, ${role}, ${word}, ${sources}::jsonb, 'Text', ${`I am ${word}`},
        ${`https://x/${word}`}, ${nth === 0 ? messageImageId : null}, now() - interval '3 days')`
  }
  const review = JSON.stringify({
    score: 4.5,
    sub_score: [
      { category: "cleanliness", rating: 4, review_category_tags: [`as ${word} says`] },
      { category: "location", rating: 5, review_category_tags: null }
    ],
    content: `Thanks, ${word}`,
    created_at: "2025-03-05T10:00:00+00:00"
  })
  const reply = JSON.stringify({ content: `Thanks, ${word}`, created_at: "2025-03-06T10:00:00+00:00" })
  yield* sql`
    INSERT INTO reviews (operator_id, order_id, version, channel_version, channel_type, check_out_date, guest_review, host_review,
      host_reply, created_at)
    VALUES (${operatorId}, ${order}, 1, 1, 'airbnb', ${checkOut}, ${review}::jsonb, ${review}::jsonb, ${reply}::jsonb, now())`
  yield* sql`
    INSERT INTO tasks (operator_id, type, status, level, stay_id, currency, fee, note, created_at, updated_at)
    VALUES (${operatorId}, 'cleaning', 'pending', 'standard', ${stay}, 'EUR', 10, ${`a cot for ${word}`}, now(), now())`
  yield* sql`
    INSERT INTO transactions (operator_id, direction, amount, currency, item_id, payment_method_id, action_at, note, order_id,
      status, operator_name, created_at, updated_at)
    VALUES (${operatorId}, 'income', 300, 'EUR', 11, 197, now(), ${`from ${word}`}, ${order}, 'paid', 'x', now(), now())`
  yield* sql`
    WITH tag AS (
      INSERT INTO reservation_tags (operator_id, tag_name, color, created_at)
      VALUES (${operatorId}, ${`Tag of ${reservationCode}`}, '#112233', now()) RETURNING id
    )
    INSERT INTO stay_tags (operator_id, stay_id, tag_id, stays_version) SELECT ${operatorId}, ${stay}, id, 0 FROM tag`
  yield* sql`UPDATE calendar_days SET remarks = ${`for ${word}`} WHERE operator_id = ${operatorId} AND stay_id = ${stay}`
  yield* sql`
    INSERT INTO idempotency_keys (operator_id, digest, fingerprint, outcome, kept_at)
    VALUES (${operatorId}, sha256(convert_to(${reservationCode}, 'UTF8')), '\\x00', ${JSON.stringify({ code: reservationCode, name: word })}::jsonb, now())`
  // Receivers that answer with what they have looked up.
  yield* sql`
    INSERT INTO webhook_receivers (operator_id, url, secret_token, created_at) VALUES (${operatorId}, 'https://x/', 'x', now())
    ON CONFLICT DO NOTHING`
  const [subscription] = yield* sql<{ id: number }>`
    INSERT INTO webhook_subscriptions (operator_id, url, events, secret_token, secret, older_events, created_at, updated_at)
    VALUES (${operatorId}, 'https://x/', '{x}', 'x', 'x', '{}', now(), now()) RETURNING id`
  yield* sql`
    WITH event AS (
      INSERT INTO events (operator_id, event, record, payload, queued_at, fanned_out_at, position)
      SELECT ${operatorId}::bigint, 'heard', record, '{}', now(), now(), (${stay}::bigint * 10 + row_number() OVER ()) * 1000000
      FROM (
        SELECT unnest(ARRAY[${`reservation:${reservationCode}`}, ${`conversation:${conversationCode}`}, ${`review:${reservationCode}`}]::text[]) AS record
        UNION ALL
        SELECT 'transaction:' || id FROM transactions WHERE operator_id = ${operatorId} AND order_id = ${order}) told
      RETURNING id, record
    ), delivery AS (
      INSERT INTO webhook_deliveries (operator_id, event_id, subscription_id, record, state, due_at, settled_at)
      SELECT ${operatorId}::bigint, id, ${subscription?.id ?? assert.fail("there is no subscription")}::bigint, record, 'delivered', now(), now() FROM event
      RETURNING event_id
    )
    INSERT INTO webhook_attempts (operator_id, event_id, subscription_id, attempt, started_at, duration_ms, status, first_bytes)
    SELECT ${operatorId}::bigint, event_id, ${subscription?.id ?? assert.fail("there is no subscription")}::bigint, 1, now(), 1, 200, ${`of ${word}`} FROM delivery`
  yield* sql`
    WITH rule AS (
      INSERT INTO automation_rules (operator_id, action, definition, state, since, created_at)
      VALUES (${operatorId}, 'review', '{}', 'paused', now(), now()) RETURNING id
    )
    INSERT INTO automation_plans (operator_id, rule_id, kind, stay_id, scheduled_at, state, reason, due_at, created_at, settled_at)
    SELECT ${operatorId}::bigint, id, 'review', ${stay}::bigint, now(), 'skipped', ${`The channel does not like ${word}`}, now(), now(), now()
    FROM rule`
  return { operator, reservationCode, propertyId, account, conversationCode } satisfies ErasableGuest
})

/** In which tables a word still stands, in rows of this operator's and of nobody's; in bytes too. */
export const findTablesWithWord = Effect.fnUntraced(function* (word: string, operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string; owned: boolean }>`
    SELECT tablename AS name, EXISTS (
      SELECT FROM information_schema.columns c
      WHERE c.table_schema = 'public' AND c.table_name = tablename AND c.column_name = 'operator_id') AS owned
    FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`
  const found: Array<string> = []
  for (const { name, owned } of tables) {
    const whose = owned ? sql`t.operator_id = ${operatorId}` : sql`true`
    const [row] = yield* sql<{ rows: number }>`
      SELECT count(*) AS rows FROM ${sql(name)} t
      WHERE ${whose} AND (t::text ILIKE ${`%${word}%`} OR t::text LIKE ${`%${Buffer.from(word).toString("hex")}%`})`
    if ((row?.rows ?? 0) > 0) found.push(name)
  }
  return found
})

/** What an operator's books say: nights, money, codes. */
export const loadAccountingRows = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    SELECT o.reservation_code, o.status, o.channel_id, s.stay_code, s.property_id, s.check_in_date::text, s.check_out_date::text,
      s.rate::text, s.accommodation_revenue::text, s.number_of_guests,
      (SELECT count(*) FROM calendar_days d WHERE d.operator_id = o.operator_id AND d.stay_id = s.id) AS nights,
      (SELECT sum(amount)::text FROM transactions t WHERE t.operator_id = o.operator_id AND t.order_id = o.id) AS money,
      (SELECT r.guest_review -> 'score' FROM reviews r WHERE r.operator_id = o.operator_id AND r.order_id = o.id) AS score
    FROM orders o JOIN stays s ON s.operator_id = o.operator_id AND s.order_id = o.id
    WHERE o.operator_id = ${operatorId} ORDER BY s.id`
})

/** That the API still answers of an order. */
export const readOrderOverApi = (guest: ErasableGuest) =>
  Effect.all([
    call(guest.operator.token, "search_reservations", { reservation_code: guest.reservationCode }),
    call(guest.operator.token, "query_conversations", {}),
    call(guest.operator.token, "get_conversation", { id: guest.conversationCode }),
    call(guest.operator.token, "search_transactions", { start_date: "2025-01-01", end_date: "2025-06-01" }),
    call(guest.operator.token, "search_tasks", {})
  ])
