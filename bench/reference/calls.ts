import { randomBytes } from "node:crypto"
import type { Given } from "./captured.ts"

// The kinds of calls a reference server answers: what each of them brings into its statements, in the form the service
// sends it in.

export interface NewEntry {
  readonly property_id: number
  readonly amount: number
  readonly note: string
}

export interface Booking {
  readonly property_id: number
  readonly check_in_date: string
  readonly check_out_date: string
  readonly guest_name: string
}

const DAY_MS = 86_400_000

/** When a day of summer begins where the operator of the bench is. */
const startOf = (day: string): number => Date.parse(`${day}T00:00:00+02:00`)

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

export const newChannelId = () => Array.from(randomBytes(9), (byte) => ALPHABET.charAt(byte & 31)).join("")

export const GIVEN = {
  entry: (id: number) => ({ id }),
  month: (start: string, end: string) => ({
    from: new Date(startOf(start)),
    until: new Date(startOf(end) + DAY_MS)
  }),
  newEntry: ({ property_id, amount, note }: NewEntry) => ({ property_id, amount: amount.toFixed(2), note }),
  arrivals: (start: string, end: string, limit: number) => ({ start, end, limit }),
  channelId: (channelId: string) => ({ channelId }),
  booking: ({ property_id, check_in_date, check_out_date, guest_name }: Booking, channelId: string) => ({
    property_id,
    check_in_date,
    check_out_date,
    guest_name,
    channelId,
    code: `5-${channelId}`
  })
} satisfies Record<string, (...asked: ReadonlyArray<never>) => Given>
