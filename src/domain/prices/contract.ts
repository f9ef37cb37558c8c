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

// Specification, "Availability, listings and prices"; contract facts 6.5 and 6.6.

const operation = defineFamily({ category: "calendar", since: "3.7.0", openWorld: true })

const exposure = {
  notATool: "the specification has no tool for the prices of a whole listing; the host's own programs set them"
}

const rateLimits = { "1m": 120 }

const EligiblePolicies = Schema.Array(RecordCode)
  .check(Schema.isMaxLength(ELIGIBLE_POLICIES_MAX))
  .annotateKey({ documentation: "Values that `cancellation_policy` may have. An update ignores this field." })

const listingIdOn = (channel: string) =>
  RecordCode.annotateKey({
    documentation: `The channel's own id of the ${channel} listing, from search_listings. Another channel's id returns 404.`
  })

export const AirbnbPriceAndRulesResult = Schema.Struct({
  ...AirbnbPriceAndRules.fields,
  eligible_cancellation_policies: EligiblePolicies
})

const oneOrMoreDiscounts = (documentation: string) =>
  Schema.Union([Discount, Discounts]).annotateKey({
    documentation: `${documentation} One object stands for a list of one; an empty list removes them.`
  })

const AirbnbSettings = Schema.Struct(
  Struct.map(
    {
      ...airbnbWritableSettings,
      early_bird_discount: oneOrMoreDiscounts("Discounts for booking early."),
      last_minute_discount: oneOrMoreDiscounts("Discounts for booking late."),
      long_term_discount: oneOrMoreDiscounts("Discounts for long stays.")
    },
    Schema.optionalKey
  )
)
export type AirbnbSettings = typeof AirbnbSettings.Type

const VrboSettings = Schema.Struct(Struct.map(vrboWritableSettings, Schema.optionalKey))
export type VrboSettings = typeof VrboSettings.Type

const CHANNEL_ERRORS_TEXT =
  "It takes 30 seconds at most; after that it returns 504. A disconnected account returns 400. A failed or unavailable channel returns 502 or 503. 501: this installation does not reach the channel."

const WRITE_ERRORS_TEXT = `The call returns once the channel has accepted the settings. ${CHANNEL_ERRORS_TEXT} If the channel refuses a setting by name, the call returns 422 with that name; any other refusal returns 409. After 504 it is unknown whether the settings changed; sending them again is safe.`

export const get_airbnb_price_and_rules = operation("get_airbnb_price_and_rules", {
  route: "GET /listings/airbnb/price_and_rules",
  limits: rateLimits,
  summary: "Read the prices and booking rules of an airbnb listing from the channel",
  details: `The call reads from airbnb now. ${CHANNEL_ERRORS_TEXT} A refusal returns 409, and an unreadable answer 502.

The whole result can be sent back as \`settings\` of update_airbnb_price_and_rules, which changes nothing.`,
  payload: { listing_id: listingIdOn("airbnb") },
  success: AirbnbPriceAndRulesResult,
  errors: [...channelErrors, ServerError],
  exposure
})

export const update_airbnb_price_and_rules = operation("update_airbnb_price_and_rules", {
  route: "POST /listings/airbnb/price_and_rules",
  limits: rateLimits,
  summary: "Change the prices and booking rules of an airbnb listing on the channel",
  details: `Settings that are not sent stay unchanged. null removes \`short_term_cleaning_fee\`, \`pet_fee\`, \`pet_fee_obj\`, \`long_term_cancellation_policy\` and \`non_refundable_price_factor\`. In every other setting null counts as not sent. A call without a setting succeeds and sends nothing.

${WRITE_ERRORS_TEXT}

A repeat under an idempotency key sends the settings once. After a failed call it sends them again.`,
  payload: {
    listing_id: listingIdOn("airbnb"),
    settings: AirbnbSettings.annotateKey({ documentation: "Settings to change." })
  },
  success: Schema.Struct({}),
  errors: channelErrors,
  exposure
})

export const get_vrbo_price_and_rules = operation("get_vrbo_price_and_rules", {
  route: "GET /listings/vrbo/price_and_rules",
  summary: "Read the recorded prices and booking rules of a vrbo listing",
  details: `The call returns the settings as last recorded here and does not ask vrbo. An unknown setting is null. Amounts are in the listing's currency, which search_properties shows in \`channels[].currency\`.

The whole result can be sent back as \`settings\` of update_vrbo_price_and_rules, which changes nothing.`,
  payload: { listing_id: listingIdOn("vrbo") },
  success: VrboPriceAndRules,
  errors: [NotFound],
  exposure
})

export const update_vrbo_price_and_rules = operation("update_vrbo_price_and_rules", {
  route: "POST /listings/vrbo/price_and_rules",
  limits: rateLimits,
  summary: "Change the prices and booking rules of a vrbo listing on the channel",
  details: `Settings that are not sent stay unchanged. null counts as not sent. The settings are recorded here once vrbo has accepted them. A call without a setting succeeds and sends nothing.

${WRITE_ERRORS_TEXT}

A repeat under an idempotency key sends the settings once. After a failed call it sends them again.`,
  payload: {
    listing_id: listingIdOn("vrbo"),
    settings: VrboSettings.annotateKey({ documentation: "Settings to change." })
  },
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
