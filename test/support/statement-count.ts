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
      (result) => [result, spans.reduce((count, span) => count + countSpanStatements(span), 0)] as const
    )
  })

const TRANSACTION_SPAN = "sql.transaction"

const countSpanStatements = (span: Tracer.NativeSpan): number => {
  if (span.attributes.has("db.query.text")) return 1
  if (span.name !== TRANSACTION_SPAN) return 0
  const isRolledBack = span.events.some(([name]) => name === "effect.sql.transaction.rollback")
  // SAVEPOINT and RELEASE, with ROLLBACK TO between them; or BEGIN and COMMIT, or ROLLBACK.
  return isInTransaction(span) && isRolledBack ? 3 : 2
}

const isInTransaction = (span: Tracer.Span): boolean => {
  const parent = Option.getOrUndefined(span.parent)
  return parent?._tag === "Span" && (parent.name === TRANSACTION_SPAN || isInTransaction(parent))
}
