import type { QueryResult } from "pg"

// The JSON the service answers about income and expense entries, from the same rows.

type Rows = QueryResult["rows"]

const text = (instant: Date) => instant.toISOString().replace(".000Z", "Z")

/** The database writes an action time with six decimals; a response has none, three or six. */
const actionTime = (microseconds: string) => microseconds.replace(/(\.\d{3})000Z$/, "$1Z").replace(".000Z", "Z")

export const entriesEnvelope = (rows: Rows) => ({
  request_id: `RT${Date.now()}`,
  error_code: 0,
  error_msg: "",
  data: {
    transactions: rows
      .filter((row) => row.position !== null)
      .map((row) => ({
        id: Number(row.id),
        direction: row.direction,
        amount: Number(row.amount),
        currency: row.currency,
        status: row.status,
        action_at: actionTime(row.action_at),
        item_id: Number(row.item_id),
        item_name: row.item_name ?? "Room fee",
        payment_method_id: Number(row.payment_method_id),
        payment_method_name: row.payment_method_name ?? "Cash",
        note: row.note,
        operator_name: row.operator_name,
        link_type: row.reservation_code !== null ? "reservation" : row.property_id !== null ? "property" : "operator",
        property_id: row.property_id === null ? null : Number(row.property_id),
        property_title: row.property_title,
        reservation_code: row.reservation_code,
        stay_code: row.reservation_code,
        shares: row.shares,
        created_at: text(row.created_at),
        updated_at: text(row.updated_at)
      })),
    total: Number(rows[0]?.total)
  }
})

export const createdEnvelope = ([row]: Rows) =>
  row === undefined
    ? refusedEnvelope(500, "not created")
    : { request_id: `RT${Date.now()}`, error_code: 0, error_msg: "", data: { transaction_id: Number(row.id) } }

export const refusedEnvelope = (code: number, message: string) => ({
  request_id: `RT${Date.now()}`,
  error_code: code,
  error_msg: message,
  data: {}
})
