import type { SqlClient } from "effect/sql/SqlClient"

/** The operator of a database that has just been made. */
export const insertOperator = (sql: SqlClient) =>
  sql`INSERT INTO operators (name, time_zone, currency, created_at) VALUES ('Test', 'UTC', 'EUR', now())`

/** Enters an order and its stays as releases did that counted no stays, for the only operator there is. */
export const insertOrderWithoutStayCount = (sql: SqlClient, code: string, rooms: number) => sql`
  WITH entered AS (
    INSERT INTO orders (operator_id, reservation_code, channel_type, channel_id, status, currency, booked_at, created_at)
    SELECT id, ${code}, 'airbnb', ${code}, 'wait_accept', 'EUR', now(), now() FROM operators RETURNING operator_id, id
  )
  INSERT INTO stays (operator_id, order_id, stay_code, check_in_date, check_out_date)
  SELECT operator_id, id, ${code} || '_' || room, '2027-05-01', '2027-05-04'
  FROM entered, generate_series(1, ${rooms}::int) room`
