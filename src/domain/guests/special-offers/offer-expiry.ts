import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { recordChange } from "../../../changes/recorded-change.ts"
import { CurrentActor, systemActor } from "../../../contract/actor.ts"
import { readNextDue } from "../../../jobs/next-due.ts"
import { repeatPeriodically } from "../../../jobs/WorkSchedule.ts"
import { makeRowsReader } from "../../../platform/database/rows.ts"
import { RowId } from "../../column-schemas.ts"
import { changedOffersSql } from "./offer-columns.ts"

// Readers compute the expiry themselves (rules/offer-status.ts), so a late change of the stored status does no harm.
// Several processes may run this.

const OFFER_EXPIRY_POLL_MS = 60_000
export const OFFER_EXPIRY_BATCH_SIZE = 200

const readExpiredOffers = makeRowsReader(RowId)

const makeExpireBatch = (sql: SqlClient.SqlClient) => (now: Date) =>
  readExpiredOffers(
    recordChange(sql, {
      change: sql`
        due AS (
          SELECT operator_id, id FROM special_offers WHERE status = 'active' AND expires_at <= ${now}
          ORDER BY expires_at LIMIT ${sql.literal(String(OFFER_EXPIRY_BATCH_SIZE))} FOR NO KEY UPDATE SKIP LOCKED
        ), after AS (
          UPDATE special_offers o SET status = 'expired' FROM due
          WHERE o.operator_id = due.operator_id AND o.id = due.id
          RETURNING o.operator_id, o.id, o.offer_id
        )`,
      events: [],
      changedRecords: changedOffersSql(sql, sql`after`, sql`'{status}'::text[]`),
      outcome: sql`SELECT id FROM after`
    })
  )

export const makeExpireOffers = Effect.gen(function* () {
  const expireBatch = makeExpireBatch(yield* SqlClient.SqlClient)
  return Effect.gen(function* () {
    const now = yield* DateTime.nowAsDate
    while ((yield* expireBatch(now)).length === OFFER_EXPIRY_BATCH_SIZE);
  }).pipe(Effect.provideService(CurrentActor, systemActor("service", "expire offers")))
})

const findNextExpiry = (sql: SqlClient.SqlClient) => (until: Date) =>
  readNextDue(sql`
    SELECT count(*) AS due, min(expires_at) AS oldest_at FROM special_offers
    WHERE status = 'active' AND expires_at <= ${until}`)

export const layerOfferExpiry = Layer.effectDiscard(
  Effect.gen(function* () {
    const expireDueOffers = yield* makeExpireOffers
    const sql = yield* SqlClient.SqlClient
    yield* repeatPeriodically("expiring offers", OFFER_EXPIRY_POLL_MS, () => expireDueOffers, findNextExpiry(sql))
  })
)
