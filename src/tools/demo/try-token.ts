import { Effect, Schema, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { Acting, byItself } from "../../contract/acting.ts"
import { Operators } from "../../domain/access/operators/Operators.ts"
import { rowOf, rowsOf } from "../../platform/database/rows.ts"
import { DEMO_EMAIL } from "./seed.ts"

// The token that the page for trying the API has filled in, on the machine of who tries the service: the demo operator's alone.

/** What the console calls it. */
const NAME = "Documentation: try it"

const Account = Schema.Struct({ id: Schema.Int })
const readAccount = rowOf(Account)
const readTokens = rowsOf(Account)

/** What works of those made before: by this process or another that ran before it. */
const working = (sql: SqlClient.SqlClient, accountId: number) =>
  readTokens(sql`
    SELECT id FROM access_tokens WHERE account_id = ${accountId} AND name = ${NAME} AND revoked_at IS NULL ORDER BY id`)

/**
 * A token of the demo operator's main account, made when it is first asked for and again where it no longer works; there is one at a
 * time. Undefined: there is no demo operator, or it has all the tokens it may have.
 */
export const makeTryToken = Effect.gen(function* () {
  const [sql, operators, turn] = [yield* SqlClient.SqlClient, yield* Operators, yield* Semaphore.make(1)]
  let made: { readonly token_id: number; readonly token: string } | undefined
  const take = Effect.gen(function* () {
    const account = yield* readAccount(sql`
      SELECT id FROM accounts WHERE lower(email) = ${DEMO_EMAIL} AND role = 'main'`)
    if (account === undefined) return undefined
    const there = yield* working(sql, account.id)
    if (made !== undefined && there.some(({ id }) => id === made?.token_id)) return made.token
    yield* Effect.forEach(there, ({ id }) => Effect.ignore(operators.revokeToken(id)), { discard: true })
    made = yield* operators.createToken({ account_id: account.id, name: NAME, scope: "writable" })
    return made.token
  }).pipe(
    Effect.catch(() => Effect.succeed(undefined)),
    Effect.provideService(Acting, byItself("documentation", "try_it"))
  )
  return turn.withPermits(1)(take)
})
