import { Array as Arrays, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { periodically } from "../background/loop.ts"
import { RETENTION_MS } from "../background/retention.ts"
import { nameKeyOf } from "../contract/names.ts"
import { jsonParameter } from "../database/parameters.ts"

// The keys that names of groups and tags are compared by (nameKeyOf). Rows lack one if they came before migration 0069, if a
// process of the release before wrote them, or if an older row has the same key: those stay without, and are compared by their
// exact name.

/** Rows that one statement looks at. */
export const NAME_KEYS_AT_ONCE = 500

/** How often a piece is tried again when a name was taken in that moment. */
const RETRIES = 3

interface Named {
  readonly table: string
  readonly name: string
  /** Rows in use come before deleted ones, so that a deleted row never takes the key of one in use. */
  readonly among: "true" | "deleted_at IS NULL" | "deleted_at IS NOT NULL"
  /** A query for keys that no row of the table may have. */
  readonly reserved: string
}

const NONE = "SELECT NULL WHERE false"
const OF_DEFAULT_TAGS = "SELECT lower(tag_name) FROM default_reservation_tags"

const NAMED: ReadonlyArray<Named> = [
  { table: "property_groups", name: "name", among: "true", reserved: NONE },
  { table: "property_tags", name: "name", among: "deleted_at IS NULL", reserved: NONE },
  { table: "property_tags", name: "name", among: "deleted_at IS NOT NULL", reserved: NONE },
  { table: "reservation_tags", name: "tag_name", among: "deleted_at IS NULL", reserved: OF_DEFAULT_TAGS },
  { table: "reservation_tags", name: "tag_name", among: "deleted_at IS NOT NULL", reserved: OF_DEFAULT_TAGS }
]

interface Row {
  readonly operator_id: number
  readonly id: number
  readonly name: string
}

const BEGINNING = { operator_id: 0, id: 0 }

const isTaken = ({ reason }: SqlError): boolean => reason._tag === "UniqueViolation"

/** Gives the next rows without a key theirs. Returns the last row that it looked at, or undefined after the last piece. */
const fillPiece = Effect.fnUntraced(function* (
  { table, name, among, reserved }: Named,
  after: Pick<Row, "operator_id" | "id">
) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<Row>`
    SELECT operator_id, id, ${sql(name)} AS name FROM ${sql(table)}
    WHERE name_key IS NULL AND ${sql.literal(among)} AND (operator_id, id) > (${after.operator_id}, ${after.id})
    ORDER BY operator_id, id LIMIT ${sql.literal(String(NAME_KEYS_AT_ONCE))}`
  const keyed = rows.map((row) => ({ ...row, key: nameKeyOf(row.name) }))
  const oldest = Arrays.dedupeWith(
    keyed,
    (one, other) => one.operator_id === other.operator_id && one.key === other.key
  )
  yield* sql`
    UPDATE ${sql(table)} t SET name_key = keyed.key
    FROM jsonb_to_recordset(${jsonParameter(oldest)}::jsonb) AS keyed (operator_id bigint, id bigint, name text, key text)
    WHERE t.operator_id = keyed.operator_id AND t.id = keyed.id AND t.${sql(name)} = keyed.name AND t.name_key IS NULL
      AND keyed.key NOT IN (${sql.literal(reserved)}) AND NOT EXISTS (
        SELECT FROM ${sql(table)} other WHERE other.operator_id = t.operator_id AND other.name_key = keyed.key)`
  return rows.at(-1)
})

/** Gives every row its key that lacks one and may have it. */
export const fillNameKeys: Effect.Effect<void, SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  for (const named of NAMED) {
    let after: Pick<Row, "operator_id" | "id"> | undefined = BEGINNING
    while (after !== undefined) {
      const piece: Effect.Effect<Row | undefined, SqlError, SqlClient.SqlClient> = fillPiece(named, after)
      after = yield* Effect.retry(piece, { times: RETRIES, while: isTaken })
    }
  }
})

/** Gives rows their keys for as long as the process runs: a process of the release before may still write some without. */
export const layerNameKeys = Layer.effectDiscard(
  periodically("keys of names", RETENTION_MS, () => Effect.orDie(fillNameKeys))
)
