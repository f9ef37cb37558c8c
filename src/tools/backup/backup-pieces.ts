import { Schema } from "effect"

export const BackupHeader = Schema.Struct({
  format: Schema.Literal("latchkey backup"),
  version: Schema.Int,
  latchkey: Schema.String,
  /** ISO 8601, UTC. The backup includes every change acknowledged before this time. */
  made_at: Schema.String,
  server: Schema.String,
  migrations: Schema.Array(Schema.Struct({ id: Schema.Int, name: Schema.String }))
})
export type BackupHeader = typeof BackupHeader.Type

export const TableHeader = Schema.Struct({
  table: Schema.String,
  columns: Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String })),
  /** Columns of the primary key, for error messages. Older backups lack them. */
  key: Schema.optionalKey(Schema.Array(Schema.String)),
  rows: Schema.Int,
  /** Does not depend on the order of the rows. */
  digest: Schema.String
})
export type TableHeader = typeof TableHeader.Type

/** Last value of each used sequence. This piece follows all tables. */
export const BackupSequences = Schema.Struct({ sequences: Schema.Record(Schema.String, Schema.String) })

/** Images in the database are table rows instead. */
export const BackupImage = Schema.Struct({
  image: Schema.Struct({ operator_id: Schema.Int, id: Schema.Int, token: Schema.String }),
  content: Schema.Uint8ArrayFromBase64
})
export type BackupImage = typeof BackupImage.Type

const BackupEnd = Schema.Struct({ end: Schema.Struct({ images: Schema.Int, images_missing: Schema.Int }) })

export const StructurePiece = Schema.Union([BackupHeader, TableHeader, BackupSequences, BackupImage, BackupEnd])

/** Rows of the preceding `TableHeader` in PostgreSQL's text form, such as `(1,Ada,"2026-01-01 00:00:00+00")`. */
export interface RowsPiece {
  readonly some: ReadonlyArray<string>
}

export type BackupPiece = typeof StructurePiece.Type | RowsPiece

export const FORMAT_VERSION = 1
