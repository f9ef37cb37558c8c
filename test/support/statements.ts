import { Effect, Option, Tracer } from "effect"
import { makeSpanRecorder } from "./span-recorder.ts"

/**
 * Runs an effect and counts the SQL statements it caused, that is its round trips to the database, those that frame a
 * transaction or a savepoint among them. Statements of other fibers do not count, so tests may run side by side.
 */
export const countStatements = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<readonly [A, number], E, R> =>
  Effect.suspend(() => {
    const { tracer, spans } = makeSpanRecorder()
    return Effect.map(
      Effect.provideService(effect, Tracer.Tracer, tracer),
      (result) => [result, spans.reduce((count, span) => count + statementsOf(span), 0)] as const
    )
  })

const TRANSACTION = "sql.transaction"

const statementsOf = (span: Tracer.NativeSpan): number => {
  if (span.attributes.has("db.query.text")) return 1
  if (span.name !== TRANSACTION) return 0
  const rolledBack = span.events.some(([name]) => name === "effect.sql.transaction.rollback")
  // SAVEPOINT and RELEASE, with ROLLBACK TO between them; or BEGIN and COMMIT, or ROLLBACK.
  return isInTransaction(span) && rolledBack ? 3 : 2
}

const isInTransaction = (span: Tracer.Span): boolean => {
  const parent = Option.getOrUndefined(span.parent)
  return parent?._tag === "Span" && (parent.name === TRANSACTION || isInTransaction(parent))
}
