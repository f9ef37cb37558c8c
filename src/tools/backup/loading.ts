import { Data, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { ImageKey, KeptBytes } from "../../domain/guests/images/kept-bytes.ts"
import { aloneOnSchema, type MigrationFailed, migrate } from "../../platform/database/migrate.ts"
import type { Migration } from "../../platform/database/migration.ts"
import { rowsOf } from "../../platform/database/rows.ts"
import { foreignKeysOf, somethingThere, type Table, tablesOf } from "./catalogue.ts"
import { digestOf, isSame, pinTexts } from "./digest.ts"
import { isRows } from "./lines.ts"
import type { Header, Image, Piece, Sequences, TableBegun } from "./pieces.ts"

// Pieces become a database: all of them, or nothing.

/** What was told does not fit here, or did not arrive as it was told. Nothing of it is left. */
export class NotLoaded extends Data.TaggedError("NotLoaded")<{ readonly message: string }> {}

/** Where pieces are loaded into. */
export interface Target {
  /** What an error calls it: `DATABASE_URL`, `--to`. */
  readonly name: string
  /** This release, and its migrations. */
  readonly latchkey: string
  readonly migrations: ReadonlyArray<Migration>
  /** Where images are kept whose bytes come as pieces. */
  readonly images: KeptBytes
}

/** What came of it. */
export interface Loaded {
  readonly tables: number
  readonly rows: number
  readonly images: number
  readonly images_missing: number
  /** Tables that no migration makes: they are somebody else's, and were passed over. */
  readonly passed_over: ReadonlyArray<string>
}

/** The migrations that the tables had, of those this release knows. */
export const migrationsOf = (
  { migrations, latchkey }: Header,
  target: Pick<Target, "latchkey" | "migrations">
): Effect.Effect<ReadonlyArray<Migration>, NotLoaded> => {
  const known = new Map(target.migrations.map((each) => [each.id, each]))
  const strange = migrations.find(({ id, name }) => known.get(id)?.name !== name)
  if (strange !== undefined) {
    return new NotLoaded({
      message: `Latchkey ${target.latchkey} does not have migration ${strange.id} ${strange.name} of this backup: restore it with Latchkey ${latchkey} or later`
    })
  }
  const had = new Set(migrations.map(({ id }) => id))
  return Effect.succeed(target.migrations.filter(({ id }) => had.has(id)))
}

const refuseUnlessEmpty = Effect.fnUntraced(function* (sql: SqlClient, name: string) {
  const [there] = yield* somethingThere(sql)
  if (there === undefined) return
  return yield* new NotLoaded({
    message: `${name}: must be an empty database, but it has ${there.name}`
  })
})

/** Nothing that works out what rows lead to, since that comes as rows too; and no checks of each row, made once at the end. */
const withoutKeys = Effect.fnUntraced(function* <A, E>(
  sql: SqlClient,
  tables: ReadonlyArray<Table>,
  loading: Effect.Effect<A, E>
) {
  const keys = yield* foreignKeysOf(sql)
  for (const { table, name } of keys) yield* sql`ALTER TABLE ${sql(table)} DROP CONSTRAINT ${sql(name)}`.unprepared
  for (const { table } of tables) yield* sql`ALTER TABLE ${sql(table)} DISABLE TRIGGER USER`.unprepared
  // What migrations put there comes with the rows.
  yield* sql`TRUNCATE ${sql.csv(tables.map(({ table }) => sql`${sql(table)}`))}`.unprepared
  const loaded = yield* loading
  for (const { table, name, definition } of keys) {
    yield* sql`ALTER TABLE ${sql(table)} ADD CONSTRAINT ${sql(name)} ${sql.literal(definition)}`.unprepared
  }
  for (const { table } of tables) yield* sql`ALTER TABLE ${sql(table)} ENABLE TRIGGER USER`.unprepared
  return loaded
})

/** Puts rows of a table into it, as they are. */
const inserting = (sql: SqlClient, { table, columns }: Table) => {
  const own = columns.filter(({ generated }) => !generated).map(({ name }) => name)
  const [named, read] = [
    sql.csv(own.map((name) => sql`${sql(name)}`)),
    sql.csv(own.map((name) => sql`told.${sql(name)}`))
  ]
  return (rows: ReadonlyArray<string>) => sql`
    INSERT INTO ${sql(table)} (${named}) OVERRIDING SYSTEM VALUE
    SELECT ${read} FROM unnest(${rows}::text[]::${sql(table)}[]) AS told`
}

const readSet = rowsOf(Schema.Struct({ set: Schema.Int }))

const setSequences = Effect.fnUntraced(function* (sql: SqlClient, { sequences }: typeof Sequences.Type) {
  const there = yield* rowsOf(Schema.Struct({ name: Schema.String }))(
    sql`SELECT sequencename AS name FROM pg_sequences WHERE schemaname = current_schema()`
  )
  for (const { name } of there) {
    const last = sequences[name]
    if (last !== undefined)
      yield* readSet(sql`SELECT setval(format('%I', ${name}::text)::regclass, ${last}::bigint) AS set`)
  }
})

const columnsFit = (made: Table, told: TableBegun): boolean =>
  made.columns.length === told.columns.length &&
  made.columns.every(({ name, type }, at) => told.columns[at]?.name === name && told.columns[at]?.type === type)

/** Takes pieces one by one. `done` says whether all came. */
const taking = (sql: SqlClient, target: Target, made: ReadonlyArray<Table>, written: Array<ImageKey>) => {
  const byName = new Map(made.map((table) => [table.table, table]))
  const missing = new Set(byName.keys())
  const passedOver: Array<string> = []
  let [rows, ended]: [number, Loaded | undefined] = [0, undefined]
  let open: { readonly told: TableBegun; readonly insert: ReturnType<typeof inserting> | undefined } | undefined

  const verified = Effect.fnUntraced(function* () {
    if (open?.insert === undefined) return
    const { told } = open
    const here = yield* digestOf(sql, told.table)
    if (!isSame(here, told)) {
      return yield* new NotLoaded({
        message: `${told.table} was not restored correctly: it has ${here.rows} rows with digest ${here.digest}, not ${told.rows} with ${told.digest}`
      })
    }
    rows += here.rows
  })

  const begin = Effect.fnUntraced(function* (told: TableBegun) {
    const table = byName.get(told.table)
    if (table === undefined) passedOver.push(told.table)
    else if (!missing.delete(told.table) || !columnsFit(table, told)) {
      return yield* new NotLoaded({ message: `${told.table} has other columns than its migrations create` })
    }
    open = { told, insert: table === undefined ? undefined : inserting(sql, table) }
  })

  const keep = Effect.fnUntraced(function* ({ image: { operator_id, id, token }, content }: Image) {
    const key = { operatorId: operator_id, id, token }
    written.push(key)
    yield* Effect.mapError(
      target.images.write(key, content),
      () => new NotLoaded({ message: "the image store is full: free space there and restore the backup again" })
    )
  })

  const take = Effect.fnUntraced(function* (piece: Piece): Effect.fn.Return<void, NotLoaded | SqlError> {
    if (ended !== undefined) return yield* new NotLoaded({ message: "it has data after its end" })
    if (isRows(piece)) {
      if (open === undefined) return yield* new NotLoaded({ message: "it has rows without a table" })
      if (open.insert !== undefined) yield* open.insert(piece.some)
      return
    }
    yield* verified()
    open = undefined
    if ("table" in piece) yield* begin(piece)
    else if ("sequences" in piece) yield* setSequences(sql, piece)
    else if ("image" in piece) yield* keep(piece)
    else if ("end" in piece) ended = { tables: made.length, rows, ...piece.end, passed_over: passedOver }
  })

  const done = Effect.suspend((): Effect.Effect<Loaded, NotLoaded> => {
    const [without] = missing
    if (without !== undefined) return new NotLoaded({ message: `${without} is missing` })
    if (ended === undefined || ended.images !== written.length) return new NotLoaded({ message: "its end is missing" })
    return Effect.succeed(ended)
  })
  return { take, done }
}

/**
 * Makes the tables that the header tells of in an empty database and fills them with what `telling` tells, in one
 * transaction; each table is compared by count and digest with what was told of it. `before` runs in it as the last thing
 * before the commit. Afterwards the tables are brought up to this release.
 */
export const load = Effect.fnUntraced(function* <E, E2>(
  header: Header,
  target: Target,
  telling: (take: (piece: Piece) => Effect.Effect<void, NotLoaded | SqlError>) => Effect.Effect<unknown, E>,
  before: Effect.Effect<void, E2, SqlClient> = Effect.void
): Effect.fn.Return<Loaded, E | E2 | NotLoaded | MigrationFailed | SqlError, SqlClient> {
  const sql = yield* SqlClient
  const had = yield* migrationsOf(header, target)
  const written: Array<ImageKey> = []
  const loading = Effect.gen(function* () {
    yield* refuseUnlessEmpty(sql, target.name)
    yield* migrate(had)
    yield* pinTexts(sql)
    const made = yield* tablesOf(sql)
    const taken = taking(sql, target, made, written)
    const loaded = yield* withoutKeys(sql, made, Effect.andThen(telling(taken.take), taken.done))
    yield* before
    return loaded
  })
  // Alone from before it is looked at: of two that find the database empty one would else put its rows in the place of the other's.
  const loaded = yield* Effect.onError(aloneOnSchema(sql, loading), () =>
    Effect.forEach(written, (image) => Effect.exit(target.images.remove(image)), { discard: true })
  )
  yield* migrate(target.migrations)
  // Nobody has counted what is in the tables yet, and plans for empty ones read them whole.
  yield* sql`ANALYZE`.unprepared
  return loaded
})
