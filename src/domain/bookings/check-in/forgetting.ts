import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { daysBefore } from "../../../contract/time.ts"
import { periodically } from "../../../jobs/loop.ts"
import { RETENTION_MS } from "../../../jobs/retention.ts"
import { type Givens, inForms } from "../../../platform/database/forms.ts"
import { onlyRowOf } from "../../../platform/database/rows.ts"
import { IdentityImageDays } from "../../../platform/installation.ts"
import { lettingImagesGo } from "../../guests/images/keeping.ts"
import { type Forgetting, forgettingIdentityImages } from "../stays/identity-images.ts"

// Images of identity documents go so many days after the stay. What was done is seen by its being gone: any number of processes
// may be at it, and one that dies leaves the rest for the next look.

/** Images that one statement looks at. */
export const FORGETTING_IMAGES = 500

const readNext = onlyRowOf(Schema.Struct({ operator_id: Schema.NullOr(Schema.Int) }))
const Part = Schema.Struct({ last: Schema.NullOr(Schema.Int), forgotten: Schema.Int })
const readPart = onlyRowOf(Part)

/** The next operator that has such images. */
const next = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    ({ after }: Givens<{ readonly after: number }>) =>
      sql`SELECT min(operator_id) AS operator_id FROM identity_images WHERE operator_id > ${after}`
  )
  return (after: number) => readNext(statement({ after }))
}

/** Forgets what is due of the next images of an operator; answers the last of them, null when there are no more. */
const forget = (sql: SqlClient.SqlClient) => {
  const statement = inForms(
    sql,
    (forgetting: Givens<Forgetting>) => sql`
      WITH ${forgettingIdentityImages(sql, forgetting, FORGETTING_IMAGES)}, let_go AS (
        ${lettingImagesGo(sql, forgetting.operatorId, sql`SELECT image_id FROM over`, forgetting.now)})
      SELECT (SELECT max(id) FROM looked_at HAVING count(*) = ${sql.literal(String(FORGETTING_IMAGES))}) AS last,
         (SELECT count(*) FROM forgotten) AS forgotten`
  )
  return ({ operatorId, after, days, now, then }: Forgetting) =>
    readPart(statement({ operatorId, after, days, now, then }))
}

/** Forgets images of stays that ended so many days ago, of all operators, a bounded number at a time. Answers how many. */
export const makeForgetting = Effect.map(SqlClient.SqlClient, (sql) => {
  const [nextOperator, forgetNext] = [next(sql), forget(sql)]
  return Effect.fnUntraced(function* (days: number, now: Date) {
    const then = daysBefore(now, days)
    let forgotten = 0
    let operatorId = (yield* nextOperator(0)).operator_id
    while (operatorId !== null) {
      let after: number | null = 0
      while (after !== null) {
        const done: typeof Part.Type = yield* forgetNext({ operatorId, after, days, now, then })
        forgotten += done.forgotten
        after = done.last
      }
      operatorId = (yield* nextOperator(operatorId)).operator_id
    }
    return forgotten
  })
})

/** Forgets them for as long as the process runs, over a database. */
export const layerForgettingIdentities = Layer.effectDiscard(
  Effect.gen(function* () {
    const [forget, days] = [yield* makeForgetting, yield* IdentityImageDays]
    yield* periodically("retention of identity documents", RETENTION_MS, (now) => Effect.asVoid(forget(days, now)))
  })
)
