import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { migrations } from "../../migrations/index.ts"
import { findSecretUrlOwner, hashToken } from "../../src/domain/secret-urls.ts"
import { migrate } from "../../src/platform/database/migrate.ts"
import { layerEmptyDatabase } from "../support/empty-database.ts"
import { createOperator, insertProperty } from "../support/harness.ts"
import { layerTestDatabase } from "../support/test-database.ts"

// The release before this writes tokens and nothing else; its statements stand here as it has them.

let made = 0
const newToken = (prefix: string) => `${prefix}_${String(++made).padStart(26, "0")}`

const enterFeed = Effect.fnUntraced(function* (operatorId: number, propertyId: number, token: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ id: number }>`
    INSERT INTO property_feeds (operator_id, property_id, token, created_at)
    VALUES (${operatorId}, ${propertyId}, ${token}, now()) RETURNING id`
  return row?.id ?? assert.fail("no row was inserted or found")
})

const enterLink = Effect.fnUntraced(function* (operatorId: number, token: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ id: number }>`
    INSERT INTO calendar_share_links (operator_id, scope, token, created_at)
    VALUES (${operatorId}, 'partial', ${token}, now()) RETURNING id`
  return row?.id ?? assert.fail("no row was inserted or found")
})

/** Where a token leads. */
const ownerOf = Effect.fnUntraced(function* (token: string) {
  const owned = yield* findSecretUrlOwner(yield* SqlClient.SqlClient)(token)
  return owned === undefined ? undefined : [owned.operatorId, owned.id]
})

layer(layerTestDatabase)("an address", (it) => {
  it.effect("leads to the row that has its token, though its writer says no digest", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* createOperator()
      const [feed, link] = [newToken("lkfeed"), newToken("lkcal")]
      const feedId = yield* enterFeed(operatorId, yield* insertProperty(operatorId, "Room"), feed)
      const linkId = yield* enterLink(operatorId, link)
      assert.deepStrictEqual(yield* ownerOf(feed), [operatorId, feedId])
      assert.deepStrictEqual(yield* ownerOf(link), [operatorId, linkId])
      assert.isUndefined(yield* ownerOf(newToken("lkfeed")))
    })
  )

  it.effect("opens nothing once its row has another token, or is gone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { operatorId } = yield* createOperator()
      const [before, after, link] = [newToken("lkfeed"), newToken("lkfeed"), newToken("lkcal")]
      const id = yield* enterFeed(operatorId, yield* insertProperty(operatorId, "Room"), before)
      yield* sql`UPDATE property_feeds SET token = ${after} WHERE operator_id = ${operatorId} AND id = ${id}`
      assert.deepStrictEqual(yield* Effect.all([ownerOf(before), ownerOf(after)]), [undefined, [operatorId, id]])
      yield* sql`DELETE FROM property_feeds WHERE operator_id = ${operatorId}`
      const linkId = yield* enterLink(operatorId, link)
      yield* sql`DELETE FROM calendar_share_links WHERE operator_id = ${operatorId} AND id = ${linkId}`
      assert.deepStrictEqual(yield* Effect.all([ownerOf(after), ownerOf(link)]), [undefined, undefined])
    })
  )

  it.effect("is found by its digest where its token is sealed, also once that is sealed anew", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { operatorId } = yield* createOperator()
      const token = newToken("lkfeed")
      const id = yield* enterFeed(operatorId, yield* insertProperty(operatorId, "Room"), newToken("lkfeed"))
      const own = sql`operator_id = ${operatorId} AND id = ${id}`
      yield* sql`UPDATE property_feeds SET token = 'sealed', token_digest = ${hashToken(token)} WHERE ${own}`
      assert.deepStrictEqual(yield* ownerOf(token), [operatorId, id])
      yield* sql`UPDATE property_feeds SET token = 'sealed anew' WHERE ${own}`
      assert.deepStrictEqual(yield* ownerOf(token), [operatorId, id])
      // What the release before would write over it is plain, and counts.
      const plain = newToken("lkfeed")
      yield* sql`UPDATE property_feeds SET token = ${plain} WHERE ${own}`
      assert.deepStrictEqual(yield* Effect.all([ownerOf(token), ownerOf(plain)]), [undefined, [operatorId, id]])
    })
  )

  it.effect("is refused where it is sealed and nothing says its digest, or another has it", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* createOperator(), yield* createOperator()]
      const token = newToken("lkcal")
      const unsaid = yield* Effect.flip(enterLink(one.operatorId, "sealed"))
      assert.match(String(unsaid.reason.cause), /not plain comes with its digest/)
      yield* enterLink(one.operatorId, token)
      const second = yield* Effect.flip(enterLink(other.operatorId, token))
      assert.strictEqual(second.reason._tag, "UniqueViolation")
      assert.strictEqual((yield* ownerOf(token))?.[0], one.operatorId)
    })
  )
})

/** The first migration that knows of digests. */
const FIRST = 57

layer(layerEmptyDatabase, { excludeTestServices: true })("an address of before", (it) => {
  it.effect("leads to its row once the database is migrated", () =>
    Effect.gen(function* () {
      yield* migrate(migrations.filter(({ id }) => id < FIRST))
      const sql = yield* SqlClient.SqlClient
      const { operatorId } = yield* createOperator()
      const propertyId = yield* insertProperty(operatorId, "Room")
      // More than two pieces.
      yield* sql`
        INSERT INTO property_feeds (operator_id, property_id, calendar_id, token, created_at)
        SELECT ${operatorId}, ${propertyId}, n, 'lkfeed_' || lpad(n::text, 26, 'x'), now() FROM generate_series(1, 1200) n`
      const link = newToken("lkcal")
      const linkId = yield* enterLink(operatorId, link)
      yield* migrate(migrations)
      assert.deepStrictEqual(yield* ownerOf(link), [operatorId, linkId])
      assert.deepStrictEqual(
        yield* sql`
          SELECT count(*) AS kept FROM property_feeds f JOIN addresses a
            ON a.operator_id = f.operator_id AND a.row_id = f.id AND a.kind = 'property_feed'
              AND a.digest = f.token_digest AND a.digest = sha256(convert_to(f.token, 'UTF8'))`,
        [{ kept: 1200 }]
      )
    })
  )
})
