import { Schema, Struct } from "effect"
import { Code, Currency, Integer, isUpTo, MAJOR_UNITS, textUpTo } from "../../../contract/fields.ts"
import {
  AMOUNT_MAX,
  GUESTS_MAX,
  RULE_DAYS,
  RULE_DISCOUNTS,
  RULE_HOURS,
  RULE_PERIOD_FIELDS,
  RULE_PERIOD_NAME,
  RULE_PERIOD_TEXT,
  RULE_PERIODS,
  RULE_TIME
} from "../../../platform/limits.ts"

// What a listing costs and who may book it, as two channels keep it (contract facts 6.5 and 6.6). One schema a setting: what
// is read can be written.

const whole = (minimum: number, maximum: number, what: string) =>
  Integer.check(Schema.isBetween({ minimum, maximum }, { expected: `${what} from ${minimum} to ${maximum}` }))

const numberBetween = (minimum: number, maximum: number) =>
  Schema.Finite.check(Schema.isBetween({ minimum, maximum }, { expected: `a number from ${minimum} to ${maximum}` }))

const listOf = <Item extends Schema.Top>(item: Item, most: number) =>
  Schema.Array(item).check(Schema.isMaxLength(most, { expected: `a list of at most ${most}` }))

/** What a night costs: nobody sells one for nothing by a slip. */
const Price = Schema.Finite.check(
  Schema.isGreaterThan(0, { expected: "an amount above zero" }),
  Schema.isLessThanOrEqualTo(AMOUNT_MAX, { expected: `an amount of at most ${AMOUNT_MAX}` })
).annotate({ description: MAJOR_UNITS })

const Amount = Schema.Finite.check(
  Schema.isBetween({ minimum: 0, maximum: AMOUNT_MAX }, { expected: `an amount from 0 to ${AMOUNT_MAX}` })
).annotate({ description: MAJOR_UNITS })

const Days = whole(0, RULE_DAYS, "a number of days")
const Nights = whole(1, RULE_DAYS, "a number of nights")
const Hours = whole(0, RULE_HOURS, "a number of hours")
const Guests = whole(1, GUESTS_MAX, "a number of guests")

/** 24 is midnight, 25 and 26 are one and two o'clock of the next day. */
const HourOrFlexible = (first: number) =>
  Schema.Union([Schema.Literal("FLEXIBLE"), whole(first, 26, "a whole hour")]).annotate({
    expected: `a whole hour from ${first} to 26 or FLEXIBLE`
  })

/** `discount` is in percent; `days` are before the arrival, or of the stay. */
export const Discount = Schema.Struct({ discount: numberBetween(0, 100), days: Days })
export type Discount = typeof Discount.Type
export const Discounts = listOf(Discount, RULE_DISCOUNTS)

const PetFee = Schema.Struct({ amount: Amount, charge_type: Code, charge_period: Code })

/** 0 is Sunday, 6 is Saturday. */
const DaysOfWeek = listOf(whole(0, 6, "a day of the week"), 7)

/** Nights that certain days or seasons ask for: the channel's own fields, passed through. */
const Periods = listOf(
  Schema.Record(
    Schema.String,
    Schema.Union([textUpTo(RULE_PERIOD_TEXT), numberBetween(-AMOUNT_MAX, AMOUNT_MAX), Schema.Boolean, Schema.Null])
  ).check(
    Schema.isMaxProperties(RULE_PERIOD_FIELDS, { expected: `an object of at most ${RULE_PERIOD_FIELDS} fields` }),
    Schema.makeFilter((period) => Object.keys(period).every((name) => isUpTo(name, RULE_PERIOD_NAME)), {
      message: `must have names of at most ${RULE_PERIOD_NAME} characters`,
      toJsonSchema: () => ({ propertyNames: { maxLength: RULE_PERIOD_NAME } })
    })
  ),
  RULE_PERIODS
)

/** What is never null. */
const airbnbAlways = {
  listing_currency: Currency,
  base_price: Price,
  security_deposit: Amount,
  cleaning_fee: Amount,
  early_bird_discount: Discounts,
  last_minute_discount: Discounts,
  long_term_discount: Discounts,
  check_in_start_time: HourOrFlexible(8),
  check_in_end_time: HourOrFlexible(9),
  check_out_before: whole(0, 23, "a whole hour"),
  instant_booking: Schema.Boolean,
  /** Whom the base price is for. */
  max_guests: Guests,
  minimum_stay: Nights,
  maximum_stay: Nights,
  availability_window: Days,
  preparation_time: Days,
  /** The days that are allowed. */
  days_of_week_check_in: DaysOfWeek,
  days_of_week_check_out: DaysOfWeek,
  allow_rtb_above_max_nights: Schema.Boolean,
  /** One of what the listing may choose from. */
  cancellation_policy: Code,
  day_of_week_min_nights: Periods,
  seasonal_min_stay: Periods,
  new_listing_promotion: Schema.Boolean,
  high_rated_guest_discount: Schema.Boolean,
  mobile_only_discount: Schema.Boolean
}

/** What is null where it was never set; nothing takes it away again. */
const airbnbOnceSet = {
  /** Of Friday and Saturday. */
  weekend_price: Amount,
  extra_guest_fee: Amount,
  advance_notice: Hours
}

/** What null takes away. A `pet_fee` excludes a `pet_fee_obj`. */
const airbnbRemovable = {
  short_term_cleaning_fee: Schema.NullOr(Amount),
  pet_fee: Schema.NullOr(Amount),
  pet_fee_obj: Schema.NullOr(PetFee),
  long_term_cancellation_policy: Schema.NullOr(Schema.Union([whole(0, Number.MAX_SAFE_INTEGER, "an id"), Code])),
  /** In percent. */
  non_refundable_price_factor: Schema.NullOr(numberBetween(0, 100))
}

/** Every setting of an `airbnb` listing. */
export const AirbnbPriceAndRules = Schema.Struct({
  ...airbnbAlways,
  ...Struct.map(airbnbOnceSet, Schema.NullOr),
  ...airbnbRemovable
})
export type AirbnbPriceAndRules = typeof AirbnbPriceAndRules.Type

/** What may be written of them: a value, and null where that takes it away. */
export const airbnbWritable = { ...airbnbAlways, ...airbnbOnceSet, ...airbnbRemovable }

/** A time as the channel keeps it: the hour, or a text such as `16:00`. */
const HourOrText = Schema.Union([whole(0, 26, "a whole hour"), textUpTo(RULE_TIME)])

const NightlyRate = Schema.Struct({
  sunday: Price,
  monday: Price,
  tuesday: Price,
  wednesday: Price,
  thursday: Price,
  friday: Price,
  saturday: Price
})
export type NightlyRate = typeof NightlyRate.Type

/** What may be written of the settings of a `vrbo` listing; 0 takes a fee away. */
export const vrboWritable = {
  /** Of every day of the week; wins over `nightly_rate`. */
  base_price: Price,
  nightly_rate: NightlyRate,
  weekly_discount: numberBetween(0, 99),
  monthly_discount: numberBetween(0, 99),
  cleaning_fee: Amount,
  extra_guest_fee: Amount,
  security_deposit: Amount,
  /** The guests after whom the fee for one more is due. */
  extra_guest_number: whole(0, GUESTS_MAX, "a number of guests"),
  max_guests: Guests,
  minimum_stay: Nights,
  advance_notice: Hours,
  availability_window: Days,
  check_in_start_time: HourOrText,
  check_out_before: HourOrText,
  instant_booking: Schema.Boolean
}

/** Every setting of a `vrbo` listing. Null: it is not known, or there is none. */
export const VrboPriceAndRules = Schema.Struct(Struct.map(vrboWritable, Schema.NullOr))
export type VrboPriceAndRules = typeof VrboPriceAndRules.Type
