import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { makeSingleRowReader } from "./rows.ts"

const readId = makeSingleRowReader(Schema.Struct({ id: Schema.Int }))

export const reserveId = (sql: SqlClient, table: string): Effect.Effect<number> =>
  Effect.map(readId(sql`SELECT nextval(pg_get_serial_sequence(${table}, 'id')) AS id`), ({ id }) => id)
