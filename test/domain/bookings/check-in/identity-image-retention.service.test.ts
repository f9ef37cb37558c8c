import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  IDENTITY_IMAGE_BATCH_SIZE,
  makeDeleteExpiredIdentityImages
} from "../../../../src/domain/bookings/check-in/identity-image-retention.ts"
import { IdentityImageRetentionDays } from "../../../../src/platform/installation.ts"
import { createOperator, insertOrder } from "../../../support/harness.ts"
import { layerTestDatabase } from "../../../support/test-database.ts"

interface Handed {
  /** Null: it came before it was known by whose page. */
  readonly stay: string | null
  readonly order: string
  readonly came?: string
  readonly count?: number
}

/** Images of a stay from 4 May to 7 May of an operator in Auckland, who is twelve hours ahead of UTC then. */
const ready = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { operatorId } = yield* createOperator({ timeZone: "Pacific/Auckland" })
  const dates = { propertyId: null, checkIn: "2021-05-04", checkOut: "2021-05-07" }
  const code = yield* insertOrder(operatorId, [dates, { ...dates, checkOut: "2021-05-09" }])
  const handIn = ({ stay, order, came = "2021-05-01", count = 1 }: Handed) => sql`
    WITH kept AS (
      INSERT INTO images (operator_id, token, kind, bytes, created_at)
      SELECT ${operatorId}::bigint, gen_random_uuid()::text, 'identity', 1, now() FROM generate_series(1, ${count}::int)
      RETURNING id
    )
    INSERT INTO identity_images (operator_id, order_id, stay_id, image_id, large_url, extra_large_url, created_at)
    SELECT ${operatorId}, o.id, s.id, kept.id, 'l', 'x', ${new Date(came)}
    FROM kept, orders o LEFT JOIN stays s ON s.operator_id = o.operator_id AND s.stay_code = ${stay}
    WHERE o.operator_id = ${operatorId} AND o.reservation_code = ${order}`
  const forgetting = yield* makeDeleteExpiredIdentityImages
  const forget = (now: string, days = 30) => forgetting(days, new Date(now))
  const left = Effect.map(
    sql<{ left: number; going: number }>`
      SELECT (SELECT count(*) FROM identity_images WHERE operator_id = ${operatorId}) AS left,
        (SELECT count(*) FROM images WHERE operator_id = ${operatorId} AND delete_at IS NOT NULL) AS going`,
    ([row]) => row
  )
  return { sql, operatorId, code, handIn, forget, left }
})

// Long ago: what other tests of the run hand in is not as old.
layer(layerTestDatabase)("images of identity documents", (it) => {
  it.effect("go thirty days after check-out unless told otherwise, where the property is, and not an hour before", () =>
    Effect.gen(function* () {
      const { code, handIn, forget, left } = yield* ready
      assert.strictEqual(yield* IdentityImageRetentionDays, 30)
      yield* handIn({ stay: code, order: code })
      yield* forget("2021-06-05T11:59:59Z")
      assert.deepStrictEqual(yield* left, { left: 1, going: 0 })
      yield* forget("2021-06-05T12:00:00Z", 31)
      assert.deepStrictEqual(yield* left, { left: 1, going: 0 })
      yield* forget("2021-06-05T12:00:00Z")
      assert.deepStrictEqual(yield* left, { left: 0, going: 1 })
      assert.strictEqual(yield* forget("2021-06-05T12:00:00Z"), 0)
    })
  )

  it.effect("go as well where the order is over, the stay is gone, or nobody knows by whose page they came", () =>
    Effect.gen(function* () {
      const { sql, operatorId, code, handIn, forget, left } = yield* ready
      yield* handIn({ stay: code, order: code })
      yield* handIn({ stay: null, order: code })
      yield* sql`UPDATE identity_images SET image_id = NULL WHERE operator_id = ${operatorId} AND stay_id IS NULL`
      yield* sql`UPDATE orders SET status = 'cancelled', cancelled_at = now() WHERE operator_id = ${operatorId}`
      yield* sql`DELETE FROM stays WHERE operator_id = ${operatorId} AND stay_code = ${code}`
      // The order's other stay is to 9 May.
      yield* forget("2021-06-07T11:59:59Z")
      assert.deepStrictEqual(yield* left, { left: 2, going: 0 })
      yield* forget("2021-06-07T12:00:00Z")
      assert.deepStrictEqual(yield* left, { left: 0, going: 1 })
    })
  )

  it.effect("go later where the stay is later now, and are not looked at before they are as old", () =>
    Effect.gen(function* () {
      const { sql, operatorId, code, handIn, forget, left } = yield* ready
      yield* handIn({ stay: code, order: code })
      yield* handIn({ stay: code, order: code, came: "2021-05-20" })
      yield* sql`UPDATE stays SET check_out_date = '2021-05-12' WHERE operator_id = ${operatorId} AND stay_code = ${code}`
      yield* forget("2021-06-08T12:00:00Z")
      assert.deepStrictEqual(yield* left, { left: 2, going: 0 })
      yield* forget("2021-06-11T00:00:00Z")
      assert.deepStrictEqual(yield* left, { left: 1, going: 1 })
      yield* forget("2021-06-19T00:00:00Z")
      assert.deepStrictEqual(yield* left, { left: 0, going: 2 })
    })
  )

  it.effect(
    `go all of them, of every operator, ${IDENTITY_IMAGE_BATCH_SIZE} looked at in a statement, by as many as are at it`,
    () =>
      Effect.gen(function* () {
        const [one, other] = [yield* ready, yield* ready]
        yield* one.handIn({ stay: `${one.code}_1`, order: one.code, count: IDENTITY_IMAGE_BATCH_SIZE + 1 })
        yield* one.handIn({ stay: one.code, order: one.code })
        yield* other.handIn({ stay: other.code, order: other.code })
        yield* Effect.all([one.forget("2021-06-06T12:00:00Z"), other.forget("2021-06-06T12:00:00Z")], {
          concurrency: 2
        })
        assert.deepStrictEqual(yield* one.left, { left: IDENTITY_IMAGE_BATCH_SIZE + 1, going: 1 })
        assert.deepStrictEqual(yield* other.left, { left: 0, going: 1 })
        yield* one.forget("2021-06-08T12:00:00Z")
        assert.deepStrictEqual(yield* one.left, { left: 0, going: IDENTITY_IMAGE_BATCH_SIZE + 2 })
      })
  )
})
