import { Schema } from "effect"
import { decoderOf } from "../../contract/decode.ts"
import {
  CalendarDate,
  Code,
  Currency,
  EMPTY,
  Id,
  Integer,
  isUpTo,
  PositiveAmount,
  textUpTo
} from "../../contract/fields.ts"
import {
  AMOUNT_MAX,
  CHANNEL_ROOMS,
  CHANNEL_TEXT,
  CODE,
  GUEST_NAME,
  GUEST_PHONE,
  GUESTS_MAX,
  LISTING_TEXT,
  MESSAGE_TEXT,
  REVIEW_CATEGORIES,
  REVIEW_TEXT,
  SANDBOX_LATE_MS,
  SANDBOX_ROOMS
} from "../../platform/limits.ts"
import { SandboxChannel } from "./channels.ts"
import { MOODS } from "./rows.ts"

// What is asked of the marketplace by its page and its commands, in the same fields.

const between = (minimum: number, maximum: number) =>
  Integer.check(Schema.isBetween({ minimum, maximum }, { expected: `from ${minimum} to ${maximum}` }))

/** Of listings one or several, separated by commas: a room of each. */
const ListingNames = textUpTo(CHANNEL_ROOMS * (CODE + 2))

/** A text that says something. */
const wordsUpTo = (most: number) =>
  Schema.String.check(
    Schema.makeFilter((text) => (text.trim() === "" ? EMPTY : isUpTo(text, most)), {
      expected: `at most ${most} characters`
    })
  )

/** Adults of whom nobody said how many. */
export const USUAL_ADULTS = 2

/** What tells a listing or an order from others of the same name. */
const whose = { channel_type: Schema.optionalKey(textUpTo(CODE)), operator_id: Schema.optionalKey(Id) }

/** Who wants to come, and when. */
const visit = {
  check_in_date: CalendarDate,
  check_out_date: CalendarDate,
  guest_name: wordsUpTo(GUEST_NAME),
  guest_phone: Schema.optionalKey(textUpTo(GUEST_PHONE)),
  guest_email: Schema.optionalKey(textUpTo(CHANNEL_TEXT)),
  adults: Schema.optionalKey(between(1, GUESTS_MAX)),
  children: Schema.optionalKey(between(0, GUESTS_MAX))
}

export const BookAsked = Schema.Struct({
  ...whose,
  listing_id: ListingNames,
  ...visit,
  /** So many rooms of each listing that is named. */
  rooms: Schema.optionalKey(between(1, CHANNEL_ROOMS)),
  remarks: Schema.optionalKey(textUpTo(CHANNEL_TEXT))
})
export type BookAsked = typeof BookAsked.Type

export const OrderAsked = Schema.Struct({ ...whose, order_id: Code })
export type OrderAsked = typeof OrderAsked.Type

export const ChangeAsked = Schema.Struct({
  ...OrderAsked.fields,
  check_in_date: Schema.optionalKey(CalendarDate),
  check_out_date: Schema.optionalKey(CalendarDate),
  listing_id: Schema.optionalKey(ListingNames),
  adults: Schema.optionalKey(between(1, GUESTS_MAX))
})

export const MoneyAsked = Schema.Struct({ ...OrderAsked.fields, amount: Schema.optionalKey(PositiveAmount) })

/** A guest asks about nights: in the thread he has, else in a new one. */
export const InquireAsked = Schema.Struct({
  ...whose,
  listing_id: Code,
  ...visit,
  text: wordsUpTo(MESSAGE_TEXT)
})

/** A guest writes: in a thread, or in that of an order. */
export const WriteAsked = Schema.Struct({
  ...whose,
  thread_id: Schema.optionalKey(Code),
  order_id: Schema.optionalKey(Code),
  text: wordsUpTo(MESSAGE_TEXT),
  attachment_url: Schema.optionalKey(
    textUpTo(CHANNEL_TEXT).check(Schema.isPattern(/^https?:\/\/\S+$/, { expected: "an http or https address" }))
  )
})

export const OfferAsked = Schema.Struct({ ...whose, offer_id: Code })

const RATING_MAX = 10
const RATING = /^\s*([\w-]{1,50})\s*=\s*(\d{1,2}(?:\.\d)?)\s*$/

/** What `cleanliness=5, location=4.5` says; undefined where a part of it says nothing. */
const subScoresOf = (text: string) => {
  const parts = text.split(",").map((part) => RATING.exec(part))
  const scores = parts.flatMap((part) =>
    part?.[1] === undefined || Number(part[2]) > RATING_MAX ? [] : [{ category: part[1], rating: Number(part[2]) }]
  )
  const isWhole = scores.length === parts.length && scores.length <= REVIEW_CATEGORIES
  return isWhole && new Set(scores.map(({ category }) => category)).size === scores.length ? scores : undefined
}

/** The guest of a stay that is over says what it was like. */
export const ReviewAsked = Schema.Struct({
  ...OrderAsked.fields,
  score: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 5 }, { expected: "from 0 to 5" })),
  text: wordsUpTo(REVIEW_TEXT),
  /** What the score is made of, as its channel counts: `cleanliness=5, location=4`. */
  sub_scores: Schema.optionalKey(
    textUpTo(CHANNEL_TEXT).check(
      Schema.makeFilter((text) => subScoresOf(text) !== undefined, {
        expected: `up to ${REVIEW_CATEGORIES} scores from 0 to ${RATING_MAX}, such as cleanliness=5, location=4`
      })
    )
  )
})

/** The scores that a review names. */
export const scoresIn = ({ sub_scores }: typeof ReviewAsked.Type) =>
  sub_scores === undefined ? [] : (subScoresOf(sub_scores) ?? [])

export const MoodAsked = Schema.Struct({
  channel_account_id: Id,
  mood: Schema.Literals(MOODS),
  ms: Schema.optionalKey(between(0, SANDBOX_LATE_MS)),
  reason: Schema.optionalKey(textUpTo(LISTING_TEXT))
})

const Price = Schema.Finite.check(
  Schema.isBetween({ minimum: 0, maximum: AMOUNT_MAX }, { expected: `from 0 to ${AMOUNT_MAX}` })
)
const USERNAME = 80

/** As other commands and forms can name it: several are separated by commas, and what is around one is no part of it. */
const ListingName = Code.check(
  Schema.isPattern(/^[A-Za-z0-9._-]*$/, { expected: "letters, digits, dots, underscores and hyphens alone" })
)
const Percent = between(0, 100)

/** A listing, and the account it is in if that is not there yet. What is not said is as its channel has it. */
export const OpenAsked = Schema.Struct({
  operator_id: Schema.optionalKey(Id),
  channel_type: SandboxChannel,
  username: Schema.optionalKey(wordsUpTo(USERNAME)),
  listing_id: Schema.optionalKey(ListingName),
  title: Schema.optionalKey(wordsUpTo(LISTING_TEXT)),
  currency: Schema.optionalKey(Currency),
  base_price: Schema.optionalKey(PositiveAmount),
  cleaning_fee: Schema.optionalKey(Price),
  commission: Schema.optionalKey(Percent),
  tax: Schema.optionalKey(Percent),
  instant: Schema.optionalKey(Schema.Boolean),
  rooms: Schema.optionalKey(between(1, SANDBOX_ROOMS))
})
export type OpenAsked = typeof OpenAsked.Type

export const readBook = decoderOf(BookAsked)
export const readOrder = decoderOf(OrderAsked)
export const readChange = decoderOf(ChangeAsked)
export const readMoney = decoderOf(MoneyAsked)
export const readInquire = decoderOf(InquireAsked)
export const readWrite = decoderOf(WriteAsked)
export const readOffer = decoderOf(OfferAsked)
export const readReview = decoderOf(ReviewAsked)
export const readMoodAsked = decoderOf(MoodAsked)
export const readOpen = decoderOf(OpenAsked)

/** The listings that a text names. */
export const namesIn = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")

/** The guest that fields name. */
export const guestIn = (asked: {
  readonly guest_name: string
  readonly guest_phone?: string
  readonly guest_email?: string
}) => ({
  name: asked.guest_name.trim(),
  ...(asked.guest_phone === undefined ? {} : { phone: asked.guest_phone }),
  ...(asked.guest_email === undefined ? {} : { email: asked.guest_email })
})
