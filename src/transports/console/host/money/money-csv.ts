import { formatWallClock } from "../../../../contract/time.ts"
import type { LedgerLine } from "../../queries/Ledger.ts"

/**
 * Matches the start of a cell that a spreadsheet may read as a formula. East Asian editions also accept full-width
 * signs.
 */
const FORMULA_START = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠﹦﹢﹣﹫])/

/** Puts an apostrophe before a formula, so that a spreadsheet does not run a guest's text. */
const toCsvCell = (text: string): string => {
  const safeText = FORMULA_START.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safeText) || safeText !== safeText.trim() ? `"${safeText.replaceAll('"', '""')}"` : safeText
}

interface CsvColumn {
  readonly name: string
  readonly toText: (line: LedgerLine, timeZone: string) => string
}

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

const trimDecimals = (amount: string): string => (amount.includes(".") ? amount.replace(/\.?0+$/, "") : amount)

/** Without a byte order mark, spreadsheets do not read the file as UTF-8. */
const BYTE_ORDER_MARK = "\uFEFF"

export const renderMoneyCsv = (lines: ReadonlyArray<LedgerLine>, timeZone: string): string => {
  const rows = [
    CSV_COLUMNS.map(({ name }) => name),
    ...lines.map((line) => CSV_COLUMNS.map(({ toText }) => toCsvCell(toText(line, timeZone))))
  ]
  return `${BYTE_ORDER_MARK}${rows.map((row) => `${row.join(",")}\r\n`).join("")}`
}
