import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/**
 * Selects the facts that a mail shows of each row of `notifications`. The worker reads them when it sends the mail, so
 * the mail contains nothing of an erased guest. Of a webhook's URL it shows only the host, because the rest may be secret.
 */
export const notificationFactsSql = (sql: SqlClient, notifications: Fragment): Fragment => sql`
  SELECT n.kind, booked.reservation_code, booked.stay_code, coalesce(booked.property, calendar.property) AS property,
    booked.check_in_date::text AS check_in_date, booked.check_out_date::text AS check_out_date,
    talk.code AS conversation, coalesce(booked.guest_name, talk.guest_name) AS guest_name,
    coalesce(webhook.host, calendar.host) AS host, webhook.id AS webhook_id, webhook.is_paused, calendar.error AS reason
  FROM (${notifications}) n
  LEFT JOIN LATERAL (
    SELECT b.reservation_code, s.stay_code, s.check_in_date, s.check_out_date, s.guest_name, p.title AS property
    FROM orders b
    JOIN stays s ON s.operator_id = b.operator_id AND s.order_id = b.id
    LEFT JOIN properties p ON p.operator_id = s.operator_id AND p.id = s.property_id
    WHERE n.kind IN ('new_booking', 'booking_request') AND b.operator_id = n.operator_id AND b.reservation_code = n.record
    ORDER BY s.id LIMIT 1
  ) booked ON true
  LEFT JOIN LATERAL (
    SELECT c.code, c.guest_name FROM messages m
    JOIN conversations c ON c.operator_id = m.operator_id AND c.id = m.conversation_id
    WHERE n.kind = 'guest_message' AND m.code = n.record AND m.operator_id = n.operator_id
  ) talk ON true
  LEFT JOIN LATERAL (
    SELECT w.id, w.paused_at IS NOT NULL AS is_paused, substring(w.url FROM '^[a-z]+://(?:[^/@]*@)?([^/?#]+)') AS host
    FROM webhook_subscriptions w
    WHERE n.kind = 'failing_webhook' AND w.operator_id = n.operator_id AND w.id::text = n.record AND w.deleted_at IS NULL
  ) webhook ON true
  LEFT JOIN LATERAL (
    SELECT i.host, i.error, p.title AS property FROM imported_calendars i
    JOIN properties p ON p.operator_id = i.operator_id AND p.id = i.property_id
    WHERE n.kind = 'failing_calendar' AND i.operator_id = n.operator_id AND i.id::text = n.record
  ) calendar ON true
  ORDER BY n.id`
