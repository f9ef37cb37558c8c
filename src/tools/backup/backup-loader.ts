import { Data, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { ImageByteStorage, ImageKey } from "../../domain/guests/images/image-byte-storage.ts"
import { type MigrationFailed, migrate, withMigrationLock } from "../../platform/database/migrate.ts"
import type { Migration } from "../../platform/database/migration.ts"
import { makeRowsReader } from "../../platform/database/rows.ts"
import { isRowsPiece } from "./backup-lines.ts"
import type { BackupHeader, BackupImage, BackupPiece, BackupSequences, TableHeader } from "./backup-pieces.ts"
import { type CatalogTable, findFirstRelation, loadForeignKeys, loadTables } from "./database-catalog.ts"
import { hasSameRows, loadTableDigest, pinTextFormats } from "./table-digest.ts"

export class RestoreFailed extends Data.TaggedError("RestoreFailed")<{ readonly message: string }> {}

interface LoadTarget {
  /** `DATABASE_URL` or `--to`, for error messages. */
  readonly name: string
  readonly latchkey: string
  readonly migrations: ReadonlyArray<Migration>
  readonly images: ImageByteStorage
}

interface LoadResult {
  readonly tables: number
  readonly rows: number
  readonly images: number
  readonly images_missing: number
  /** Tables that no migration creates. They are not restored. */
  readonly passed_over: ReadonlyArray<string>
}

export const resolveMigrations = (
  { migrations, latchkey }: BackupHeader,
  target: Pick<LoadTarget, "latchkey" | "migrations">
): Effect.Effect<ReadonlyArray<Migration>, RestoreFailed> => {
  const migrationsById = new Map(target.migrations.map((each) => [each.id, each]))
  const unknownMigration = migrations.find(({ id, name }) => migrationsById.get(id)?.name !== name)
  if (unknownMigration !== undefined) {
    return new RestoreFailed({
      message: `Latchkey ${target.latchkey} does not have migration ${unknownMigration.id} ${unknownMigration.name} of this backup: restore it with Latchkey ${latchkey} or later`
    })
  }
  const appliedIds = new Set(migrations.map(({ id }) => id))
  return Effect.succeed(target.migrations.filter(({ id }) => appliedIds.has(id)))
}

const requireEmptyDatabase = Effect.fnUntraced(function* (sql: SqlClient, name: string) {
  const [existing] = yield* findFirstRelation(sql)
  if (existing === undefined) return
  return yield* new RestoreFailed({
    message: `${name}: must be an empty database, but it has ${existing.name}`
  })
})

/**
 * Disables triggers, because the backup contains the rows that they would write. Checks foreign keys once at the end.
 */
const withoutForeignKeys = Effect.fnUntraced(function* <A, E>(
  sql: SqlClient,
  tables: ReadonlyArray<CatalogTable>,
  loading: Effect.Effect<A, E>
) {
  const keys = yield* loadForeignKeys(sql)
  for (const { table, name } of keys) yield* sql`ALTER TABLE ${sql(table)} DROP CONSTRAINT ${sql(name)}`.unprepared
  for (const { table } of tables) yield* sql`ALTER TABLE ${sql(table)} DISABLE TRIGGER USER`.unprepared
  // Migrations insert rows that the backup also contains.
  yield* sql`TRUNCATE ${sql.csv(tables.map(({ table }) => sql`${sql(table)}`))}`.unprepared
  const result = yield* loading
  for (const { table, name, definition } of keys) {
    yield* sql`ALTER TABLE ${sql(table)} ADD CONSTRAINT ${sql(name)} ${sql.literal(definition)}`.unprepared
  }
  for (const { table } of tables) yield* sql`ALTER TABLE ${sql(table)} ENABLE TRIGGER USER`.unprepared
  return result
})

const makeRowInserter = (sql: SqlClient, { table, columns }: CatalogTable) => {
  const columnNames = columns.filter(({ generated }) => !generated).map(({ name }) => name)
  const [columnsSql, valuesSql] = [
    sql.csv(columnNames.map((name) => sql`${sql(name)}`)),
    sql.csv(columnNames.map((name) => sql`told.${sql(name)}`))
  ]
  return (rows: ReadonlyArray<string>) => sql`
    INSERT INTO ${sql(table)} (${columnsSql}) OVERRIDING SYSTEM VALUE
    SELECT ${valuesSql} FROM unnest(${rows}::text[]::${sql(table)}[]) AS told`
}

const readSet = makeRowsReader(Schema.Struct({ set: Schema.Int }))

const setSequences = Effect.fnUntraced(function* (sql: SqlClient, { sequences }: typeof BackupSequences.Type) {
  const existing = yield* makeRowsReader(Schema.Struct({ name: Schema.String }))(
    sql`SELECT sequencename AS name FROM pg_sequences WHERE schemaname = current_schema()`
  )
  for (const { name } of existing) {
    const last = sequences[name]
    if (last !== undefined)
      yield* readSet(sql`SELECT setval(format('%I', ${name}::text)::regclass, ${last}::bigint) AS set`)
  }
})

const hasSameColumns = (table: CatalogTable, header: TableHeader): boolean =>
  table.columns.length === header.columns.length &&
  table.columns.every(({ name, type }, at) => header.columns[at]?.name === name && header.columns[at]?.type === type)

const makePieceLoader = (
  sql: SqlClient,
  target: LoadTarget,
  tables: ReadonlyArray<CatalogTable>,
  writtenImages: Array<ImageKey>
) => {
  const byName = new Map(tables.map((table) => [table.table, table]))
  const missing = new Set(byName.keys())
  const skippedTables: Array<string> = []
  let [rows, result]: [number, LoadResult | undefined] = [0, undefined]
  let current:
    | { readonly header: TableHeader; readonly insert: ReturnType<typeof makeRowInserter> | undefined }
    | undefined

  const verifyTable = Effect.fnUntraced(function* () {
    if (current?.insert === undefined) return
    const { header } = current
    const digest = yield* loadTableDigest(sql, header.table)
    if (!hasSameRows(digest, header)) {
      return yield* new RestoreFailed({
        message: `${header.table} was not restored correctly: it has ${digest.rows} rows with digest ${digest.digest}, not ${header.rows} with ${header.digest}`
      })
    }
    rows += digest.rows
  })

  const beginTable = Effect.fnUntraced(function* (header: TableHeader) {
    const table = byName.get(header.table)
    if (table === undefined) skippedTables.push(header.table)
    else if (!missing.delete(header.table) || !hasSameColumns(table, header)) {
      return yield* new RestoreFailed({ message: `${header.table} has other columns than its migrations create` })
    }
    current = { header, insert: table === undefined ? undefined : makeRowInserter(sql, table) }
  })

  const storeImage = Effect.fnUntraced(function* ({ image: { operator_id, id, token }, content }: BackupImage) {
    const key = { operatorId: operator_id, id, token }
    writtenImages.push(key)
    yield* Effect.mapError(
      target.images.write(key, content),
      () => new RestoreFailed({ message: "the image store is full: free space there and restore the backup again" })
    )
  })

  const loadPiece = Effect.fnUntraced(function* (piece: BackupPiece): Effect.fn.Return<void, RestoreFailed | SqlError> {
    if (result !== undefined) return yield* new RestoreFailed({ message: "it has data after its end" })
    if (isRowsPiece(piece)) {
      if (current === undefined) return yield* new RestoreFailed({ message: "it has rows without a table" })
      if (current.insert !== undefined) yield* current.insert(piece.some)
      return
    }
    yield* verifyTable()
    current = undefined
    if ("table" in piece) yield* beginTable(piece)
    else if ("sequences" in piece) yield* setSequences(sql, piece)
    else if ("image" in piece) yield* storeImage(piece)
    else if ("end" in piece) result = { tables: tables.length, rows, ...piece.end, passed_over: skippedTables }
  })

  const finish = Effect.suspend((): Effect.Effect<LoadResult, RestoreFailed> => {
    const [missingTable] = missing
    if (missingTable !== undefined) return new RestoreFailed({ message: `${missingTable} is missing` })
    if (result === undefined || result.images !== writtenImages.length)
      return new RestoreFailed({ message: "its end is missing" })
    return Effect.succeed(result)
  })
  return { loadPiece, finish }
}

/**
 * Restores into an empty database in one transaction, and verifies each table. `beforeCommit` is the transaction's last
 * step. After the commit, migrates to this release.
 */
export const loadBackup = Effect.fnUntraced(function* <E, E2>(
  header: BackupHeader,
  target: LoadTarget,
  readPieces: (
    loadPiece: (piece: BackupPiece) => Effect.Effect<void, RestoreFailed | SqlError>
  ) => Effect.Effect<unknown, E>,
  beforeCommit: Effect.Effect<void, E2, SqlClient> = Effect.void
): Effect.fn.Return<LoadResult, E | E2 | RestoreFailed | MigrationFailed | SqlError, SqlClient> {
  const sql = yield* SqlClient
  const appliedMigrations = yield* resolveMigrations(header, target)
  const writtenImages: Array<ImageKey> = []
  const loading = Effect.gen(function* () {
    yield* requireEmptyDatabase(sql, target.name)
    yield* migrate(appliedMigrations)
    yield* pinTextFormats(sql)
    const tables = yield* loadTables(sql)
    const loader = makePieceLoader(sql, target, tables, writtenImages)
    const loadResult = yield* withoutForeignKeys(
      sql,
      tables,
      Effect.andThen(readPieces(loader.loadPiece), loader.finish)
    )
    yield* beforeCommit
    return loadResult
  })
  // Two concurrent restores could both find the database empty, so the lock includes this check.
  const loadResult = yield* Effect.onError(withMigrationLock(sql, loading), () =>
    Effect.forEach(writtenImages, (image) => Effect.exit(target.images.remove(image)), { discard: true })
  )
  yield* migrate(target.migrations)
  yield* sql`ANALYZE`.unprepared
  return loadResult
})
