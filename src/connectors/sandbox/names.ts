import { randomInt } from "node:crypto"
import { Effect } from "effect"
import { DIFFERENCES, type SandboxChannel } from "./channels.ts"

// How a channel names what it makes.

const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
const DIGITS = "0123456789"

const drawn = (alphabet: string, length: number): Effect.Effect<string> =>
  Effect.sync(() => Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join(""))

/** The channel's own id of a new order. */
export const drawOrderName = (channel: SandboxChannel): Effect.Effect<string> => {
  const { prefix, of, length } = DIFFERENCES[channel].orderNames
  return Effect.map(drawn(of === "letters" ? LETTERS : DIGITS, length), (name) => `${prefix}${name}`)
}

/** Without a zero in front. */
const drawnNumber = (length: number): Effect.Effect<string> =>
  Effect.zipWith(drawn("123456789", 1), drawn(DIGITS, length - 1), (first, others) => `${first}${others}`)

const LISTING_LENGTH = 9
const PAYMENT_LENGTH = 12

/** The channel's own id of a new listing: a number, of `booking_site` two with a line between. */
export const drawListingName = (channel: SandboxChannel): Effect.Effect<string> =>
  channel === "booking_site"
    ? Effect.zipWith(drawnNumber(LISTING_LENGTH), drawnNumber(1), (flat, nth) => `${flat}-${nth}`)
    : drawnNumber(LISTING_LENGTH)

export const drawPaymentName: Effect.Effect<string> = Effect.map(
  drawn(LETTERS, PAYMENT_LENGTH),
  (name) => `PAY-${name}`
)

const THREAD_LENGTH = 12

/** The channel's own ids of a new thread and of a new offer. */
export const drawThreadName: Effect.Effect<string> = drawnNumber(THREAD_LENGTH)
export const drawOfferName: Effect.Effect<string> = drawnNumber(THREAD_LENGTH)
