import type { OpenAsked } from "./asked.ts"
import { DIFFERENCES } from "./channels.ts"
import type { Listing } from "./rows.ts"
import { firstSettings } from "./settings.ts"

const USUAL_PRICE = 100

/** A listing as it begins: what is not asked for is as its channel has it. */
export const newListing = (asked: OpenAsked, listingId: string, operatorCurrency: string): Listing => {
  const { commission, tax, instant } = DIFFERENCES[asked.channel_type]
  const currency = asked.currency ?? operatorCurrency
  const sold = asked.instant ?? instant
  return {
    listing_id: listingId,
    title: asked.title?.trim() ?? `Sandbox ${asked.channel_type}`,
    currency,
    rooms: asked.rooms ?? 1,
    instant: sold,
    commission: asked.commission ?? commission,
    tax: asked.tax ?? tax,
    settings: firstSettings(
      asked.channel_type,
      currency,
      { base: asked.base_price ?? USUAL_PRICE, cleaning: asked.cleaning_fee ?? 0 },
      sold
    ),
    version: 1,
    revision: 0
  }
}
