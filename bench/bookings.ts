// What bookings of the bench ask for: houses of which no two calls want the same night, because bookings that wait for
// each other would measure that.

const NIGHTS = 3
const DAY_MS = 86_400_000
/** From here on new ones are made; those that are there before are of the year that ends here. */
const FAR = Date.parse("2031-01-01")

const dayAt = (time: number): string => new Date(time).toISOString().slice(0, 10)

const bookingOf = (house: number | undefined, first: number, guest = "Ada Lovelace") => ({
  property_id: house ?? 0,
  custom_channel_id: 31,
  check_in_date: dayAt(first),
  check_out_date: dayAt(first + NIGHTS * DAY_MS),
  guest_name: guest,
  currency: "EUR",
  rate_amount: 420,
  commission_amount: 0,
  received_amount: 120,
  income_method_id: 197
})

/** A page of those that are there: first day, last day, rows. */
export const ARRIVALS = ["2030-01-01", "2030-06-30", 20] as const
/** Another, with nothing in common. */
export const OTHER_ARRIVALS = ["2030-02-01", "2030-05-31", 19] as const

/** One of those that are there, each of a house of its own. */
export const earlier = (houses: ReadonlyArray<number>, at: number) =>
  bookingOf(houses[at], Date.parse(ARRIVALS[0]) + (at % 170) * DAY_MS)

/** Two that differ in all that a caller chooses. */
export const twoUnlike = (houses: ReadonlyArray<number>) =>
  [bookingOf(houses[0], FAR - 20 * DAY_MS), bookingOf(houses[1], FAR - 10 * DAY_MS, "Mary Somerville")] as const

/** New ones, each the body of a request. */
export const bookings = (houses: ReadonlyArray<number>) => {
  let made = 0
  return () => {
    const booking = bookingOf(houses[made % houses.length], FAR + Math.floor(made / houses.length) * NIGHTS * DAY_MS)
    made++
    return JSON.stringify(booking)
  }
}
