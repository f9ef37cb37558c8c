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

// Contract facts 6.5 and 6.6.

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

export const Discount = Schema.Struct({
  discount: numberBetween(0, 100).annotateKey({ documentation: "Discount in percent." }),
  days: DayCount.annotateKey({
    documentation:
      "Days before arrival for `early_bird_discount` and `last_minute_discount`. Length of the stay for `long_term_discount`."
  })
})
export type Discount = typeof Discount.Type
export const Discounts = arrayUpTo(Discount, RULE_DISCOUNTS_MAX)

const PetFee = Schema.Struct({
  amount: Amount.annotateKey({ documentation: "Amount of the fee, in major units." }),
  charge_type: RecordCode.annotateKey({ documentation: "How the fee is charged, in airbnb's own words." }),
  charge_period: RecordCode.annotateKey({ documentation: "How often the fee is charged, in airbnb's own words." })
})

/** 0 is Sunday, 6 is Saturday. */
const DaysOfWeek = arrayUpTo(integerBetween(0, 6, "a day of the week"), 7)

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

const settingOf = <Setting extends Schema.Top>(setting: Setting, documentation: string) =>
  setting.annotateKey({ documentation })

const airbnbNonNullSettings = {
  listing_currency: settingOf(Currency, "ISO 4217 code of all amounts of the listing."),
  base_price: settingOf(Price, "Price of a night in major units, above 0."),
  security_deposit: settingOf(Amount, "Security deposit in major units."),
  cleaning_fee: settingOf(Amount, "Cleaning fee in major units."),
  early_bird_discount: settingOf(Discounts, "Discounts for booking early. An empty list removes them."),
  last_minute_discount: settingOf(Discounts, "Discounts for booking late. An empty list removes them."),
  long_term_discount: settingOf(Discounts, "Discounts for long stays. An empty list removes them."),
  check_in_start_time: settingOf(
    HourOrFlexible(8),
    "Hour from which guests can check in. 25 and 26 are one and two o'clock of the next day. `FLEXIBLE`: no fixed hour."
  ),
  check_in_end_time: settingOf(
    HourOrFlexible(9),
    "Hour until which guests can check in. 25 and 26 are one and two o'clock of the next day. `FLEXIBLE`: no fixed hour."
  ),
  check_out_before: settingOf(integerBetween(0, 23, "a whole hour"), "Hour by which guests must check out."),
  instant_booking: settingOf(Schema.Boolean, "True if guests can book without the host's approval."),
  max_guests: settingOf(GuestCount, "Number of guests that the base price includes."),
  minimum_stay: settingOf(NightCount, "Fewest nights of a stay."),
  maximum_stay: settingOf(NightCount, "Most nights of a stay. It must not be below `minimum_stay` of the same call."),
  availability_window: settingOf(DayCount, "Number of days ahead of today that guests can book."),
  preparation_time: settingOf(DayCount, "Days kept free between two stays."),
  days_of_week_check_in: settingOf(
    DaysOfWeek,
    "Days of the week on which guests may check in: 0 is Sunday, 6 Saturday."
  ),
  days_of_week_check_out: settingOf(
    DaysOfWeek,
    "Days of the week on which guests may check out: 0 is Sunday, 6 Saturday."
  ),
  allow_rtb_above_max_nights: settingOf(
    Schema.Boolean,
    "True if guests may send a booking request for more nights than `maximum_stay`."
  ),
  cancellation_policy: settingOf(
    RecordCode,
    "One of the listing's `eligible_cancellation_policies`. The channel refuses another one (422)."
  ),
  day_of_week_min_nights: settingOf(
    StayPeriods,
    "Fewest nights by day of the week, in airbnb's own fields. At most 400 objects of 20 fields, passed through."
  ),
  seasonal_min_stay: settingOf(
    StayPeriods,
    "Fewest nights by season, in airbnb's own fields. At most 400 objects of 20 fields, passed through."
  ),
  new_listing_promotion: settingOf(Schema.Boolean, "True if airbnb's promotion for new listings is on."),
  high_rated_guest_discount: settingOf(Schema.Boolean, "True if guests with high ratings get a discount."),
  mobile_only_discount: settingOf(Schema.Boolean, "True if guests who book on a mobile device get a discount.")
}

/** These settings are null until they are first set, and cannot be removed. */
const airbnbInitiallyNullSettings = {
  weekend_price: settingOf(Amount, "Price of Friday and Saturday nights in major units. null until it is first set."),
  extra_guest_fee: settingOf(
    Amount,
    "Fee for each guest above `max_guests`, in major units. null until it is first set."
  ),
  advance_notice: settingOf(HourCount, "Fewest hours between booking and arrival. null until it is first set.")
}

const airbnbRemovableSettings = {
  short_term_cleaning_fee: settingOf(
    Schema.NullOr(Amount),
    "Cleaning fee of short stays in major units. null: no such fee."
  ),
  pet_fee: settingOf(
    Schema.NullOr(Amount),
    "Fee for pets in major units. null: no such fee, or `pet_fee_obj` is set. Setting one of the two removes the other; sending both returns 400."
  ),
  pet_fee_obj: settingOf(
    Schema.NullOr(PetFee),
    "Fee for pets with the way it is charged. null: no such fee, or `pet_fee` is set."
  ),
  long_term_cancellation_policy: settingOf(
    Schema.NullOr(Schema.Union([integerBetween(0, Number.MAX_SAFE_INTEGER, "an id"), RecordCode])),
    "The channel's id of the cancellation policy for long stays. null: none."
  ),
  non_refundable_price_factor: settingOf(
    Schema.NullOr(numberBetween(0, 100)),
    "Discount of the non-refundable price, in percent. null: none."
  )
}

interface nullOrKeepingMeaning extends Struct.Lambda {
  <Setting extends Schema.Top>(setting: Setting): Schema.NullOr<Setting>
  readonly "~lambda.out": this["~lambda.in"] extends Schema.Top ? Schema.NullOr<this["~lambda.in"]> : never
}

const nullOrKeepingMeaning = Struct.lambda<nullOrKeepingMeaning>((setting) =>
  Schema.NullOr(setting).annotateKey({ documentation: Schema.resolveAnnotationsKey(setting)?.documentation })
)

export const AirbnbPriceAndRules = Schema.Struct({
  ...airbnbNonNullSettings,
  ...Struct.map(airbnbInitiallyNullSettings, nullOrKeepingMeaning),
  ...airbnbRemovableSettings
})
export type AirbnbPriceAndRules = typeof AirbnbPriceAndRules.Type

export const airbnbWritableSettings = {
  ...airbnbNonNullSettings,
  ...airbnbInitiallyNullSettings,
  ...airbnbRemovableSettings
}

const HourOrText = Schema.Union([integerBetween(0, 26, "a whole hour"), textUpTo(RULE_TIME_LENGTH)])

const NightlyRate = Schema.Struct({
  sunday: settingOf(Price, "Price of Sunday nights in major units."),
  monday: settingOf(Price, "Price of Monday nights in major units."),
  tuesday: settingOf(Price, "Price of Tuesday nights in major units."),
  wednesday: settingOf(Price, "Price of Wednesday nights in major units."),
  thursday: settingOf(Price, "Price of Thursday nights in major units."),
  friday: settingOf(Price, "Price of Friday nights in major units."),
  saturday: settingOf(Price, "Price of Saturday nights in major units.")
})
export type NightlyRate = typeof NightlyRate.Type

export const vrboWritableSettings = {
  base_price: settingOf(
    Price,
    "Price of every night in major units. It wins over `nightly_rate`. null if the days of the week differ."
  ),
  nightly_rate: settingOf(
    NightlyRate,
    "Price of a night by day of the week. An update needs all seven days and ignores them beside `base_price`. The read shows it whenever a price is known."
  ),
  weekly_discount: settingOf(numberBetween(0, 99), "Discount for weekly stays, in percent."),
  monthly_discount: settingOf(numberBetween(0, 99), "Discount for monthly stays, in percent."),
  cleaning_fee: settingOf(Amount, "Cleaning fee in major units. 0 removes it, and it is then shown as null."),
  extra_guest_fee: settingOf(
    Amount,
    "Fee for each guest above `extra_guest_number`, in major units. 0 removes it, and it is then shown as null."
  ),
  security_deposit: settingOf(Amount, "Security deposit in major units. 0 removes it, and it is then shown as null."),
  extra_guest_number: settingOf(
    integerBetween(0, GUESTS_MAX, "a number of guests"),
    "Number of guests above which `extra_guest_fee` applies."
  ),
  max_guests: settingOf(GuestCount, "Most guests of a stay."),
  minimum_stay: settingOf(NightCount, "Fewest nights of a stay."),
  advance_notice: settingOf(HourCount, "Fewest hours between booking and arrival."),
  availability_window: settingOf(DayCount, "Number of days ahead of today that guests can book."),
  check_in_start_time: settingOf(
    HourOrText,
    "Time from which guests can check in: a whole hour, or a text such as `16:00`."
  ),
  check_out_before: settingOf(
    HourOrText,
    "Time by which guests must check out: a whole hour, or a text such as `11:00`."
  ),
  instant_booking: settingOf(Schema.Boolean, "True if guests can book without the host's approval.")
}

/** A null setting is unknown or not set. */
export const VrboPriceAndRules = Schema.Struct(Struct.map(vrboWritableSettings, nullOrKeepingMeaning))
export type VrboPriceAndRules = typeof VrboPriceAndRules.Type
