import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { addDays } from "../src/contract/time.ts"
import {
  AVAILABILITY_ANSWER_DAYS,
  CUSTOM_FIELDS_MAX,
  CUSTOM_FIELDS_TEXT_LENGTH,
  IDS_MAX,
  NAMED_PROPERTIES_MAX,
  PAGE_MAX,
  STAFF_NOTE_LENGTH,
  SUBSCRIPTION_ROOMS_MAX
} from "../src/platform/limits.ts"
import { seedBenchOperator } from "./operator.ts"

/** First day of the calendar that is full; the bench runs on the day's date. */
const TODAY = new Date().toISOString().slice(0, 10)
const ENTIRE = `lkcal_${"entire".padStart(26, "0")}`

/**
 * The bench operator, filled until every list has a page as large as the limits allow: a hundred rows, each naming a
 * thousand properties where it can, and a calendar in which something is known of every day.
 */
export const seedFullOperator = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { operatorId } = yield* seedBenchOperator
  yield* sql`UPDATE operators SET room_limit = 10000, room_type_limit = 10000, rate_limits = jsonb_build_object(
    'user', rate_limits->'user', 'endpoint', '{"*": {"1m": 1000000000}, "GET /availabilities": {"1m": 1000000000},
    "POST /availabilities": {"1m": 1000000000}}'::jsonb) WHERE id = ${operatorId}`
  const properties = yield* sql<{ id: number }>`
    INSERT INTO properties (operator_id, title, address, created_at)
    SELECT ${operatorId}, 'Room ' || n, 'Harbour Street ' || n, now() FROM generate_series(1, ${NAMED_PROPERTIES_MAX - 1}::int) n
    RETURNING id`
  yield* sql.withTransaction(
    Effect.forEach(
      // Foreign keys and the guards of the calendar are checked by triggers, which rows known to be right do not need.
      ["SET LOCAL session_replication_role = replica", ...statements(operatorId)],
      (statement) => sql.unsafe(statement).unprepared,
      { discard: true }
    )
  )
  yield* sql`ANALYZE`.unprepared
  const ids = properties.slice(0, IDS_MAX).map(({ id }) => id)
  return {
    ids,
    sharedTokens: Array.from({ length: PAGE_MAX }, (_, index) => `lkcal_${String(index + 1).padStart(26, "0")}`),
    entireToken: ENTIRE,
    start: TODAY,
    end: addDays(TODAY, AVAILABILITY_ANSWER_DAYS / IDS_MAX - 1)
  }
})

const linked = (operator: number, owners: string, table: string, owner: string, version: string) => `
  INSERT INTO ${table} (operator_id, ${owner}, ${version === "" ? "" : "version, "}property_id)
  SELECT o.operator_id, o.id, ${version === "" ? "" : `o.${version}, `}p.id FROM ${owners} o
  JOIN properties p USING (operator_id) WHERE o.operator_id = ${operator}`

const statements = (operator: number): ReadonlyArray<string> => [
  `INSERT INTO room_types (operator_id, title, created_at)
    SELECT ${operator}, 'Type ' || n, now() FROM generate_series(1, ${PAGE_MAX}) n`,
  `INSERT INTO room_type_properties (operator_id, property_id, room_type_id)
    SELECT p.operator_id, p.id, t.id FROM properties p
    JOIN (SELECT *, row_number() OVER (ORDER BY id) n FROM room_types WHERE operator_id = ${operator}) t
      ON t.operator_id = p.operator_id AND t.n = 1 + p.id % ${PAGE_MAX}`,
  `INSERT INTO property_groups (operator_id, name, created_at)
    SELECT ${operator}, 'Group ' || n, now() FROM generate_series(1, ${PAGE_MAX}) n`,
  linked(operator, "property_groups", "group_properties", "group_id", "properties_version"),
  `INSERT INTO property_tags (operator_id, name, color, created_at)
    SELECT ${operator}, 'Tag ' || n, '#FD587B', now() FROM generate_series(1, ${PAGE_MAX}) n`,
  linked(operator, "property_tags", "tag_properties", "tag_id", "properties_version"),
  `INSERT INTO staffs (operator_id, name, mobile, note, created_at, updated_at)
    SELECT ${operator}, 'Staff ' || n, '+49 15112345678', repeat('n', ${STAFF_NOTE_LENGTH}), now(), now()
    FROM generate_series(1, ${PAGE_MAX}) n`,
  linked(operator, "staffs", "staff_properties", "staff_id", "properties_version"),
  `INSERT INTO calendar_share_links (operator_id, scope, token, created_at)
    SELECT ${operator}, 'partial', 'lkcal_' || lpad(n::text, 26, '0'), now() FROM generate_series(1, ${PAGE_MAX}) n`,
  linked(operator, "calendar_share_links", "calendar_share_link_properties", "link_id", ""),
  `INSERT INTO tasks (operator_id, type, property_id, currency, note, created_at, updated_at)
    SELECT ${operator}, 'cleaning', p.id, 'EUR', repeat('n', 500), now(), now()
    FROM properties p WHERE p.operator_id = ${operator}`,
  // As hosts keep them (accepted), and with as many and as much in them as may be (denied).
  `INSERT INTO orders (operator_id, reservation_code, channel_type, channel_id, status, currency, booked_at, created_at)
    SELECT ${operator}, '5-B' || n, 'direct', 'B' || n, CASE WHEN n % 2 = 0 THEN 'accepted' ELSE 'denied' END, 'EUR',
      now(), now() FROM generate_series(1, ${2 * PAGE_MAX}) n`,
  `INSERT INTO stays (operator_id, order_id, stay_code, property_id, check_in_date, check_out_date, rate,
      accommodation_revenue, guest_name, remarks, custom_fields)
    SELECT o.operator_id, o.id, o.reservation_code, p.id, date '${TODAY}', date '${TODAY}' + 3, 420, 420, 'Ada Lovelace',
      repeat('r', 500), (SELECT jsonb_object_agg('field ' || f, repeat('v', CASE WHEN o.status = 'denied'
        THEN ${CUSTOM_FIELDS_TEXT_LENGTH / CUSTOM_FIELDS_MAX} ELSE 50 END))
        FROM generate_series(1, CASE WHEN o.status = 'denied' THEN ${CUSTOM_FIELDS_MAX} ELSE 5 END) f)
    FROM orders o JOIN (SELECT *, row_number() OVER (ORDER BY id) n FROM properties WHERE operator_id = ${operator}) p
      ON p.operator_id = o.operator_id AND p.n = substr(o.reservation_code, 4)::int WHERE o.operator_id = ${operator}`,
  `INSERT INTO guests (operator_id, stay_id, name, email)
    SELECT s.operator_id, s.id, 'Guest ' || n, 'guest@example.test' FROM stays s, generate_series(1, 4) n
    WHERE s.operator_id = ${operator}`,
  `INSERT INTO transaction_shares (operator_id, transaction_id, stay_id, amount)
    SELECT s.operator_id, t.id, s.id, 1 FROM stays s JOIN (
      SELECT operator_id, id FROM transactions WHERE operator_id = ${operator} ORDER BY action_at DESC LIMIT ${PAGE_MAX}) t
      USING (operator_id) WHERE s.id % 50 = 0`,
  `INSERT INTO reservation_tags (operator_id, tag_name, color, created_at)
    SELECT ${operator}, 'Tag ' || n, '#FD587B', now() FROM generate_series(1, 200) n`,
  `INSERT INTO calendar_days (operator_id, property_id, day, closed)
    SELECT p.operator_id, p.id, date '${TODAY}' + n, n % 2 = 0
    FROM properties p, generate_series(0, 366) n WHERE p.operator_id = ${operator}`,
  // Somebody else, who has as many rooms as there can be, and shares them all.
  `WITH largest AS (
      INSERT INTO operators (name, time_zone, currency, created_at) VALUES ('Largest', 'Europe/Berlin', 'EUR', now())
      RETURNING id
    ), link AS (
      INSERT INTO calendar_share_links (operator_id, scope, token, created_at)
      SELECT id, 'entire', '${ENTIRE}', now() FROM largest
    )
    INSERT INTO properties (operator_id, title, created_at)
    SELECT largest.id, 'Room ' || n, now() FROM largest, generate_series(1, ${SUBSCRIPTION_ROOMS_MAX}) n`
]
