import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { layerAccountsWithPrices } from "../../domain/calendars/base-prices/missed-price-pushes.ts"
import { readNextDue } from "../../jobs/next-due.ts"
import { repeatPeriodically } from "../../jobs/WorkSchedule.ts"
import { makeExpireOrdersAndOffers } from "./expiration.ts"
import { Marketplace } from "./Marketplace.ts"
import { SandboxAccess } from "./SandboxAccess.ts"
import { SandboxAccounts } from "./SandboxAccounts.ts"
import { SandboxConnector } from "./SandboxConnector.ts"
import { SandboxOutbox } from "./SandboxOutbox.ts"
import { SandboxQueries } from "./SandboxQueries.ts"
import { SandboxRepository } from "./SandboxRepository.ts"

const SANDBOX_POLL_MS = 1_000

const MAX_BATCHES_PER_POLL = 20

export const layerSandbox = Layer.mergeAll(SandboxConnector.layer, Marketplace.layer).pipe(
  Layer.provideMerge(SandboxQueries.layer),
  Layer.provideMerge(Layer.mergeAll(SandboxRepository.layer, SandboxAccounts.layer, SandboxOutbox.layer)),
  Layer.provide(layerAccountsWithPrices)
)

const runSandboxWorkers = Effect.gen(function* () {
  const { isAllowed } = yield* SandboxAccess
  const { processBatch } = yield* SandboxOutbox
  const sql = yield* SqlClient.SqlClient
  const expire = yield* makeExpireOrdersAndOffers
  const processBatches = (left: number): Effect.Effect<void> =>
    Effect.flatMap(processBatch, (more) => (more && left > 1 ? processBatches(left - 1) : Effect.void))
  const ifAllowed = (work: Effect.Effect<unknown>) => () =>
    Effect.flatMap(isAllowed, (allowed) => (allowed ? Effect.asVoid(work) : Effect.void))
  yield* repeatPeriodically(
    "sending sandbox events",
    SANDBOX_POLL_MS,
    ifAllowed(processBatches(MAX_BATCHES_PER_POLL)),
    (until) =>
      readNextDue(sql`
      SELECT count(*) AS due, min(due_at) AS oldest_at FROM sandbox_words WHERE due_at <= ${until}`)
  )
  yield* repeatPeriodically("expiring sandbox requests", SANDBOX_POLL_MS, ifAllowed(expire), (until) =>
    readNextDue(sql`
      SELECT count(*) AS due, min(expires_at) AS oldest_at FROM (
        SELECT expires_at FROM sandbox_orders WHERE expires_at <= ${until}
        UNION ALL SELECT expires_at FROM sandbox_offers WHERE status = 'active' AND expires_at <= ${until}
      ) waiting`)
  )
})

export const layerSandboxWorkers = Layer.effectDiscard(runSandboxWorkers)
