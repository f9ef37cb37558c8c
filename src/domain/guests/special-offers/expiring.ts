import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { onRecordInForms } from "../../../changes/on-record.ts"
import { Acting, byItself } from "../../../contract/acting.ts"
import { periodically } from "../../../jobs/loop.ts"
import type { Givens } from "../../../platform/database/forms.ts"
import { rowsOf } from "../../../platform/database/rows.ts"
import { Identity } from "../../row-fields.ts"
import { touchedOffers } from "./table.ts"

// An offer that nobody took expires by the clock. Whoever reads one goes by the clock himself (rules/standing.ts), so this
// is in no hurry: it writes down what is so already. Any number of processes may do it at once.

/** Milliseconds between two looks, and offers that one statement writes down. */
export const EXPIRING_MS = 60_000
export const EXPIRING_OFFERS = 200

const readExpired = rowsOf(Identity)

const expired = (sql: SqlClient.SqlClient) => {
  const statement = onRecordInForms(sql, ({ now }: Givens<{ readonly now: Date }>) => ({
    change: sql`
      due AS (
        SELECT operator_id, id FROM special_offers WHERE status = 'active' AND expires_at <= ${now}
        ORDER BY expires_at LIMIT ${sql.literal(String(EXPIRING_OFFERS))} FOR NO KEY UPDATE SKIP LOCKED
      ), after AS (
        UPDATE special_offers o SET status = 'expired' FROM due
        WHERE o.operator_id = due.operator_id AND o.id = due.id
        RETURNING o.operator_id, o.id, o.offer_id
      )`,
    events: [],
    touched: touchedOffers(sql, sql`after`, sql`'{status}'::text[]`),
    outcome: sql`SELECT id FROM after`
  }))
  return (now: Date) => readExpired(statement({ now }))
}

/** Lets expire what is due, all of it. */
export const expireOffers = Effect.gen(function* () {
  const once = expired(yield* SqlClient.SqlClient)
  return Effect.gen(function* () {
    const now = yield* DateTime.nowAsDate
    while ((yield* once(now)).length === EXPIRING_OFFERS);
  }).pipe(Effect.provideService(Acting, byItself("service", "expire offers")))
})

/** Lets offers expire for as long as the process runs, over a database. */
export const layerExpiring = Layer.effectDiscard(
  Effect.flatMap(expireOffers, (once) => periodically("expiring offers", EXPIRING_MS, () => once))
)
