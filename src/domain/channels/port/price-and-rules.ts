import { Schema, Struct } from "effect"
import {
  Currency,
  hasAtMostCharacters,
  Integer,
  MAJOR_UNITS_DESCRIPTION,
  RecordCode,
  textUpTo
} from "../../../contract/fields.ts"
import {
  AMOUNT_MAX,
  GUESTS_MAX,
  LISTING_RULE_DAYS,
  LISTING_RULE_HOURS,
  RULE_DISCOUNTS_MAX,
  RULE_PERIOD_FIELDS_MAX,
  RULE_PERIOD_NAME_LENGTH,
  RULE_PERIOD_TEXT_LENGTH,
  RULE_PERIODS_MAX,
  RULE_TIME_LENGTH
} from "../../../platform/limits.ts"

// Contract facts 6.5 and 6.6. Reads and writes share one schema per setting.

const integerBetween = (minimum: number, maximum: number, noun: string) =>
  Integer.check(Schema.isBetween({ minimum, maximum }, { expected: `${noun} from ${minimum} to ${maximum}` }))

const numberBetween = (minimum: number, maximum: number) =>
  Schema.Finite.check(Schema.isBetween({ minimum, maximum }, { expected: `a number from ${minimum} to ${maximum}` }))

const arrayUpTo = <Item extends Schema.Top>(item: Item, maxItems: number) =>
  Schema.Array(item).check(Schema.isMaxLength(maxItems, { expected: `a list of at most ${maxItems}` }))

/** Zero is rejected to prevent free nights by mistake. */
const Price = Schema.Finite.check(
  Schema.isGreaterThan(0, { expected: "an amount above zero" }),
  Schema.isLessThanOrEqualTo(AMOUNT_MAX, { expected: `an amount of at most ${AMOUNT_MAX}` })
).annotate({ description: MAJOR_UNITS_DESCRIPTION })

const Amount = Schema.Finite.check(
  Schema.isBetween({ minimum: 0, maximum: AMOUNT_MAX }, { expected: `an amount from 0 to ${AMOUNT_MAX}` })
).annotate({ description: MAJOR_UNITS_DESCRIPTION })

const DayCount = integerBetween(0, LISTING_RULE_DAYS, "a number of days")
const NightCount = integerBetween(1, LISTING_RULE_DAYS, "a number of nights")
const HourCount = integerBetween(0, LISTING_RULE_HOURS, "a number of hours")
const GuestCount = integerBetween(1, GUESTS_MAX, "a number of guests")

/** 24 is midnight; 25 and 26 are one and two o'clock of the next day. */
const HourOrFlexible = (earliestHour: number) =>
  Schema.Union([Schema.Literal("FLEXIBLE"), integerBetween(earliestHour, 26, "a whole hour")]).annotate({
    expected: `a whole hour from ${earliestHour} to 26 or FLEXIBLE`
  })

/** Percent. `days` are days before arrival, or the length of the stay. */
export const Discount = Schema.Struct({ discount: numberBetween(0, 100), days: DayCount })
export type Discount = typeof Discount.Type
export const Discounts = arrayUpTo(Discount, RULE_DISCOUNTS_MAX)

const PetFee = Schema.Struct({ amount: Amount, charge_type: RecordCode, charge_period: RecordCode })

/** 0 is Sunday, 6 is Saturday. */
const DaysOfWeek = arrayUpTo(integerBetween(0, 6, "a day of the week"), 7)

/** Minimum nights by day or season, passed through. */
const StayPeriods = arrayUpTo(
  Schema.Record(
    Schema.String,
    Schema.Union([
      textUpTo(RULE_PERIOD_TEXT_LENGTH),
      numberBetween(-AMOUNT_MAX, AMOUNT_MAX),
      Schema.Boolean,
      Schema.Null
    ])
  ).check(
    Schema.isMaxProperties(RULE_PERIOD_FIELDS_MAX, {
      expected: `an object of at most ${RULE_PERIOD_FIELDS_MAX} fields`
    }),
    Schema.makeFilter(
      (period) => Object.keys(period).every((name) => hasAtMostCharacters(name, RULE_PERIOD_NAME_LENGTH)),
      {
        message: `must have names of at most ${RULE_PERIOD_NAME_LENGTH} characters`,
        toJsonSchema: () => ({ propertyNames: { maxLength: RULE_PERIOD_NAME_LENGTH } })
      }
    )
  ),
  RULE_PERIODS_MAX
)

const airbnbNonNullSettings = {
  listing_currency: Currency,
  base_price: Price,
  security_deposit: Amount,
  cleaning_fee: Amount,
  early_bird_discount: Discounts,
  last_minute_discount: Discounts,
  long_term_discount: Discounts,
  check_in_start_time: HourOrFlexible(8),
  check_in_end_time: HourOrFlexible(9),
  check_out_before: integerBetween(0, 23, "a whole hour"),
  instant_booking: Schema.Boolean,
  /** Guests included in the base price. */
  max_guests: GuestCount,
  minimum_stay: NightCount,
  maximum_stay: NightCount,
  availability_window: DayCount,
  preparation_time: DayCount,
  /** Allowed days. */
  days_of_week_check_in: DaysOfWeek,
  days_of_week_check_out: DaysOfWeek,
  allow_rtb_above_max_nights: Schema.Boolean,
  /** One of the listing's `eligible_cancellation_policies`. */
  cancellation_policy: RecordCode,
  day_of_week_min_nights: StayPeriods,
  seasonal_min_stay: StayPeriods,
  new_listing_promotion: Schema.Boolean,
  high_rated_guest_discount: Schema.Boolean,
  mobile_only_discount: Schema.Boolean
}

/** Null until first set, and not removable. */
const airbnbInitiallyNullSettings = {
  /** Friday and Saturday nights. */
  weekend_price: Amount,
  extra_guest_fee: Amount,
  advance_notice: HourCount
}

/** Null removes the value. `pet_fee` and `pet_fee_obj` exclude each other. */
const airbnbRemovableSettings = {
  short_term_cleaning_fee: Schema.NullOr(Amount),
  pet_fee: Schema.NullOr(Amount),
  pet_fee_obj: Schema.NullOr(PetFee),
  long_term_cancellation_policy: Schema.NullOr(
    Schema.Union([integerBetween(0, Number.MAX_SAFE_INTEGER, "an id"), RecordCode])
  ),
  /** In percent. */
  non_refundable_price_factor: Schema.NullOr(numberBetween(0, 100))
}

export const AirbnbPriceAndRules = Schema.Struct({
  ...airbnbNonNullSettings,
  ...Struct.map(airbnbInitiallyNullSettings, Schema.NullOr),
  ...airbnbRemovableSettings
})
export type AirbnbPriceAndRules = typeof AirbnbPriceAndRules.Type

export const airbnbWritableSettings = {
  ...airbnbNonNullSettings,
  ...airbnbInitiallyNullSettings,
  ...airbnbRemovableSettings
}

/** The hour, or a text such as `16:00`. */
const HourOrText = Schema.Union([integerBetween(0, 26, "a whole hour"), textUpTo(RULE_TIME_LENGTH)])

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

/** A fee of 0 removes the fee. */
export const vrboWritableSettings = {
  /** Takes precedence over `nightly_rate`. */
  base_price: Price,
  nightly_rate: NightlyRate,
  weekly_discount: numberBetween(0, 99),
  monthly_discount: numberBetween(0, 99),
  cleaning_fee: Amount,
  extra_guest_fee: Amount,
  security_deposit: Amount,
  /** Number of guests from which `extra_guest_fee` applies to each further guest. */
  extra_guest_number: integerBetween(0, GUESTS_MAX, "a number of guests"),
  max_guests: GuestCount,
  minimum_stay: NightCount,
  advance_notice: HourCount,
  availability_window: DayCount,
  check_in_start_time: HourOrText,
  check_out_before: HourOrText,
  instant_booking: Schema.Boolean
}

/** Null: unknown or not set. */
export const VrboPriceAndRules = Schema.Struct(Struct.map(vrboWritableSettings, Schema.NullOr))
export type VrboPriceAndRules = typeof VrboPriceAndRules.Type
