import { daysInRange } from "../../../../contract/time.ts"
import type { StaySearchRow } from "../../queries/FoundStays.ts"
import { type CsvColumn, renderCsv, trimDecimals } from "../csv.ts"
import { bookingSourceLabel, stayStatusLabel } from "../stay/stay-labels.ts"

/** One line for each stay. The total and the balance are those of the reservation, so they repeat for its other stays. */
const COLUMNS: ReadonlyArray<CsvColumn<StaySearchRow>> = [
  { name: "Code", toText: ({ stay_code }) => stay_code },
  { name: "Guest", toText: ({ guest_name }) => guest_name ?? "" },
  { name: "Property", toText: ({ property_title }) => property_title ?? "Unassigned" },
  { name: "Check-in", toText: ({ check_in_date }) => check_in_date },
  { name: "Check-out", toText: ({ check_out_date }) => check_out_date },
  { name: "Nights", toText: (stay) => String(daysInRange(stay.check_in_date, stay.check_out_date) - 1) },
  { name: "Guests", toText: ({ number_of_guests }) => String(number_of_guests) },
  { name: "Status", toText: stayStatusLabel },
  { name: "Channel", toText: ({ channel_type }) => bookingSourceLabel(channel_type) },
  { name: "Price of the stay", toText: ({ rate }) => trimDecimals(rate) },
  { name: "Total of the reservation", toText: ({ total }) => trimDecimals(total) },
  {
    name: "Balance due",
    toText: ({ status, balance }) => (status === "accepted" ? trimDecimals(balance) : "")
  },
  { name: "Currency", toText: ({ currency }) => currency },
  { name: "Tags", toText: ({ tags }) => tags.join("; ") }
]

export const renderReservationsCsv = (rows: ReadonlyArray<StaySearchRow>): string => renderCsv(COLUMNS, rows)
