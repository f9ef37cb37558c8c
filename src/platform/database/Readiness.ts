import { Context, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Milliseconds the database may take to show that it is there, before the service says it is not ready. */
export const READINESS_TIMEOUT_MS = 2_000

/** Whether the database answers. */
export class Readiness extends Context.Service<
  Readiness,
  {
    /** Asks it, and says no when it has not answered in time. */
    readonly isReady: Effect.Effect<boolean>
  }
>()("latchkey/platform/database/Readiness") {
  /** `timeoutMs`: milliseconds it has to answer. */
  static readonly layer = (
    timeoutMs: number = READINESS_TIMEOUT_MS
  ): Layer.Layer<Readiness, never, SqlClient.SqlClient> =>
    Layer.effect(
      Readiness,
      Effect.map(SqlClient.SqlClient, (sql) => ({
        isReady: sql`SELECT 1`.pipe(
          Effect.exit,
          Effect.map(Exit.isSuccess),
          Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.succeed(false) })
        )
      }))
    )
}
