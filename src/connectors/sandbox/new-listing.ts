import { CHANNEL_PROFILES } from "./channel-profiles.ts"
import { createDefaultSettings } from "./listing-settings.ts"
import type { SandboxListingRequest } from "./marketplace-requests.ts"
import type { SandboxListing } from "./rows.ts"

const DEFAULT_PRICE = 100

export const createListing = (
  request: SandboxListingRequest,
  listingId: string,
  operatorCurrency: string
): SandboxListing => {
  const { commission, tax, instant } = CHANNEL_PROFILES[request.channel_type]
  const currency = request.currency ?? operatorCurrency
  const isInstant = request.instant ?? instant
  return {
    listing_id: listingId,
    title: request.title?.trim() ?? `Sandbox ${request.channel_type}`,
    currency,
    rooms: request.rooms ?? 1,
    instant: isInstant,
    commission: request.commission ?? commission,
    tax: request.tax ?? tax,
    settings: createDefaultSettings(
      request.channel_type,
      currency,
      { base: request.base_price ?? DEFAULT_PRICE, cleaning: request.cleaning_fee ?? 0 },
      isInstant
    ),
    version: 1,
    revision: 0
  }
}
