import { Context, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The client for short reads of requests. Their statements share connections and are sent together, which saves a third of a short
 * read's processor time. A statement delays those behind it on its connection, and runs to its end when its caller goes away. So only
 * reads by key or of an index page are sent here: they wait for no lock and take milliseconds.
 */
export class SharedReads extends Context.Service<SharedReads, SqlClient.SqlClient>()(
  "latchkey/platform/database/SharedReads"
) {}

type Read<Args extends ReadonlyArray<unknown>, A, E> = (...args: Args) => Effect.Effect<A, E>

/**
 * Returns a function that makes a read of a store. The read shares a connection if `isShort` holds for its arguments, and if no
 * transaction is open: it must see what the transaction wrote.
 */
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
