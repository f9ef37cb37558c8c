import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { EventDispatcher } from "../../../../../src/domain/webhooks/deliveries/EventDispatcher.ts"
import { FEED_PAGE_MAX } from "../../../../../src/platform/limits.ts"
import { createOperator, type TestOperator, typedClient, withToken } from "../../../harness.ts"
import { recordEvents } from "../deliveries/delivery-service.ts"

// Who reads the feed in tests, and how events get into it: by the real fan-out, called by the test.

const HIGH_RATE_LIMITS = { "1m": 1_000_000, "10m": 1_000_000, "1h": 1_000_000, "24h": 1_000_000 }

/** An operator that may read as often as a test likes, at one hour of the clock. */
export const createFeedReader = createOperator({
  rateLimits: {
    user: HIGH_RATE_LIMITS,
    endpoint: {
      "GET /events": HIGH_RATE_LIMITS,
      "PUT /event_consumers/{name}": HIGH_RATE_LIMITS,
      "GET /event_consumers": HIGH_RATE_LIMITS
    }
  }
})

/** Hands out everything that waits. */
export const dispatchAllEvents = Effect.gen(function* () {
  const fanOut = yield* EventDispatcher
  while ((yield* fanOut.dispatchNext(yield* DateTime.nowAsDate)).events > 0) {}
})

/** Events that are in the feed, in this order; answers their ids. */
export const recordFeedEvents = Effect.fnUntraced(function* (
  operator: TestOperator,
  events: Parameters<typeof recordEvents>[1]
) {
  const ids = yield* recordEvents(operator, events)
  yield* dispatchAllEvents
  return ids
})

/** So many events of so many records, recorded by one statement. */
export const recordManyEvents = Effect.fnUntraced(function* (
  { operatorId }: TestOperator,
  count: number,
  records: number
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO events (operator_id, event, record, payload, queued_at)
    SELECT ${operatorId}, 'transaction_updated', 'transaction:' || (n % ${records}), jsonb_build_object('transaction_id', n % ${records}, 'n', n), now()
    FROM generate_series(1, ${count}) n`
}, Effect.orDie)

/** Many events at once in the feed, without the fan-out: where only their number matters. */
export const insertManyEvents = Effect.fnUntraced(function* (
  { operatorId }: TestOperator,
  count: number,
  event: string
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    WITH given AS (
      SELECT setval('event_positions', greatest((SELECT last_value FROM event_positions),
        floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint) + ${count}) - ${count} AS before)
    INSERT INTO events (operator_id, event, record, payload, queued_at, fanned_out_at, position)
    SELECT ${operatorId}, ${event}, 'transaction:1', '{"transaction_id": 1}', now(), now(), given.before + n
    FROM given, generate_series(1, ${count}) n`
}, Effect.orDie)

type EventPage = Effect.Success<ReturnType<Effect.Success<typeof typedClient>["list_events"]>>
export type FeedEvent = EventPage["events"][number]

/** Everything from a cursor on, in pages. */
export const readAllEvents = Effect.fnUntraced(function* (operator: TestOperator, cursor = "", limit = FEED_PAGE_MAX) {
  const api = yield* typedClient
  const events: Array<FeedEvent> = []
  let after = cursor
  while (true) {
    const page: EventPage = yield* api.list_events({ after, limit }).pipe(withToken(operator.token))
    events.push(...page.events)
    after = page.next_cursor
    if (!page.has_more) return { events, after }
  }
}, Effect.orDie)

export const eventIdsOf = (events: ReadonlyArray<FeedEvent>): ReadonlyArray<number> =>
  events.map(({ event_id }) => Number(event_id.slice("evt_".length)))
