import { Effect, type Layer } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../../../../migrations/index.ts"
import { makeDatabaseByteStorage } from "../../../../src/domain/guests/images/database-byte-storage.ts"
import type { ImageByteStorage } from "../../../../src/domain/guests/images/image-byte-storage.ts"
import { loadBackup } from "../../../../src/tools/backup/backup-loader.ts"
import { openBackup } from "../../../../src/tools/backup/backup-reader.ts"
import { writeBackup } from "../../../../src/tools/backup/backup-writer.ts"
import { exportDatabase } from "../../../../src/tools/backup/database-export.ts"
import { findFirstDifference, loadTableDigests } from "../../../../src/tools/backup/table-comparison.ts"
import { loadTableDigest, pinTextFormats } from "../../../../src/tools/backup/table-digest.ts"

export const RELEASE = { latchkey: "3.13.0", migrations }

/** Writes what the database holds into a file. */
export const writeBackupFile = (file: string, images?: ImageByteStorage) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    writeBackup(file, false, (tell) => exportDatabase(sql, { latchkey: RELEASE.latchkey, images }, tell))
  )

/** Fills the database with a file. */
export const restoreBackupFile = (file: string, release = RELEASE) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { header, forEachPiece } = yield* openBackup(file)
    return yield* loadBackup(
      header,
      { ...release, name: "DATABASE_URL", images: makeDatabaseByteStorage(sql) },
      forEachPiece
    )
  }).pipe(Effect.scoped)

/** The first table that two databases have otherwise. */
export const findDatabaseDifference = <E, E2>(
  one: Layer.Layer<SqlClient.SqlClient, E>,
  other: Layer.Layer<SqlClient.SqlClient, E2>
) =>
  Effect.gen(function* () {
    const digests = Effect.flatMap(SqlClient.SqlClient, loadTableDigests)
    return findFirstDifference(yield* Effect.provide(digests, one), yield* Effect.provide(digests, other), new Set())
  })

/** Count and digest of a table. */
export const digestTable = (table: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(Effect.andThen(pinTextFormats(sql), loadTableDigest(sql, table)))
  )
