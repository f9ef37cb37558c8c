import { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { makeRowsReader } from "../../platform/database/rows.ts"

const TableColumn = Schema.Struct({ name: Schema.String, type: Schema.String, generated: Schema.Boolean })

const CatalogTable = Schema.Struct({
  table: Schema.String,
  columns: Schema.Array(TableColumn),
  key: Schema.Array(Schema.String)
})
export type CatalogTable = typeof CatalogTable.Type

const readTables = makeRowsReader(CatalogTable)

/** `generated` columns are computed by PostgreSQL, so they cannot be inserted. */
export const loadTables = (sql: SqlClient) =>
  readTables(sql`
    SELECT c.relname AS "table", jsonb_agg(jsonb_build_object(
        'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'generated', a.attgenerated <> ''
      ) ORDER BY a.attnum) AS columns,
      coalesce(jsonb_agg(a.attname ORDER BY a.attnum) FILTER (WHERE EXISTS (
        SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY (i.indkey)
      )), '[]') AS key
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
    GROUP BY c.relname ORDER BY c.relname COLLATE "C"`)

const readSequences = makeRowsReader(Schema.Struct({ name: Schema.String, last: Schema.String }))

export const loadSequences = (sql: SqlClient) =>
  readSequences(sql`
    SELECT sequencename AS name, last_value::text AS last FROM pg_sequences
    WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY sequencename`)

const readNames = makeRowsReader(Schema.Struct({ name: Schema.String }))

/** Ignores relations of extensions. */
export const findFirstRelation = (sql: SqlClient) =>
  readNames(sql`
    SELECT relname AS name FROM pg_class c
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
    ORDER BY relname LIMIT 1`)

const ForeignKey = Schema.Struct({ table: Schema.String, name: Schema.String, definition: Schema.String })

const readForeignKeys = makeRowsReader(ForeignKey)

export const loadForeignKeys = (sql: SqlClient) =>
  readForeignKeys(sql`
    SELECT r.relname AS "table", conname AS name, pg_get_constraintdef(c.oid) AS definition
    FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid
    WHERE contype = 'f' AND connamespace = current_schema()::regnamespace ORDER BY c.oid`)
