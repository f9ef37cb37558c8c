import type { SkipReason } from "../../../../domain/calendars/base-prices/contract.ts"
import { pluralize } from "../page-parts.ts"

/** Why a listing gets no base prices. */
export const SKIP_TEXTS: Readonly<Record<SkipReason, string>> = {
  readonly: "prices are set on the channel",
  currency: "it has another currency",
  no_mapping: "it has another mapping or none",
  disconnected: "its channel account is disconnected",
  unsupported: "its channel does not take these values from here"
}

export const formatPushCount = (listings: number): string => {
  if (listings === 0) return "No listing is affected."
  return `${pluralize(listings, "listing")} ${listings === 1 ? "gets" : "get"} the changes within a minute.`
}
