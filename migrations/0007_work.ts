import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Staff and tasks.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The list of a person's properties is replaced as a whole and carries a version, as told in 0003_portfolio.
  yield* sql`
    CREATE TABLE staffs (
      operator_id bigint NOT NULL REFERENCES operators (id),
      id bigint GENERATED ALWAYS AS IDENTITY,
      name text NOT NULL,
      mobile text NOT NULL,
      email text NOT NULL DEFAULT '',
      note text NOT NULL DEFAULT '',
      is_active boolean NOT NULL DEFAULT true,
      properties_version bigint NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, id)
    )`

  yield* sql`
    CREATE TABLE staff_properties (
      operator_id bigint NOT NULL,
      staff_id bigint NOT NULL,
      version bigint NOT NULL,
      property_id bigint NOT NULL,
      PRIMARY KEY (operator_id, staff_id, version, property_id),
      FOREIGN KEY (operator_id, staff_id) REFERENCES staffs (operator_id, id) ON DELETE CASCADE,
      FOREIGN KEY (operator_id, property_id) REFERENCES properties (operator_id, id) ON DELETE CASCADE
    )`
  yield* sql`CREATE INDEX staff_properties_property ON staff_properties (operator_id, property_id)`

  // The date and the time are the merchant's wall clock, not an instant: they stay what they are when the zone changes.
  yield* sql`
    CREATE TABLE tasks (
      operator_id bigint NOT NULL REFERENCES operators (id),
      id bigint GENERATED ALWAYS AS IDENTITY,
      type text NOT NULL CHECK (type IN ('cleaning', 'maintenance', 'reception', 'room_service', 'other')),
      status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'in_progress', 'completed', 'cancelled')),
      level text NOT NULL DEFAULT 'standard' CHECK (level IN ('standard', 'simple', 'advanced')),
      property_id bigint,
      staff_id bigint,
      stay_id bigint,
      expected_date date,
      expected_time time(0),
      currency text NOT NULL,
      fee numeric(18, 4) NOT NULL DEFAULT 0 CHECK (fee >= 0),
      note text NOT NULL DEFAULT '',
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, id),
      FOREIGN KEY (operator_id, property_id) REFERENCES properties (operator_id, id) ON DELETE SET NULL (property_id),
      FOREIGN KEY (operator_id, staff_id) REFERENCES staffs (operator_id, id) ON DELETE SET NULL (staff_id),
      FOREIGN KEY (operator_id, stay_id) REFERENCES stays (operator_id, id) ON DELETE SET NULL (stay_id)
    )`
  yield* sql`CREATE INDEX tasks_expected ON tasks (operator_id, expected_date DESC, id DESC)`
  yield* sql`CREATE INDEX tasks_property ON tasks (operator_id, property_id) WHERE property_id IS NOT NULL`
  yield* sql`CREATE INDEX tasks_staff ON tasks (operator_id, staff_id) WHERE staff_id IS NOT NULL`
  yield* sql`CREATE INDEX tasks_stay ON tasks (operator_id, stay_id) WHERE stay_id IS NOT NULL`
})
