import { randomInt } from "node:crypto"
import { Effect } from "effect"
import { CHANNEL_PROFILES, type SandboxChannel } from "./channel-profiles.ts"

const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
const DIGITS = "0123456789"

const randomText = (alphabet: string, length: number): Effect.Effect<string> =>
  Effect.sync(() => Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join(""))

export const generateOrderId = (channel: SandboxChannel): Effect.Effect<string> => {
  const { prefix, alphabet: alphabetName, length } = CHANNEL_PROFILES[channel].orderIdFormat
  return Effect.map(randomText(alphabetName === "letters" ? LETTERS : DIGITS, length), (name) => `${prefix}${name}`)
}

const randomNumber = (length: number): Effect.Effect<string> =>
  Effect.zipWith(randomText("123456789", 1), randomText(DIGITS, length - 1), (first, others) => `${first}${others}`)

const LISTING_ID_LENGTH = 9
const PAYMENT_ID_LENGTH = 12

export const generateListingId = (channel: SandboxChannel): Effect.Effect<string> =>
  channel === "booking_site"
    ? Effect.zipWith(randomNumber(LISTING_ID_LENGTH), randomNumber(1), (unit, nth) => `${unit}-${nth}`)
    : randomNumber(LISTING_ID_LENGTH)

export const generatePaymentId: Effect.Effect<string> = Effect.map(
  randomText(LETTERS, PAYMENT_ID_LENGTH),
  (name) => `PAY-${name}`
)

const THREAD_ID_LENGTH = 12

export const generateThreadId: Effect.Effect<string> = randomNumber(THREAD_ID_LENGTH)
export const generateOfferId: Effect.Effect<string> = randomNumber(THREAD_ID_LENGTH)
