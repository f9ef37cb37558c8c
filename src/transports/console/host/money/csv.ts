import { wallClockText } from "../../../../contract/time.ts"
import type { Line } from "../../queries/Ledger.ts"

// Entries as a file for a spreadsheet (RFC 4180).

/**
 * The beginnings of a cell that a spreadsheet may read as a formula: a tab or line break, or one of four signs, also after white
 * space. East Asian editions also accept the full-width and small forms of the signs.
 */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠﹦﹢﹣﹫])/

/** A guest or a note may begin like a formula: with an apostrophe before it a spreadsheet shows the text and runs nothing. */
const cellOf = (text: string): string => {
  const shown = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(shown) || shown !== shown.trim() ? `"${shown.replaceAll('"', '""')}"` : shown
}

interface Column {
  readonly name: string
  readonly of: (line: Line, timeZone: string) => string
}

/** Of an entry on a reservation of several properties there is a line for each, with its share of the amount. */
const COLUMNS: ReadonlyArray<Column> = [
  { name: "Entry", of: ({ id }) => String(id) },
  { name: "Time", of: ({ action_at }, timeZone) => wallClockText(action_at, timeZone) },
  { name: "Kind", of: ({ direction }) => direction },
  { name: "Status", of: ({ status }) => status },
  { name: "Category", of: ({ item_name, item_id }) => item_name ?? String(item_id) },
  { name: "Payment method", of: (line) => line.payment_method_name ?? String(line.payment_method_id) },
  { name: "Amount", of: ({ amount }) => plain(amount) },
  { name: "Currency", of: ({ currency }) => currency },
  { name: "Property", of: ({ property_title }) => property_title ?? "" },
  { name: "Reservation", of: ({ reservation_code }) => reservation_code ?? "" },
  { name: "Stay", of: ({ stay_code }) => stay_code ?? "" },
  { name: "Entered by", of: ({ operator_name }) => operator_name },
  { name: "Note", of: ({ note }) => note }
]

/** `120.5000` as `120.5`. */
const plain = (amount: string): string => (amount.includes(".") ? amount.replace(/\.?0+$/, "") : amount)

/** Without it spreadsheets take the file for one of an old alphabet, and letters beyond it go wrong. */
const BYTE_ORDER_MARK = "\uFEFF"

/** The whole file; times are on the operator's clock. */
export const csvOf = (lines: ReadonlyArray<Line>, timeZone: string): string => {
  const rows = [
    COLUMNS.map(({ name }) => name),
    ...lines.map((line) => COLUMNS.map(({ of }) => cellOf(of(line, timeZone))))
  ]
  return `${BYTE_ORDER_MARK}${rows.map((row) => `${row.join(",")}\r\n`).join("")}`
}
