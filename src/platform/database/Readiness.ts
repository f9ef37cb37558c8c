import { Context, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Milliseconds the database may take to show that it is there, before the service says it is not ready. */
export const READY_MS = 2_000

/** Whether the database answers. */
export class Readiness extends Context.Service<
  Readiness,
  {
    /** Asks it, and says no when it has not answered in time. */
    readonly answers: Effect.Effect<boolean>
  }
>()("latchkey/database/Readiness") {
  /** `patience`: milliseconds it has to answer. */
  static readonly layer = (patience: number = READY_MS): Layer.Layer<Readiness, never, SqlClient.SqlClient> =>
    Layer.effect(
      Readiness,
      Effect.map(SqlClient.SqlClient, (sql) => ({
        answers: sql`SELECT 1`.pipe(
          Effect.exit,
          Effect.map(Exit.isSuccess),
          Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed(false) })
        )
      }))
    )
}
