import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { addDays } from "../../src/contract/time.ts"
import type { ChannelOrderEvent } from "../../src/domain/channels/port/channel-events.ts"
import type { Tally } from "./figures.ts"
import type { ThreadsAccount } from "./threads.ts"

// Stays that are over, here and at the marketplace, and what became of the reviews that a rule writes of them.

/** Reviews whoever has left; of those who are still to come, with a night more, it says nothing. */
export const REVIEW_RULE = {
  name: "Review",
  action: "review",
  trigger: { event: "check_out", when: "after", hours: 0 },
  score: 5,
  text: "Review of {{stay.code}}",
  nights: { max: 2 }
} as const

export const reviewOf = (code: string): string => `Review of ${code}`

/** An hour of the morning: midnight was hours ago, and the next is further off than an attack takes. */
const MORNING = 6

/** The zone in which it is that hour, written as POSIX has it: west is more. */
const morningZone = (now: Date): string => {
  const west = now.getUTCHours() - MORNING
  const within = west > 12 ? west - 24 : west
  return `Etc/GMT${within < 0 ? within : `+${within}`}`
}

/** Puts the host where it is morning, and usual times at which whoever leaves today has left. */
export const leavingAtMidnight = (operatorId: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      UPDATE operators SET default_checkout_time = '00:00', time_zone = ${morningZone(new Date())} WHERE id = ${operatorId}`
  )

/** Today, where the host is. */
const todayOf = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ today: string }>`
    SELECT (now() AT TIME ZONE time_zone)::date::text AS today FROM operators WHERE id = ${operatorId}`
  return row?.today ?? ""
})

const saidOf = (channel_id: string, booked_at: string, leaves: string): ChannelOrderEvent => ({
  type: "order",
  version: 1,
  channel_id,
  status: "accepted",
  booked_at,
  currency: "EUR",
  booker: { name: "Ada Lovelace" },
  rooms: [
    {
      room_id: "R1",
      listing_id: "L1",
      check_in_date: addDays(leaves, -2),
      check_out_date: leaves,
      number_of_adults: 1,
      rate: 100,
      commission: 0,
      accommodation: 100
    }
  ]
})

/** A stay of an account that left today, at the marketplace as here, and the mark that it leads to; answers its code. */
export const leftStay = Effect.fnUntraced(function* ({ operatorId, accountId, channelType }: ThreadsAccount) {
  const sql = yield* SqlClient.SqlClient
  const code = `0-${crypto.randomUUID()}`
  const today = yield* todayOf(operatorId)
  const bookedAt = `${addDays(today, -9)}T12:00:00Z`
  yield* sql`
    INSERT INTO sandbox_orders (operator_id, account_id, order_id, version, status, said, booked_at)
    VALUES (${operatorId}, ${accountId}, ${code}, 1, 'accepted', ${JSON.stringify(saidOf(code, bookedAt, today))}::jsonb, ${bookedAt})`
  yield* sql`
    WITH ordered AS (
      INSERT INTO orders (operator_id, reservation_code, channel_type, channel_account_id, channel_id, status, currency, booked_at,
        created_at)
      VALUES (${operatorId}, ${code}, ${channelType}, ${accountId}, ${code}, 'accepted', 'EUR', ${bookedAt}, now())
      RETURNING operator_id, id
    )
    INSERT INTO stays (operator_id, order_id, stay_code, check_in_date, check_out_date, rate, accommodation_revenue, guest_name)
    SELECT operator_id, id, ${code}, ${addDays(today, -2)}, ${today}, 100, 100, 'Ada Lovelace' FROM ordered`
  yield* sql`
    INSERT INTO automation_stays (operator_id, stay_id, account_id, due_at)
    SELECT operator_id, id, ${accountId}, now() FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${code}`
  return code
})

interface Row {
  readonly code: string
  readonly here: string | null
  readonly there: string | null
  /** How often it changed at the marketplace. */
  readonly changes: number | null
}

const reviewsHere = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<Row>`
    SELECT o.reservation_code AS code, r.host_review ->> 'content' AS here, s.said -> 'host_review' ->> 'content' AS there,
      s.version::int AS changes
    FROM orders o
    LEFT JOIN reviews r ON r.operator_id = o.operator_id AND r.order_id = o.id
    LEFT JOIN sandbox_reviews s ON s.operator_id = o.operator_id AND s.order_id = o.channel_id
    WHERE r.order_id IS NOT NULL OR s.order_id IS NOT NULL`
)

/** Each stay is reviewed once there and has its record, and no other. */
export const noteReviews = Effect.fnUntraced(function* (count: Tally, codes: ReadonlyArray<string>) {
  const rows = yield* reviewsHere
  const byCode = new Map(rows.map((row) => [row.code, row]))
  for (const code of codes) {
    const row = byCode.get(code)
    if (row?.there !== reviewOf(code)) count.fell("a review is not there", code)
    if (row?.here !== reviewOf(code)) count.fell("a review has no record", code)
    if (row !== undefined && row.changes !== 1) count.fell(`a review was written ${row.changes} times`, code)
  }
  if (rows.length !== codes.length) count.fell("there are other reviews", `${rows.length} of ${codes.length}`)
  count.tried("reviews", rows.length)
})
