import { Schema } from "effect"
import { makeDecoder } from "../../contract/decoder.ts"
import {
  CalendarDate,
  Currency,
  hasAtMostCharacters,
  Id,
  Integer,
  MUST_NOT_BE_EMPTY,
  PositiveAmount,
  RecordCode,
  textUpTo
} from "../../contract/fields.ts"
import {
  AMOUNT_MAX,
  CHANNEL_ROOMS_MAX,
  CHANNEL_TEXT_LENGTH,
  GUEST_NAME_LENGTH,
  GUEST_PHONE_LENGTH,
  GUESTS_MAX,
  LISTING_TEXT_LENGTH,
  MESSAGE_LENGTH,
  RECORD_CODE_LENGTH,
  REVIEW_CATEGORIES_MAX,
  REVIEW_TEXT_LENGTH,
  SANDBOX_DELAY_MAX_MS,
  SANDBOX_ROOMS_MAX
} from "../../platform/limits.ts"
import { SandboxChannel } from "./channel-profiles.ts"
import { FAILURE_MODES } from "./rows.ts"

const integerBetween = (minimum: number, maximum: number) =>
  Integer.check(Schema.isBetween({ minimum, maximum }, { expected: `from ${minimum} to ${maximum}` }))

const ListingIdList = textUpTo(CHANNEL_ROOMS_MAX * (RECORD_CODE_LENGTH + 2))

const nonEmptyTextUpTo = (maxLength: number) =>
  Schema.String.check(
    Schema.makeFilter((text) => (text.trim() === "" ? MUST_NOT_BE_EMPTY : hasAtMostCharacters(text, maxLength)), {
      expected: `at most ${maxLength} characters`
    })
  )

export const DEFAULT_ADULTS = 2

/** Needed only if several accounts have a record with this id. */
const accountFilterFields = {
  channel_type: Schema.optionalKey(textUpTo(RECORD_CODE_LENGTH)),
  operator_id: Schema.optionalKey(Id)
}

const stayAndGuestFields = {
  check_in_date: CalendarDate,
  check_out_date: CalendarDate,
  guest_name: nonEmptyTextUpTo(GUEST_NAME_LENGTH),
  guest_phone: Schema.optionalKey(textUpTo(GUEST_PHONE_LENGTH)),
  guest_email: Schema.optionalKey(textUpTo(CHANNEL_TEXT_LENGTH)),
  adults: Schema.optionalKey(integerBetween(1, GUESTS_MAX)),
  children: Schema.optionalKey(integerBetween(0, GUESTS_MAX))
}

export const SandboxBookingRequest = Schema.Struct({
  ...accountFilterFields,
  listing_id: ListingIdList,
  ...stayAndGuestFields,
  rooms: Schema.optionalKey(integerBetween(1, CHANNEL_ROOMS_MAX)),
  remarks: Schema.optionalKey(textUpTo(CHANNEL_TEXT_LENGTH))
})
export type SandboxBookingRequest = typeof SandboxBookingRequest.Type

export const SandboxOrderRequest = Schema.Struct({ ...accountFilterFields, order_id: RecordCode })
export type SandboxOrderRequest = typeof SandboxOrderRequest.Type

export const SandboxChangeRequest = Schema.Struct({
  ...SandboxOrderRequest.fields,
  check_in_date: Schema.optionalKey(CalendarDate),
  check_out_date: Schema.optionalKey(CalendarDate),
  listing_id: Schema.optionalKey(ListingIdList),
  adults: Schema.optionalKey(integerBetween(1, GUESTS_MAX))
})

export const SandboxMoneyRequest = Schema.Struct({
  ...SandboxOrderRequest.fields,
  amount: Schema.optionalKey(PositiveAmount)
})

export const SandboxInquiryRequest = Schema.Struct({
  ...accountFilterFields,
  listing_id: RecordCode,
  ...stayAndGuestFields,
  text: nonEmptyTextUpTo(MESSAGE_LENGTH)
})

export const SandboxMessageRequest = Schema.Struct({
  ...accountFilterFields,
  thread_id: Schema.optionalKey(RecordCode),
  order_id: Schema.optionalKey(RecordCode),
  text: nonEmptyTextUpTo(MESSAGE_LENGTH),
  attachment_url: Schema.optionalKey(
    textUpTo(CHANNEL_TEXT_LENGTH).check(Schema.isPattern(/^https?:\/\/\S+$/, { expected: "an http or https address" }))
  )
})

export const SandboxOfferRequest = Schema.Struct({ ...accountFilterFields, offer_id: RecordCode })

const RATING_MAX = 10
const SUB_SCORE_PATTERN = /^\s*([\w-]{1,50})\s*=\s*(\d{1,2}(?:\.\d)?)\s*$/

const parseSubScores = (text: string) => {
  const parts = text.split(",").map((part) => SUB_SCORE_PATTERN.exec(part))
  const scores = parts.flatMap((part) =>
    part?.[1] === undefined || Number(part[2]) > RATING_MAX ? [] : [{ category: part[1], rating: Number(part[2]) }]
  )
  const isComplete = scores.length === parts.length && scores.length <= REVIEW_CATEGORIES_MAX
  return isComplete && new Set(scores.map(({ category }) => category)).size === scores.length ? scores : undefined
}

export const SandboxReviewRequest = Schema.Struct({
  ...SandboxOrderRequest.fields,
  score: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 5 }, { expected: "from 0 to 5" })),
  text: nonEmptyTextUpTo(REVIEW_TEXT_LENGTH),
  sub_scores: Schema.optionalKey(
    textUpTo(CHANNEL_TEXT_LENGTH).check(
      Schema.makeFilter((text) => parseSubScores(text) !== undefined, {
        expected: `up to ${REVIEW_CATEGORIES_MAX} scores from 0 to ${RATING_MAX}, such as cleanliness=5, location=4`
      })
    )
  )
})

export const toSubScores = ({ sub_scores }: typeof SandboxReviewRequest.Type) =>
  sub_scores === undefined ? [] : (parseSubScores(sub_scores) ?? [])

export const FailureModeRequest = Schema.Struct({
  channel_account_id: Id,
  mood: Schema.Literals(FAILURE_MODES),
  ms: Schema.optionalKey(integerBetween(0, SANDBOX_DELAY_MAX_MS)),
  reason: Schema.optionalKey(textUpTo(LISTING_TEXT_LENGTH))
})

const Price = Schema.Finite.check(
  Schema.isBetween({ minimum: 0, maximum: AMOUNT_MAX }, { expected: `from 0 to ${AMOUNT_MAX}` })
)
const USERNAME_LENGTH = 80

/** Without commas and spaces, so that it fits into comma-separated lists. */
const ListingId = RecordCode.check(
  Schema.isPattern(/^[A-Za-z0-9._-]*$/, { expected: "letters, digits, dots, underscores and hyphens alone" })
)
const Percent = integerBetween(0, 100)

/** Omitted fields get the channel's defaults. */
export const SandboxListingRequest = Schema.Struct({
  operator_id: Schema.optionalKey(Id),
  channel_type: SandboxChannel,
  username: Schema.optionalKey(nonEmptyTextUpTo(USERNAME_LENGTH)),
  listing_id: Schema.optionalKey(ListingId),
  title: Schema.optionalKey(nonEmptyTextUpTo(LISTING_TEXT_LENGTH)),
  currency: Schema.optionalKey(Currency),
  base_price: Schema.optionalKey(PositiveAmount),
  cleaning_fee: Schema.optionalKey(Price),
  commission: Schema.optionalKey(Percent),
  tax: Schema.optionalKey(Percent),
  instant: Schema.optionalKey(Schema.Boolean),
  rooms: Schema.optionalKey(integerBetween(1, SANDBOX_ROOMS_MAX))
})
export type SandboxListingRequest = typeof SandboxListingRequest.Type

export const decodeBookingRequest = makeDecoder(SandboxBookingRequest)
export const decodeOrderRequest = makeDecoder(SandboxOrderRequest)
export const decodeChangeRequest = makeDecoder(SandboxChangeRequest)
export const decodeMoneyRequest = makeDecoder(SandboxMoneyRequest)
export const decodeInquiryRequest = makeDecoder(SandboxInquiryRequest)
export const decodeMessageRequest = makeDecoder(SandboxMessageRequest)
export const decodeOfferRequest = makeDecoder(SandboxOfferRequest)
export const decodeReviewRequest = makeDecoder(SandboxReviewRequest)
export const decodeFailureModeRequest = makeDecoder(FailureModeRequest)
export const decodeListingRequest = makeDecoder(SandboxListingRequest)

export const parseListingIds = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")

export const toGuest = (request: {
  readonly guest_name: string
  readonly guest_phone?: string
  readonly guest_email?: string
}) => ({
  name: request.guest_name.trim(),
  ...(request.guest_phone === undefined ? {} : { phone: request.guest_phone }),
  ...(request.guest_email === undefined ? {} : { email: request.guest_email })
})
