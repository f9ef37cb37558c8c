import { Array as Arrays, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { nameKeyOf } from "../contract/names.ts"
import { RETENTION_INTERVAL_MS } from "../jobs/retention.ts"
import { repeatPeriodically } from "../jobs/WorkSchedule.ts"
import { jsonParameter } from "../platform/database/parameters.ts"

// Fills missing comparison keys (`nameKeyOf`) in rows older than migration 0069 or written by the previous release. If
// an older row has the same key, the newer row gets none and its exact name is compared.

export const NAME_KEY_BATCH_SIZE = 500

/** A batch fails if another transaction takes one of its keys at the same time. */
const BATCH_RETRIES = 3

interface NamedTable {
  readonly table: string
  readonly name: string
  /** Selects the rows to fill. Rows in use come before deleted rows, so that no deleted row takes their key. */
  readonly among: "true" | "deleted_at IS NULL" | "deleted_at IS NOT NULL"
  readonly reserved: string
}

const NO_RESERVED_KEYS_SQL = "SELECT NULL WHERE false"
const DEFAULT_TAG_KEYS_SQL = "SELECT lower(tag_name) FROM default_reservation_tags"

const NAMED_TABLES: ReadonlyArray<NamedTable> = [
  { table: "property_groups", name: "name", among: "true", reserved: NO_RESERVED_KEYS_SQL },
  { table: "property_tags", name: "name", among: "deleted_at IS NULL", reserved: NO_RESERVED_KEYS_SQL },
  { table: "property_tags", name: "name", among: "deleted_at IS NOT NULL", reserved: NO_RESERVED_KEYS_SQL },
  { table: "reservation_tags", name: "tag_name", among: "deleted_at IS NULL", reserved: DEFAULT_TAG_KEYS_SQL },
  { table: "reservation_tags", name: "tag_name", among: "deleted_at IS NOT NULL", reserved: DEFAULT_TAG_KEYS_SQL }
]

interface NamedRow {
  readonly operator_id: number
  readonly id: number
  readonly name: string
}

const START_CURSOR = { operator_id: 0, id: 0 }

const isUniqueViolation = ({ reason }: SqlError): boolean => reason._tag === "UniqueViolation"

const fillBatch = Effect.fnUntraced(function* (
  { table, name, among, reserved }: NamedTable,
  cursor: Pick<NamedRow, "operator_id" | "id">
) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<NamedRow>`
    SELECT operator_id, id, ${sql(name)} AS name FROM ${sql(table)}
    WHERE name_key IS NULL AND ${sql.literal(among)} AND (operator_id, id) > (${cursor.operator_id}, ${cursor.id})
    ORDER BY operator_id, id LIMIT ${sql.literal(String(NAME_KEY_BATCH_SIZE))}`
  const rowsWithKeys = rows.map((row) => ({ ...row, key: nameKeyOf(row.name) }))
  const oldestPerKey = Arrays.dedupeWith(
    rowsWithKeys,
    (one, other) => one.operator_id === other.operator_id && one.key === other.key
  )
  yield* sql`
    UPDATE ${sql(table)} t SET name_key = keyed.key
    FROM jsonb_to_recordset(${jsonParameter(oldestPerKey)}::jsonb) AS keyed (operator_id bigint, id bigint, name text, key text)
    WHERE t.operator_id = keyed.operator_id AND t.id = keyed.id AND t.${sql(name)} = keyed.name AND t.name_key IS NULL
      AND keyed.key NOT IN (${sql.literal(reserved)}) AND NOT EXISTS (
        SELECT FROM ${sql(table)} other WHERE other.operator_id = t.operator_id AND other.name_key = keyed.key)`
  return rows.at(-1)
})

export const fillNameKeys: Effect.Effect<void, SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  for (const namedTable of NAMED_TABLES) {
    let cursor: Pick<NamedRow, "operator_id" | "id"> | undefined = START_CURSOR
    while (cursor !== undefined) {
      const batch: Effect.Effect<NamedRow | undefined, SqlError, SqlClient.SqlClient> = fillBatch(namedTable, cursor)
      cursor = yield* Effect.retry(batch, { times: BATCH_RETRIES, while: isUniqueViolation })
    }
  }
})

/** Runs periodically, because a process of the previous release may still write rows without a key. */
export const layerNameKeyBackfill = Layer.effectDiscard(
  repeatPeriodically("filling name keys", RETENTION_INTERVAL_MS, () => Effect.orDie(fillNameKeys))
)
