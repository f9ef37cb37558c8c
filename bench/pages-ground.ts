import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { seedGround } from "./reservation-ground.ts"

// What a host's pages show, as full as a busy host has it: the operator of the ground, with all that hangs on its stays.

/** Of the one operator of the ground. */
export const PAGES_OPERATOR = 1

/** Properties that the operator keeps of the ground's: as many as an operator may have unless it asked for more. */
const HOUSES = 100
const THREADS = 5_000
const LISTINGS = 100
const OWN_ENTRIES = 2_000
const TASKS = 2_000
const TRAIL = 20_000

const review = JSON.stringify({
  score: 5,
  sub_score: null,
  content: "Lovely place.",
  created_at: "2026-01-01T10:00:00+00:00"
})

/** Stays that are spread over a year around today, in a hundred houses, most of them paid. */
const moved = [
  // Of the ground's houses a hundred are kept, and its nights are given anew: each stay of an accepted order has its own.
  "DELETE FROM calendar_days",
  `UPDATE stays SET property_id = 1 + id % ${HOUSES}, check_in_date = current_date - 500 + (5 * (id / ${HOUSES}))::int,
    check_out_date = current_date - 500 + (5 * (id / ${HOUSES}))::int + 3`,
  `DELETE FROM properties WHERE id > ${HOUSES}`,
  `INSERT INTO calendar_days (operator_id, property_id, day, stay_id)
    SELECT s.operator_id, s.property_id, s.check_in_date + night, s.id
    FROM stays s JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id, generate_series(0, 2) night
    WHERE o.status = 'accepted'`,
  "UPDATE transactions SET amount = 420 WHERE order_id % 10 <> 1",
  `UPDATE transactions t SET action_at = s.check_in_date::timestamptz FROM stays s
    WHERE s.operator_id = t.operator_id AND s.order_id = t.order_id`,
  `INSERT INTO transaction_shares (operator_id, transaction_id, stay_id, amount)
    SELECT t.operator_id, t.id, s.id, t.amount FROM transactions t
    JOIN stays s ON s.operator_id = t.operator_id AND s.order_id = t.order_id`
]

const added = [
  `INSERT INTO calendar_days (operator_id, property_id, day, closed)
    SELECT operator_id, id, current_date + 4, true FROM properties ON CONFLICT (operator_id, property_id, day) DO UPDATE SET closed = true`,
  `INSERT INTO calendar_days (operator_id, property_id, day, imported)
    SELECT operator_id, id, current_date + 9, 1 FROM properties ON CONFLICT (operator_id, property_id, day) DO UPDATE SET imported = 1`,
  `INSERT INTO base_prices (operator_id, property_id, date, price, minimum_stay)
    SELECT operator_id, id, current_date + day, 120, 2 FROM properties, generate_series(0, 180) day`,
  `INSERT INTO transactions (operator_id, direction, amount, currency, item_id, payment_method_id, action_at, property_id,
      status, note, operator_name, created_at, updated_at)
    SELECT 1, 'expense', 35.5, 'EUR', 51 + n % 10, 301, now() - n * interval '3 hours', 1 + n % ${HOUSES}, 'paid',
      'bench entry', 'Owner', now(), now() FROM generate_series(1, ${OWN_ENTRIES}) n`,
  `INSERT INTO staffs (operator_id, name, mobile, created_at, updated_at)
    SELECT 1, 'Cleaner ' || n, '+49 15112345678', now(), now() FROM generate_series(1, 20) n`,
  `INSERT INTO tasks (operator_id, type, property_id, staff_id, expected_date, expected_time, currency, note, created_at, updated_at)
    SELECT 1, 'cleaning', 1 + n % ${HOUSES}, 1 + n % 20, current_date + n % 60, '11:00', 'EUR', 'bench task', now(), now()
    FROM generate_series(1, ${TASKS}) n`,
  `INSERT INTO accounts (operator_id, role, name, email, password_hash, created_at)
    SELECT 1, 'sub', 'Helper ' || n, 'helper' || n || '@example.test', 'none', now() FROM generate_series(1, 20) n`,
  `INSERT INTO channel_accounts (operator_id, channel_type, username, origin_account_id, auth_status, connector, created_at)
    VALUES (1, 'airbnb', 'bench account', 'bench', 'exception', 'none', now())`,
  `INSERT INTO listings (operator_id, account_id, channel_type, listing_id, title, currency, shelf_status, property_id,
      created_at, updated_at)
    SELECT 1, a.id, 'airbnb', 'L' || n, 'Bench listing ' || lpad(n::text, 3, '0'), 'EUR', 'on', 1 + n % ${HOUSES}, now(), now()
    FROM channel_accounts a, generate_series(1, ${LISTINGS}) n`,
  `INSERT INTO listing_pushes (operator_id, listing_row, kind, ranges, state, reason, created_at, settled_at)
    SELECT operator_id, id, 'prices', '[{"start_date": "2027-01-01", "end_date": "2027-01-02", "price": 100}]', 'refused',
      'bench refusal', now() - n * interval '1 hour', now() - n * interval '1 hour' FROM listings, generate_series(1, 10) n`,
  `INSERT INTO imported_calendars (operator_id, property_id, url, host, state, error, due_at, fetched_at, created_at)
    SELECT 1, id, 'https://calendars.example/' || id || '.ics', 'calendars.example', 'failing', 'bench failure', now(), now(), now()
    FROM properties WHERE id <= 50`,
  `INSERT INTO conversations (operator_id, code, account_id, channel_type, thread_id, version, guest_name, last_message_at, created_at)
    SELECT 1, 'bench-' || n, a.id, 'airbnb', 'T' || n, 1, 'Guest ' || n, now() - n * interval '5 minutes', now()
    FROM channel_accounts a, generate_series(1, ${THREADS}) n`,
  `INSERT INTO messages (operator_id, conversation_id, code, sender_role, display_type, content, created_at)
    SELECT operator_id, id, code || '-m', 'guest', 'Text', 'Is there a place for our car?', last_message_at FROM conversations`,
  `INSERT INTO messages (operator_id, conversation_id, code, sender_role, display_type, content, created_at)
    SELECT operator_id, id, code || '-' || n, 'guest', 'Text', 'Bench message ' || n, last_message_at - n * interval '1 minute'
    FROM conversations, generate_series(1, 200) n WHERE code = 'bench-1'`,
  `INSERT INTO reviews (operator_id, order_id, channel_type, check_out_date, guest_review, created_at)
    SELECT o.operator_id, o.id, 'airbnb', s.check_out_date, '${review}', now()
    FROM orders o JOIN stays s ON s.operator_id = o.operator_id AND s.order_id = o.id
    WHERE o.status = 'accepted' AND o.id % 4 = 0 AND s.check_out_date <= current_date`,
  `INSERT INTO knowledge_bases (operator_id, title, is_enable, audience, scope_property_type, scope_property_ids,
      scope_channel_type, scope_channels, contents, process_status, due_at, created_at)
    SELECT 1, 'Bench entry ' || n, true, 'guests', 'all', '{-1}', 'all', '{unlimited}',
      '[{"sub_title": "Wi-Fi", "text": "The network is called Harbour."}]', 'done', 'infinity', now()
    FROM generate_series(1, 200) n`,
  `INSERT INTO property_groups (operator_id, name, created_at) SELECT 1, 'Bench group ' || n, now() FROM generate_series(1, 50) n`,
  `INSERT INTO group_properties (operator_id, group_id, version, property_id)
    SELECT g.operator_id, g.id, g.properties_version, p.id FROM property_groups g JOIN properties p USING (operator_id)`,
  `INSERT INTO dictionary_entries (operator_id, dictionary, id, name)
    SELECT 1, 'expense_items', 1000 + n, 'Bench category ' || n FROM generate_series(1, 100) n`,
  `INSERT INTO reservation_tags (operator_id, tag_name, color, created_at)
    SELECT 1, 'Bench tag ' || n, '#FD587B', now() FROM generate_series(1, 200) n`,
  `INSERT INTO trail (operator_id, at, account_id, application, operation, record, fields)
    SELECT 1, now() - n * interval '1 minute', 1, 'console', 'update_task', 'task:' || 1 + n % ${TASKS}, '{note}'
    FROM generate_series(1, ${TRAIL}) n`
]

/** Fills an empty, migrated database. */
export const seedPages = Effect.fnUntraced(function* (stays: number) {
  const sql = yield* SqlClient.SqlClient
  // The ground takes more houses than an operator has room for at first; some are removed again.
  yield* sql`ALTER TABLE operators ALTER room_limit SET DEFAULT 10000`.unprepared
  yield* seedGround({ operators: 1, each: stays })
  // Foreign keys and the guards of the calendar are checked by triggers, which rows known to be right do not need.
  yield* sql.withTransaction(
    Effect.forEach(
      ["SET LOCAL session_replication_role = replica", ...moved, ...added],
      (statement) => sql.unsafe(statement).unprepared,
      { discard: true }
    )
  )
  yield* sql`VACUUM ANALYZE`.unprepared
})
