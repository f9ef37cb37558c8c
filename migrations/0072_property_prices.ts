import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Currency, capacity, fees and taxes of a property, and base prices by day of a property or room type.
//
// This migration runs outside a transaction (`nonTransactional`), so that each statement locks only one existing table and only for a
// short time. Each statement can be repeated after a failure.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A null currency means the currency of the operator. A null capacity means no limit.
  yield* sql`
    ALTER TABLE properties
      ADD COLUMN IF NOT EXISTS currency text,
      ADD COLUMN IF NOT EXISTS capacity integer,
      ADD COLUMN IF NOT EXISTS fees jsonb NOT NULL DEFAULT '[]',
      ADD COLUMN IF NOT EXISTS taxes jsonb NOT NULL DEFAULT '[]'`

  // One row per day and owner, which is either a property or a room type. Prices are whole numbers in major units.
  // A day without any value has no row.
  yield* sql`
    CREATE TABLE IF NOT EXISTS base_prices (
      operator_id bigint NOT NULL,
      property_id bigint,
      room_type_id bigint,
      date date NOT NULL,
      price bigint CHECK (price >= 1),
      minimum_stay integer CHECK (minimum_stay >= 1),
      maximum_stay integer CHECK (maximum_stay >= 1),
      CHECK (num_nonnulls(property_id, room_type_id) = 1),
      CHECK (num_nonnulls(price, minimum_stay, maximum_stay) >= 1)
    )`
  yield* sql`
    ALTER TABLE base_prices
      DROP CONSTRAINT IF EXISTS base_prices_property,
      ADD CONSTRAINT base_prices_property
        FOREIGN KEY (operator_id, property_id) REFERENCES properties (operator_id, id) ON DELETE CASCADE`
  yield* sql`
    ALTER TABLE base_prices
      DROP CONSTRAINT IF EXISTS base_prices_room_type,
      ADD CONSTRAINT base_prices_room_type
        FOREIGN KEY (operator_id, room_type_id) REFERENCES room_types (operator_id, id) ON DELETE CASCADE`
  yield* sql`
    CREATE UNIQUE INDEX IF NOT EXISTS base_prices_property_day ON base_prices (operator_id, property_id, date)
    WHERE property_id IS NOT NULL`
  yield* sql`
    CREATE UNIQUE INDEX IF NOT EXISTS base_prices_room_type_day ON base_prices (operator_id, room_type_id, date)
    WHERE room_type_id IS NOT NULL`
  // For retention.
  yield* sql`CREATE INDEX IF NOT EXISTS base_prices_day ON base_prices (date)`
})
