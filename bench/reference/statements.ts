import type { Pool, QueryResult } from "pg"

// The same SQL as resources/transactions/store.ts, for the reference servers: what differs in the bench is everything
// around it. Prepared by name, as the service's own client does.

const list = (where: string, limit: string) => `
  WITH counted AS (SELECT count(*) AS total FROM (SELECT t.* FROM transactions t WHERE ${where}) matching),
  page AS (
    SELECT listed.*, row_number() OVER (ORDER BY action_at DESC, id DESC) AS position
    FROM (
      SELECT * FROM (SELECT t.* FROM transactions t WHERE ${where}) matching
      ORDER BY action_at DESC, id DESC LIMIT ${limit} OFFSET 0
    ) listed
  )
  SELECT counted.total, page.position, page.id, page.direction, page.amount, page.currency, page.status, page.note,
    page.item_id AS "itemId", item.name AS "itemName",
    page.payment_method_id AS "paymentMethodId", method.name AS "paymentMethodName",
    page.action_at AS "actionAt", page.operator_name AS "operatorName",
    page.created_at AS "createdAt", page.updated_at AS "updatedAt",
    orders.reservation_code AS "reservationCode",
    property.id AS "propertyId", property.title AS "propertyTitle",
    coalesce(split.shares, '[]') AS shares
  FROM counted LEFT JOIN page ON true
  LEFT JOIN orders ON orders.operator_id = page.operator_id AND orders.id = page.order_id
  LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_object('property_id', stay.property_id, 'amount', share.amount) ORDER BY stay.id) AS shares,
      CASE WHEN min(stay.property_id) = max(stay.property_id) THEN min(stay.property_id) END AS property_id
    FROM transaction_shares share
    JOIN stays stay ON stay.operator_id = share.operator_id AND stay.id = share.stay_id
    WHERE share.operator_id = page.operator_id AND share.transaction_id = page.id
  ) split ON page.order_id IS NOT NULL
  LEFT JOIN properties property
    ON property.operator_id = page.operator_id AND property.id = coalesce(page.property_id, split.property_id)
  LEFT JOIN dictionary_entries item ON item.operator_id = page.operator_id AND item.id = page.item_id
    AND item.dictionary = page.direction || '_items'
  LEFT JOIN dictionary_entries method ON method.operator_id = page.operator_id AND method.id = page.payment_method_id
    AND method.dictionary = page.direction || '_methods'
  ORDER BY page.position`

export const readOne = (pool: Pool, operatorId: number, id: number): Promise<QueryResult> =>
  pool.query({ name: "one", text: list("t.operator_id = $1 AND t.id = $2", "$3"), values: [operatorId, id, 20] })

export const readMonth = (pool: Pool, operatorId: number, from: Date, until: Date): Promise<QueryResult> =>
  pool.query({
    name: "month",
    text: list("t.operator_id = $1 AND t.action_at >= $2 AND t.action_at < $3", "$4"),
    values: [operatorId, from, until, 20]
  })

export interface Entry {
  readonly direction: string
  readonly amount: number
  readonly currency: string
  readonly item_id: number
  readonly payment_method_id: number
  readonly property_id: number
  readonly note?: string
}

export const create = async (pool: Pool, operatorId: number, entry: Entry): Promise<number | undefined> => {
  const ground = await pool.query({
    name: "ground",
    text: `
      SELECT EXISTS (SELECT FROM properties WHERE operator_id = $1 AND id = $2) AS "propertyKnown",
        EXISTS (SELECT FROM dictionary_entries WHERE operator_id = $1 AND dictionary = $3 AND id = $4) AS "itemKnown",
        EXISTS (SELECT FROM dictionary_entries WHERE operator_id = $1 AND dictionary = $5 AND id = $6) AS "methodKnown",
        o.id AS "orderId", o.currency AS "orderCurrency", coalesce((
          SELECT jsonb_agg(jsonb_build_object('id', stay.id, 'revenue', stay.accommodation_revenue::text) ORDER BY stay.id)
          FROM stays stay WHERE stay.operator_id = o.operator_id AND stay.order_id = o.id), '[]') AS stays
      FROM (SELECT 1) one LEFT JOIN orders o ON false`,
    values: [operatorId, entry.property_id, "income_items", entry.item_id, "income_methods", entry.payment_method_id]
  })
  if (ground.rows[0]?.propertyKnown !== true) return undefined
  const now = new Date()
  const created = await pool.query({
    name: "create",
    text: `
      WITH entry AS (
        INSERT INTO transactions (operator_id, direction, amount, currency, item_id, payment_method_id, action_at, note,
          property_id, order_id, status, operator_name, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, null, 'paid', 'Owner', $7, $7)
        RETURNING operator_id, id
      ), shares AS (
        INSERT INTO transaction_shares (operator_id, transaction_id, stay_id, amount)
        SELECT entry.operator_id, entry.id, share.stay_id, share.amount
        FROM entry, unnest($10::bigint[], $11::numeric[]) AS share (stay_id, amount)
        ON CONFLICT (operator_id, transaction_id, stay_id) DO UPDATE SET amount = excluded.amount
      ), recorded AS (
        INSERT INTO events (operator_id, event, record, payload, queued_at)
        SELECT operator_id, 'transaction_created', 'transaction:' || id, jsonb_build_object('transaction_id', id), $7::timestamptz
        FROM entry
      )
      SELECT id FROM entry`,
    values: [
      operatorId,
      entry.direction,
      entry.amount,
      entry.currency,
      entry.item_id,
      entry.payment_method_id,
      now,
      entry.note ?? "",
      entry.property_id,
      [],
      []
    ]
  })
  return Number(created.rows[0]?.id)
}

const text = (instant: Date) => instant.toISOString().replace(".000Z", "Z")

/** The envelope the service answers, from the same rows. */
export const envelope = (result: QueryResult) => ({
  request_id: `RT${Date.now()}`,
  error_code: 0,
  error_msg: "",
  data: {
    transactions: result.rows
      .filter((row) => row.position !== null)
      .map((row) => ({
        id: Number(row.id),
        direction: row.direction,
        amount: Number(row.amount),
        currency: row.currency,
        status: row.status,
        action_at: text(row.actionAt),
        item_id: Number(row.itemId),
        item_name: row.itemName ?? "Room fee",
        payment_method_id: Number(row.paymentMethodId),
        payment_method_name: row.paymentMethodName ?? "Cash",
        note: row.note,
        operator_name: row.operatorName,
        link_type: row.reservationCode !== null ? "reservation" : row.propertyId !== null ? "property" : "operator",
        property_id: row.propertyId === null ? null : Number(row.propertyId),
        property_title: row.propertyTitle,
        reservation_code: row.reservationCode,
        stay_code: row.reservationCode,
        shares: row.shares,
        created_at: text(row.createdAt),
        updated_at: text(row.updatedAt)
      })),
    total: Number(result.rows[0]?.total)
  }
})

export const createdEnvelope = (id: number | undefined) => ({
  request_id: `RT${Date.now()}`,
  error_code: 0,
  error_msg: "",
  data: { transaction_id: id }
})

export const refusedEnvelope = (code: number, message: string) => ({
  request_id: `RT${Date.now()}`,
  error_code: code,
  error_msg: message,
  data: {}
})
