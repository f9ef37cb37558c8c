import { Context, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"

export const READINESS_TIMEOUT_MS = 2_000

export class Readiness extends Context.Service<
  Readiness,
  {
    readonly isReady: Effect.Effect<boolean>
  }
>()("latchkey/platform/database/Readiness") {
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
