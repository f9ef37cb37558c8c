import { Context, type Effect } from "effect"
import type { OperatorScoped } from "../../operator-rows.ts"

export interface ListingToPrice extends OperatorScoped {
  readonly listingRow: number
  readonly needsStayLengths: boolean
}

/** Queues the current base prices of a listing again, after its channel did not take a push. Keeps direct prices. */
export class CurrentPricePushes extends Context.Service<
  CurrentPricePushes,
  { readonly queuePushes: (listing: ListingToPrice, now: Date) => Effect.Effect<void> }
>()("latchkey/domain/calendars/listing-calendars/CurrentPricePushes") {}
