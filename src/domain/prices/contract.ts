import { Schema, Struct } from "effect"
import { NotFound, ServerError } from "../../contract/errors.ts"
import { RecordCode } from "../../contract/fields.ts"
import { defineFamily } from "../../contract/operation.ts"
import { ELIGIBLE_POLICIES_MAX } from "../../platform/limits.ts"
import { channelErrors } from "../channels/port/channel-api-errors.ts"
import {
  AirbnbPriceAndRules,
  airbnbWritableSettings,
  Discount,
  Discounts,
  VrboPriceAndRules,
  vrboWritableSettings
} from "../channels/port/price-and-rules.ts"

// What a listing costs and who may book it, at the two channels that let it be set (specification, "Availability, listings
// and prices"; contract facts 6.5 and 6.6).

const operation = defineFamily({ category: "calendar", since: "3.7.0", openWorld: true })

const exposure = {
  notATool: "the specification has no tool for the prices of a whole listing; the host's own programs set them"
}

/** Layer 2 has such a row for the live read and for what is sent to a listing. */
const rateLimits = { "1m": 120 }

/** What `cancellation_policy` may be. */
const EligiblePolicies = Schema.Array(RecordCode).check(Schema.isMaxLength(ELIGIBLE_POLICIES_MAX))

export const AirbnbPriceAndRulesResult = Schema.Struct({
  ...AirbnbPriceAndRules.fields,
  eligible_cancellation_policies: EligiblePolicies
})

/** One discount stands for a list of it. */
const OneOrMoreDiscounts = Schema.Union([Discount, Discounts])

/** What is not sent stays. What never is null takes null for "not sent". */
const AirbnbSettings = Schema.Struct(
  Struct.map(
    {
      ...airbnbWritableSettings,
      early_bird_discount: OneOrMoreDiscounts,
      last_minute_discount: OneOrMoreDiscounts,
      long_term_discount: OneOrMoreDiscounts
    },
    Schema.optionalKey
  )
)
export type AirbnbSettings = typeof AirbnbSettings.Type

const VrboSettings = Schema.Struct(Struct.map(vrboWritableSettings, Schema.optionalKey))
export type VrboSettings = typeof VrboSettings.Type

export const get_airbnb_price_and_rules = operation("get_airbnb_price_and_rules", {
  route: "GET /listings/airbnb/price_and_rules",
  limits: rateLimits,
  summary: "Read what an airbnb listing costs and who may book it, as it is there now",
  payload: { listing_id: RecordCode },
  success: AirbnbPriceAndRulesResult,
  errors: [...channelErrors, ServerError],
  exposure
})

export const update_airbnb_price_and_rules = operation("update_airbnb_price_and_rules", {
  route: "POST /listings/airbnb/price_and_rules",
  limits: rateLimits,
  summary: "Change what an airbnb listing costs and who may book it, there at once",
  payload: { listing_id: RecordCode, settings: AirbnbSettings },
  success: Schema.Struct({}),
  errors: channelErrors,
  exposure
})

export const get_vrbo_price_and_rules = operation("get_vrbo_price_and_rules", {
  route: "GET /listings/vrbo/price_and_rules",
  summary: "Read what a vrbo listing costs and who may book it, as recorded here",
  payload: { listing_id: RecordCode },
  success: VrboPriceAndRules,
  errors: [NotFound],
  exposure
})

export const update_vrbo_price_and_rules = operation("update_vrbo_price_and_rules", {
  route: "POST /listings/vrbo/price_and_rules",
  limits: rateLimits,
  summary: "Change what a vrbo listing costs and who may book it, there at once",
  payload: { listing_id: RecordCode, settings: VrboSettings },
  success: Schema.Struct({}),
  errors: channelErrors,
  exposure
})

export const PriceAndRulesOperations = {
  get_airbnb_price_and_rules,
  update_airbnb_price_and_rules,
  get_vrbo_price_and_rules,
  update_vrbo_price_and_rules
}
