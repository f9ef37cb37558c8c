import { Layer } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { Listings } from "../../listings/Listings.ts"
import { MappingPricePushes } from "../../listings/MappingPricePushes.ts"
import { queueCurrentPricesSql } from "./current-prices.ts"

/**
 * Returns CTEs that queue the base prices of a listing whose mapping, ratio or `readonly` changed.
 *
 * A new mapping replaces direct prices, because the listing now follows other base prices. A new ratio keeps direct
 * prices. A listing that was read-only missed every change, so it also gets the stay lengths.
 */
const queuePushesSql = (sql: SqlClient, now: Date): Fragment => sql`
  changed_listing AS MATERIALIZED (
    SELECT compared.*, compared.has_new_target OR compared.was_readonly AS needs_stay_lengths
    FROM (
      SELECT after.*,
        (after.property_id, after.room_type_id) IS DISTINCT FROM (before.property_id, before.room_type_id) AS has_new_target,
        before.ratio_readonly AS was_readonly
      FROM after JOIN before ON before.operator_id = after.operator_id AND before.id = after.id
      WHERE after.shelf_status <> 'deleted' AND NOT after.ratio_readonly
        AND (after.property_id, after.room_type_id, after.ratio, after.ratio_readonly)
          IS DISTINCT FROM (before.property_id, before.room_type_id, before.ratio, before.ratio_readonly)
    ) compared
  ), ${queueCurrentPricesSql(sql, now)}`

export const layerMappingPricePushes = Layer.succeed(MappingPricePushes, { queuePushesSql })

/** `Listings` that push base prices when a mapping or ratio changes. */
export const layerListingsWithPrices = Layer.provide(Listings.layer, layerMappingPricePushes)
