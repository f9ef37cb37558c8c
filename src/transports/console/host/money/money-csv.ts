import { formatWallClock } from "../../../../contract/time.ts"
import type { LedgerLine } from "../../queries/Ledger.ts"
import { type CsvColumn, renderCsv, trimDecimals } from "../csv-file.ts"

const toColumns = (timeZone: string): ReadonlyArray<CsvColumn<LedgerLine>> => [
  { name: "Entry", toText: ({ id }) => String(id) },
  { name: "Time", toText: ({ action_at }) => formatWallClock(action_at, timeZone) },
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

export const renderMoneyCsv = (lines: ReadonlyArray<LedgerLine>, timeZone: string): string =>
  renderCsv(toColumns(timeZone), lines)
