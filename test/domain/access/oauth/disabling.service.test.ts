import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Partners } from "../../../../src/domain/access/oauth/Partners.ts"
import { GRANTS_REVOKED_AT_ONCE, OAUTH_CONNECTIONS_MAX } from "../../../../src/platform/limits.ts"
import { createPartner } from "../../../support/domain/access/oauth/scripted-token-issuer.ts"
import { asSystemActor, createOperator } from "../../../support/harness.ts"
import { layerTestDatabase } from "../../../support/test-database.ts"

// A client is disabled and its connections end a few hundred at a time, all of them in the end.

const live = (clientId: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ live: number }>`
      SELECT count(*)::int AS live FROM oauth_grants WHERE client_id = ${clientId} AND ended_at IS NULL`
  ).pipe(Effect.map(([row]) => row?.live))

/** So many connections of a client, as many of an operator as its account may have. */
const connect = Effect.fnUntraced(function* (clientId: string, number: number) {
  const sql = yield* SqlClient.SqlClient
  for (let left = number; left > 0; left -= OAUTH_CONNECTIONS_MAX) {
    const { operatorId, accountId } = yield* createOperator()
    yield* sql`
      INSERT INTO oauth_grants (operator_id, account_id, client_id, name, scope, created_at)
      SELECT ${operatorId}::bigint, ${accountId}::bigint, ${clientId}::text, 'Many', 'writable', now()
      FROM generate_series(1, ${Math.min(left, OAUTH_CONNECTIONS_MAX)}::int)`
  }
})

layer(Layer.provideMerge(Partners.layer, layerTestDatabase))("a client that is disabled", (it) => {
  for (const number of [GRANTS_REVOKED_AT_ONCE, GRANTS_REVOKED_AT_ONCE + 1]) {
    it.effect(`has none of its ${number} connections left`, () =>
      Effect.gen(function* () {
        const [client, other] = [yield* createPartner, yield* createPartner]
        yield* connect(client.client_id, number)
        yield* connect(other.client_id, 1)
        assert.strictEqual(yield* live(client.client_id), number)
        const { disable } = yield* Partners
        const answer = yield* asSystemActor(disable(client.client_id))
        assert.deepStrictEqual(answer, { client_id: client.client_id, connections_ended: number })
        assert.deepStrictEqual([yield* live(client.client_id), yield* live(other.client_id)], [0, 1])
      })
    )
  }
})
