import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { RuleDefinition } from "../src/domain/automation/rules/rule.ts"
import { seedOperator } from "./operator.ts"

// A host with many stays and twenty rules beside one with few and one rule, by few statements, whatever their number.

/** Days before today on which the first stays begin, and after today the last. */
const BEFORE = 730
const AFTER = 365
const SPAN = BEFORE + AFTER
const NIGHTS = 3
/** Of so many stays all but one came with a conversation. */
const TALKING = 5
const CHANNELS = ["airbnb", "vrbo", "booking.com"] as const

export interface Host {
  readonly name: string
  readonly token: string
  readonly houses: number
  readonly stays: number
}

const said =
  "Dear {{guest.first_name}}, this is about {{property.name}} from {{stay.check_in_date}} on. Yours, {{host.name}}"

type StayEvent = "check_in" | "check_out"
type MessageRule = Extract<RuleDefinition, { readonly action: "send_message" }>

const messageAt = (event: StayEvent, when: "before" | "after", days: number, at: string): MessageRule => ({
  name: `${days} days ${when} ${event} at ${at}`,
  action: "send_message",
  trigger: { event, when, days, at },
  text: said
})

const messageIn = (event: StayEvent, when: "before" | "after", hours: number): MessageRule => ({
  name: `${hours} hours ${when} ${event}`,
  action: "send_message",
  trigger: { event, when, hours },
  text: said
})

const reviewIn = (hours: number): RuleDefinition => ({
  name: `Review ${hours} hours after leaving`,
  action: "review",
  trigger: { event: "check_out", when: "after", hours },
  score: 5,
  text: "Welcome back."
})

/** What hosts have rules for: most for all stays, some for a channel or for longer stays. */
export const TWENTY_RULES: ReadonlyArray<RuleDefinition> = [
  { name: "Thanks", action: "send_message", trigger: { event: "booking", when: "after", hours: 0 }, text: said },
  messageAt("check_in", "before", 30, "10:00"),
  messageAt("check_in", "before", 14, "10:00"),
  messageAt("check_in", "before", 7, "09:00"),
  messageAt("check_in", "before", 3, "09:00"),
  messageAt("check_in", "before", 0, "09:00"),
  messageIn("check_in", "before", 2),
  messageIn("check_in", "after", 4),
  messageAt("check_in", "after", 1, "10:00"),
  { ...messageAt("check_in", "after", 3, "10:00"), nights: { min: 7 } },
  messageAt("check_out", "before", 1, "18:00"),
  messageAt("check_out", "before", 0, "08:00"),
  messageIn("check_out", "before", 2),
  messageIn("check_out", "after", 3),
  messageAt("check_out", "after", 1, "10:00"),
  { ...messageAt("check_out", "after", 7, "10:00"), channel_types: ["airbnb"] },
  { ...messageAt("check_out", "after", 30, "10:00"), channel_types: ["booking.com"] },
  { ...reviewIn(24), channel_types: ["airbnb"] },
  { ...reviewIn(72), channel_types: ["vrbo"] },
  messageAt("check_in", "before", 1, "18:00")
]

/** What a rule says when all stays are to be marked for it. */
const EVERY_STAY = "9223372036854775807"

export const ONE_RULE: ReadonlyArray<RuleDefinition> = [messageAt("check_in", "before", 1, "18:00")]

/** Names of the nth stay's conversation. */
export const codeOf = ({ name }: Pick<Host, "name">, nth: number): string => `bench-${name}-${nth}`

/** The check of each row is made once at the end, which is what keeps seeding short. */
export const unchecked = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(Effect.andThen(sql`SET LOCAL session_replication_role = replica`, work))
})

/** Stays of all houses from the earliest on, of the channels in turn. */
const seedStays = Effect.fnUntraced(function* (host: Host, operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const eachHouse = Math.ceil(host.stays / host.houses)
  yield* unchecked(sql`
    WITH house AS (
      SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM properties
      WHERE operator_id = ${operatorId} AND title LIKE 'House %'
    ), account AS (
      SELECT id, channel_type, row_number() OVER (ORDER BY id) - 1 AS place FROM channel_accounts WHERE operator_id = ${operatorId}
    ), booked AS (
      SELECT n, house.id AS property_id, account.id AS account_id, account.channel_type, first,
        least(first - (7 + n % 90), current_date)::timestamptz AS at
      FROM generate_series(0, ${host.stays - 1}::int) n
      JOIN house ON house.place = n % ${host.houses}::int
      JOIN account ON account.place = n % ${CHANNELS.length}::int,
        LATERAL (SELECT current_date - ${BEFORE}::int + (n / ${host.houses}::int) * ${SPAN}::int / ${eachHouse}::int AS first) days
    ), thread AS (
      INSERT INTO conversations (operator_id, code, account_id, channel_type, thread_id, version, guest_name, last_message_at,
        created_at)
      SELECT ${operatorId}, 'bench-' || ${host.name}::text || '-' || n, account_id, channel_type, 'T' || n, 1, 'Guest ' || n, at, at
      FROM booked WHERE n % ${TALKING}::int > 0 ORDER BY n
    ), ordered AS (
      INSERT INTO orders (operator_id, reservation_code, channel_type, channel_account_id, channel_id, status, currency, booked_at,
        created_at, conversation_id)
      SELECT ${operatorId}, '0-' || n || '-BNCH', channel_type, account_id, 'B' || n, 'accepted', 'EUR', at, at,
        CASE WHEN n % ${TALKING}::int > 0 THEN 'bench-' || ${host.name}::text || '-' || n END
      FROM booked ORDER BY n
      RETURNING operator_id, id, reservation_code, substr(channel_id, 2)::int AS n
    ), stay AS (
      INSERT INTO stays (operator_id, order_id, stay_code, property_id, listing_id, check_in_date, check_out_date, rate,
        accommodation_revenue, guest_name)
      SELECT ordered.operator_id, ordered.id, reservation_code, property_id, 'L1', first, first + ${NIGHTS}::int, 420, 420,
        'Guest ' || n
      FROM ordered JOIN booked USING (n) ORDER BY n
      RETURNING operator_id, id, property_id, check_in_date
    )
    INSERT INTO calendar_days (operator_id, property_id, day, stay_id)
    SELECT operator_id, property_id, check_in_date + night, id FROM stay, generate_series(0, ${NIGHTS - 1}::int) night`)
})

/** The host with his stays, and no rule yet. */
export const seedHost = Effect.fnUntraced(function* (host: Host) {
  const sql = yield* SqlClient.SqlClient
  const { operatorId } = yield* seedOperator(host.name, host.token)
  yield* sql`UPDATE operators SET room_limit = room_limit + ${host.houses} WHERE id = ${operatorId}`
  yield* sql`
    INSERT INTO properties (operator_id, title, created_at)
    SELECT ${operatorId}, 'House ' || n, now() FROM generate_series(0, ${host.houses - 1}::int) n`
  yield* Effect.forEach(
    CHANNELS,
    (channelType) => sql`
      INSERT INTO channel_accounts (operator_id, channel_type, username, origin_account_id, auth_status, connector, created_at)
      VALUES (${operatorId}, ${channelType}, 'bench', ${`bench-${host.name}`}, 'active', 'none', now())`
  )
  yield* seedStays(host, operatorId)
  return operatorId
})

/** Gives a host rules, as if he had made the last of them just now: every stay of his is to be marked. */
export const seedRules = Effect.fnUntraced(function* (operatorId: number, rules: ReadonlyArray<RuleDefinition>) {
  const sql = yield* SqlClient.SqlClient
  for (const [nth, rule] of rules.entries()) {
    yield* sql`
      INSERT INTO automation_rules (operator_id, action, definition, state, since, mark_before, created_at)
      VALUES (${operatorId}, ${rule.action}, ${JSON.stringify(rule)}::jsonb, 'active', now(),
        ${nth === rules.length - 1 ? EVERY_STAY : null}::bigint, now())`
  }
})
