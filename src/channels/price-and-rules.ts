import { Schema } from "effect"

// What a listing costs and who may book it, as two channels keep it (contract facts 6.5 and 6.6).

/** Every setting of an `airbnb` listing. */
export const AirbnbPriceAndRules = Schema.Record(Schema.String, Schema.Json)
export type AirbnbPriceAndRules = typeof AirbnbPriceAndRules.Type

/** Every setting of a `vrbo` listing. */
export const VrboPriceAndRules = Schema.Record(Schema.String, Schema.Json)
export type VrboPriceAndRules = typeof VrboPriceAndRules.Type
