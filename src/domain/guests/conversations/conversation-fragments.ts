import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { ACTIVITIES_SHOWN } from "../../../platform/limits.ts"

type Sql = SqlClient

const ACTIVITY_LIMIT = String(ACTIVITIES_SHOWN)

export const conversationGuestSql = (sql: Sql, row: Fragment): Fragment => sql`
  jsonb_build_object('name', coalesce(${row}.guest_name, ''), 'email', coalesce(${row}.guest_email, ''),
    'phone', coalesce(${row}.guest_phone, ''))`

const latestOrdersSql = (sql: Sql, row: Fragment): Fragment => sql`
  SELECT o.operator_id, o.id, o.reservation_code, o.status FROM orders o
  WHERE o.operator_id = ${row}.operator_id AND o.conversation_id = ${row}.code
  ORDER BY o.id DESC LIMIT ${sql.literal(ACTIVITY_LIMIT)}`

/**
 * Selects the current or next stay, otherwise the last one. Stays of cancelled, declined and timed-out orders come
 * last.
 */
const headlineStaySql = (sql: Sql, row: Fragment, today: string): Fragment => sql`
  SELECT s.check_in_date, s.check_out_date, p.title
  FROM (${latestOrdersSql(sql, row)}) o
  JOIN stays s ON s.operator_id = o.operator_id AND s.order_id = o.id
  LEFT JOIN properties p ON p.operator_id = s.operator_id AND p.id = s.property_id
  ORDER BY o.status IN ('cancelled', 'denied', 'timeout'), s.check_out_date < ${today}::date,
    CASE WHEN s.check_out_date >= ${today}::date THEN s.check_in_date END, s.check_out_date DESC, s.id
  LIMIT 1`

export const conversationListParts = (sql: Sql, today: string) => ({
  pageQuery: sql`
    SELECT c.*, listed.position FROM listed
    JOIN conversations c ON c.operator_id = listed.operator_id AND c.id = listed.id`,
  orderBy: sql`last_message_at DESC, id DESC`,
  joins: sql`LEFT JOIN LATERAL (${headlineStaySql(sql, sql`page`, today)}) stay ON true`
})

export const conversationListColumns = (sql: Sql) => ({
  id: sql`page.code`,
  guest: conversationGuestSql(sql, sql`page`),
  property_title: sql`coalesce(stay.title, '')`,
  check_in_date: sql`coalesce(stay.check_in_date, page.inquiry_check_in_date)`,
  check_out_date: sql`coalesce(stay.check_out_date, page.inquiry_check_out_date)`
})

const activityPropertySql = (sql: Sql, property: Fragment): Fragment => sql`
  CASE WHEN ${property}.id IS NOT NULL THEN jsonb_build_object('id', ${property}.id, 'title', ${property}.title,
    'cover_url', ${property}.cover_url, 'room_type', (
      SELECT jsonb_build_object('id', t.id, 'title', t.title)
      FROM room_type_properties r JOIN room_types t ON t.operator_id = r.operator_id AND t.id = r.room_type_id
      WHERE r.operator_id = ${property}.operator_id AND r.property_id = ${property}.id)) END`

export const stayActivitiesSql = (sql: Sql, row: Fragment): Fragment => sql`(
  SELECT coalesce(jsonb_agg(jsonb_build_object('reservation_code', about.reservation_code,
    'check_in_date', about.check_in_date, 'check_out_date', about.check_out_date, 'listing_id', about.listing_id,
    'property', ${activityPropertySql(sql, sql`p`)}) ORDER BY about.order_id DESC, about.id), '[]')
  FROM (
    SELECT s.operator_id, s.order_id, s.id, o.reservation_code, s.check_in_date, s.check_out_date, s.listing_id, s.property_id
    FROM (${latestOrdersSql(sql, row)}) o
    JOIN stays s ON s.operator_id = o.operator_id AND s.order_id = o.id
    ORDER BY s.order_id DESC, s.id LIMIT ${sql.literal(ACTIVITY_LIMIT)}
  ) about
  LEFT JOIN properties p ON p.operator_id = about.operator_id AND p.id = about.property_id)`

export const inquiryActivitySql = (sql: Sql, row: Fragment): Fragment => sql`
  CASE WHEN ${row}.inquiry_check_in_date IS NOT NULL THEN (
    SELECT jsonb_build_object('reservation_code', NULL, 'check_in_date', ${row}.inquiry_check_in_date,
      'check_out_date', ${row}.inquiry_check_out_date, 'listing_id', ${row}.inquiry_listing_id,
      'property', ${activityPropertySql(sql, sql`p`)})
    FROM (SELECT) one
    LEFT JOIN listings l ON l.operator_id = ${row}.operator_id AND l.channel_type = ${row}.channel_type
      AND l.listing_id = ${row}.inquiry_listing_id
    LEFT JOIN properties p ON p.operator_id = l.operator_id AND p.id = l.property_id) END`
