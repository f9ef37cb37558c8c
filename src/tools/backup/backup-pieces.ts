import { Schema } from "effect"

// What a backup is made of, piece by piece, whether it lies in a file or goes from one database into another.

/** What it was made of, and by what: the first piece. */
export const BackupHeader = Schema.Struct({
  format: Schema.Literal("latchkey backup"),
  version: Schema.Int,
  /** The release that made it. */
  latchkey: Schema.String,
  /** When it began: what was acknowledged before is in it. ISO 8601, UTC. */
  made_at: Schema.String,
  /** What PostgreSQL said of itself. */
  server: Schema.String,
  /** The migrations its tables had. */
  migrations: Schema.Array(Schema.Struct({ id: Schema.Int, name: Schema.String }))
})
export type BackupHeader = typeof BackupHeader.Type

/** A table, before its rows. */
export const TableHeader = Schema.Struct({
  table: Schema.String,
  columns: Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String })),
  /** The columns of its primary key, by which an error names a row. Earlier backups do not say them. */
  key: Schema.optionalKey(Schema.Array(Schema.String)),
  rows: Schema.Int,
  /** Of all its rows in any order, see table-digest.ts. */
  digest: Schema.String
})
export type TableHeader = typeof TableHeader.Type

/** The last number each sequence gave; one that gave none is left out. After all tables. */
export const BackupSequences = Schema.Struct({ sequences: Schema.Record(Schema.String, Schema.String) })

/** An image whose bytes lie in a folder; those in the database are rows of theirs. */
export const BackupImage = Schema.Struct({
  image: Schema.Struct({ operator_id: Schema.Int, id: Schema.Int, token: Schema.String }),
  content: Schema.Uint8ArrayFromBase64
})
export type BackupImage = typeof BackupImage.Type

/** The last piece: how many images came, and how many had no file any more. */
const BackupEnd = Schema.Struct({ end: Schema.Struct({ images: Schema.Int, images_missing: Schema.Int }) })

export const StructurePiece = Schema.Union([BackupHeader, TableHeader, BackupSequences, BackupImage, BackupEnd])

/** Some rows of the table that was begun last, each as PostgreSQL writes a row as text: `(1,Ada,"2026-01-01 00:00:00+00")`. */
export interface RowsPiece {
  readonly some: ReadonlyArray<string>
}

export type BackupPiece = typeof StructurePiece.Type | RowsPiece

export const FORMAT_VERSION = 1
