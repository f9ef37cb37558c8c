import { Effect, Schema, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentActor, systemActor } from "../../contract/actor.ts"
import { Operators } from "../../domain/access/operators/Operators.ts"
import { makeOptionalRowReader, makeRowsReader } from "../../platform/database/rows.ts"
import { DEMO_EMAIL } from "./seed.ts"

const TOKEN_NAME = "Documentation: try it"

const IdRow = Schema.Struct({ id: Schema.Int })
const readAccount = makeOptionalRowReader(IdRow)
const readTokens = makeRowsReader(IdRow)

const listActiveTokens = (sql: SqlClient.SqlClient, accountId: number) =>
  readTokens(sql`
    SELECT id FROM access_tokens WHERE account_id = ${accountId} AND name = ${TOKEN_NAME} AND revoked_at IS NULL ORDER BY id`)

/**
 * Creates the token on demand and revokes older ones. Returns undefined without a demo operator or with too many
 * tokens.
 */
export const makeTryPageToken = Effect.gen(function* () {
  const [sql, operators, semaphore] = [yield* SqlClient.SqlClient, yield* Operators, yield* Semaphore.make(1)]
  let currentToken: { readonly token_id: number; readonly token: string } | undefined
  const findOrCreateToken = Effect.gen(function* () {
    const account = yield* readAccount(sql`
      SELECT id FROM accounts WHERE lower(email) = ${DEMO_EMAIL} AND role = 'main'`)
    if (account === undefined) return undefined
    const activeTokens = yield* listActiveTokens(sql, account.id)
    if (currentToken !== undefined && activeTokens.some(({ id }) => id === currentToken?.token_id))
      return currentToken.token
    yield* Effect.forEach(activeTokens, ({ id }) => Effect.ignore(operators.revokeToken(id)), { discard: true })
    currentToken = yield* operators.createToken({ account_id: account.id, name: TOKEN_NAME, scope: "writable" })
    return currentToken.token
  }).pipe(
    Effect.catch(() => Effect.succeed(undefined)),
    Effect.provideService(CurrentActor, systemActor("documentation", "try_it"))
  )
  return semaphore.withPermits(1)(findOrCreateToken)
})
