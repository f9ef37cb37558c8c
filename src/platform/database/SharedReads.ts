import { Context, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The client for short reads of requests, which share connections. A statement delays the next ones on its connection,
 * and runs to its end even if its caller goes away. So use the client only for reads by key, or of few rows by an
 * index.
 */
export class SharedReads extends Context.Service<SharedReads, SqlClient.SqlClient>()(
  "latchkey/platform/database/SharedReads"
) {}

type Read<Args extends ReadonlyArray<unknown>, A, E> = (...args: Args) => Effect.Effect<A, E>

/** The read shares a connection if `isShort` returns true, except in a transaction, whose writes it must see. */
export const makeReadClientChooser = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const shared = Option.getOrElse(yield* Effect.serviceOption(SharedReads), () => sql)
  return <Args extends ReadonlyArray<unknown>, A, E>(
    makeRead: (client: SqlClient.SqlClient) => Read<Args, A, E>,
    isShort: (...args: Args) => boolean = () => true
  ): Read<Args, A, E> => {
    const readAlone = makeRead(sql)
    if (shared === sql) return readAlone
    const readShared = makeRead(shared)
    return (...args) =>
      Effect.withFiber((fiber) =>
        Context.getOrUndefined(fiber.context, sql.transactionService) === undefined && isShort(...args)
          ? readShared(...args)
          : readAlone(...args)
      )
  }
})
