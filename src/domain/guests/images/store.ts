import { Context, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { nextRows } from "../../../jobs/retention.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { rowOf, rowsOf } from "../../../platform/database/rows.ts"
import type { OfOperator, OwnRow } from "../../own-row.ts"

type Sql = SqlClient.SqlClient

const ImageKind = Schema.Literals(["message", "identity"])
/** What an image is for. */
export type ImageKind = typeof ImageKind.Type

const readMade = rowOf(Schema.Struct({ id: Schema.Int, token: Schema.String }))

/** A new image, as its row says it. */
interface Made extends OfOperator {
  readonly token: string
  readonly kind: ImageKind
  readonly bytes: number
  readonly now: Date
  readonly deleteAt: Date
  /** Bytes that all images of the operator may have together. */
  readonly most: number
}

/**
 * An image that nothing refers to yet, and its share of what the operator may have; undefined, and nothing is changed, where
 * that is not left. Who puts another meanwhile waits for the row of the shares, and is then told by what it has become.
 */
const make = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ operatorId, token, kind, bytes, now, deleteAt, most }: Givens<Made>) => sql`
      WITH share AS (
        INSERT INTO image_shares AS share (operator_id, bytes)
        SELECT ${operatorId}::bigint, ${bytes}::bigint WHERE ${bytes}::bigint <= ${most}::bigint
        ON CONFLICT (operator_id) DO UPDATE SET bytes = share.bytes + excluded.bytes
          WHERE share.bytes + excluded.bytes <= ${most}::bigint
        RETURNING operator_id
      )
      INSERT INTO images (operator_id, token, kind, bytes, created_at, delete_at)
      SELECT operator_id, ${token}::text, ${kind}::text, ${bytes}::bigint, ${now}::timestamptz, ${deleteAt}::timestamptz FROM share
      RETURNING id, token`
  )
  return (made: Made) => readMade(statement(made))
}

const readOpened = rowOf(
  Schema.Struct({
    operator_id: Schema.Int,
    id: Schema.Int,
    token: Schema.String,
    kind: ImageKind,
    bytes: Schema.Int
  })
)

/** The image that has a token; undefined when there is none any more, or the account behind it is banned or closed. */
const open = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ token, now }: Givens<{ readonly token: string; readonly now: Date }>) => sql`
      SELECT image.operator_id, image.id, image.token, image.kind, image.bytes
      FROM images image JOIN operators operator ON operator.id = image.operator_id
      WHERE image.token = ${token} AND (image.delete_at IS NULL OR image.delete_at > ${now}) AND operator.status = 'active'`
  )
  return (token: string, now: Date) => readOpened(statement({ token, now }))
}

const readGoing = rowsOf(Schema.Struct({ operator_id: Schema.Int, id: Schema.Int, token: Schema.String }))

/**
 * The next images after `after` whose time has come, by their ids. From now on nothing keeps them (keeping.ts): their bytes
 * may be gone already. Who dies with them in hand leaves them to be taken again.
 */
const takeGoing = (sql: Sql) => {
  const statement = inForms(
    sql,
    ({ now, after }: Givens<{ readonly now: Date; readonly after: number }>) => sql`
      WITH going AS (
        UPDATE images SET delete_at = '-infinity'
        WHERE ${nextRows(sql, sql`SELECT ctid FROM images WHERE delete_at <= ${now} AND id > ${after} ORDER BY id`)}
        RETURNING operator_id, id, token
      )
      SELECT operator_id, id, token FROM going ORDER BY id`
  )
  return (now: Date, after: number) => readGoing(statement({ now, after }))
}

/** Removes an image in this state and releases its quota, only once if several calls do so. */
const removeImage = (sql: Sql, state: "delete_at = '-infinity'" | "delete_at > '-infinity'") => {
  const statement = inForms(
    sql,
    ({ operatorId, id }: Givens<OwnRow>) => sql`
      WITH gone AS (
        DELETE FROM images WHERE operator_id = ${operatorId} AND id = ${id} AND ${sql.literal(state)}
        RETURNING operator_id, bytes
      )
      UPDATE image_shares share SET bytes = share.bytes - gone.bytes FROM gone WHERE share.operator_id = gone.operator_id`
  )
  return ({ operatorId, id }: OwnRow) => Effect.asVoid(Effect.orDie(statement({ operatorId, id })))
}

export class ImageStore extends Context.Service<ImageStore>()("latchkey/resources/ImageStore", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    make: make(sql),
    open: open(sql),
    takeGoing: takeGoing(sql),
    /** Removes an image that `takeGoing` claimed. */
    forget: removeImage(sql, "delete_at = '-infinity'"),
    /** Removes an image that no record refers to yet. */
    discard: removeImage(sql, "delete_at > '-infinity'")
  }))
}) {}
