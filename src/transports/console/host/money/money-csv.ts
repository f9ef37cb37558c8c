import { formatWallClock } from "../../../../contract/time.ts"
import type { LedgerLine } from "../../queries/Ledger.ts"

// Entries as a file for a spreadsheet (RFC 4180).

/**
 * The beginnings of a cell that a spreadsheet may read as a formula: a tab or line break, or one of four signs, also after white
 * space. East Asian editions also accept the full-width and small forms of the signs.
 */
const FORMULA_START = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠﹦﹢﹣﹫])/

/** A guest or a note may begin like a formula: with an apostrophe before it a spreadsheet shows the text and runs nothing. */
const toCsvCell = (text: string): string => {
  const safeText = FORMULA_START.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safeText) || safeText !== safeText.trim() ? `"${safeText.replaceAll('"', '""')}"` : safeText
}

interface CsvColumn {
  readonly name: string
  readonly toText: (line: LedgerLine, timeZone: string) => string
}

/** Of an entry on a reservation of several properties there is a line for each, with its share of the amount. */
const CSV_COLUMNS: ReadonlyArray<CsvColumn> = [
  { name: "Entry", toText: ({ id }) => String(id) },
  { name: "Time", toText: ({ action_at }, timeZone) => formatWallClock(action_at, timeZone) },
  { name: "Kind", toText: ({ direction }) => direction },
  { name: "Status", toText: ({ status }) => status },
  { name: "Category", toText: ({ item_name, item_id }) => item_name ?? String(item_id) },
  { name: "Payment method", toText: (line) => line.payment_method_name ?? String(line.payment_method_id) },
  { name: "Amount", toText: ({ amount }) => trimDecimals(amount) },
  { name: "Currency", toText: ({ currency }) => currency },
  { name: "Property", toText: ({ property_title }) => property_title ?? "" },
  { name: "Reservation", toText: ({ reservation_code }) => reservation_code ?? "" },
  { name: "Stay", toText: ({ stay_code }) => stay_code ?? "" },
  { name: "Entered by", toText: ({ operator_name }) => operator_name },
  { name: "Note", toText: ({ note }) => note }
]

/** `120.5000` as `120.5`. */
const trimDecimals = (amount: string): string => (amount.includes(".") ? amount.replace(/\.?0+$/, "") : amount)

/** Without it spreadsheets take the file for one of an old alphabet, and letters beyond it go wrong. */
const BYTE_ORDER_MARK = "\uFEFF"

/** The whole file; times are on the operator's clock. */
export const renderMoneyCsv = (lines: ReadonlyArray<LedgerLine>, timeZone: string): string => {
  const rows = [
    CSV_COLUMNS.map(({ name }) => name),
    ...lines.map((line) => CSV_COLUMNS.map(({ toText }) => toCsvCell(toText(line, timeZone))))
  ]
  return `${BYTE_ORDER_MARK}${rows.map((row) => `${row.join(",")}\r\n`).join("")}`
}
