import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { InternalSubscriber } from "../../jobs/events/internal-subscribers.ts"
import { NOTIFIED_EVENT_AGE_MS } from "../../platform/limits.ts"
import { makeNotificationWriters } from "./queue-statements.ts"

/**
 * An order that waits for the host's answer is a booking request, and an accepted order is a new booking.
 *
 * - Updates count too, because an order may be accepted or paid later.
 * - The event key is the code of the order, so an order with several stays or updates gives one notification.
 * - An update of an order that is older than the account's choice gives no notification.
 */
const bookingsSql = (sql: SqlClient, dispatchedEvents: Fragment, cutoff: Date): Fragment => sql`
  SELECT e.operator_id, CASE booked.status WHEN 'wait_accept' THEN 'booking_request' ELSE 'new_booking' END AS kind,
    booked.reservation_code AS event_key, booked.reservation_code AS record,
    CASE e.event WHEN 'reservation_created' THEN 'infinity' ELSE booked.created_at END AS chosen_before
  FROM ${dispatchedEvents} e
  JOIN orders booked ON booked.operator_id = e.operator_id AND booked.reservation_code = e.payload ->> 'reservation_code'
  WHERE e.event IN ('reservation_created', 'reservation_updated') AND booked.status IN ('wait_accept', 'accepted')
    AND booked.created_at > ${cutoff} AND booked.booked_at > ${cutoff}`

const messagesSql = (sql: SqlClient, dispatchedEvents: Fragment, cutoff: Date): Fragment => sql`
  SELECT e.operator_id, 'guest_message' AS kind, m.code AS event_key, m.code AS record, 'infinity'::timestamptz AS chosen_before
  FROM ${dispatchedEvents} e
  JOIN messages m ON m.code = e.payload ->> 'message_id' AND m.operator_id = e.operator_id
  WHERE e.event = 'message_created' AND m.sender_role = 'guest' AND m.created_at > ${cutoff}`

const writers = makeNotificationWriters((sql, dispatchedEvents, now) => {
  const cutoff = new Date(now.getTime() - NOTIFIED_EVENT_AGE_MS)
  return sql`${bookingsSql(sql, dispatchedEvents, cutoff)} UNION ALL ${messagesSql(sql, dispatchedEvents, cutoff)}`
})

/** Part of the statement that dispatches the events, so that no event is lost or counted twice. */
export const notificationSubscribers: ReadonlyArray<InternalSubscriber> = [writers.insert, writers.enqueue]
