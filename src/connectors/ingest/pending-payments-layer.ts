import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentActor, systemActor } from "../../contract/actor.ts"
import { Orders } from "../../domain/bookings/reservations/Orders.ts"
import { ChannelPaymentStore } from "../../domain/money/channel-payment-store.ts"
import { deleteExpiredPendingPaymentsSql } from "../../domain/money/pending-payments.ts"
import { applyRetention, RETENTION_INTERVAL_MS } from "../../jobs/retention.ts"
import { repeatPeriodically } from "../../jobs/WorkSchedule.ts"
import { PENDING_CHANNEL_PAYMENT_MS } from "../../platform/limits.ts"
import { applyAllPendingPayments } from "./payment-handler.ts"

const PENDING_PAYMENTS_POLL_MS = 60_000

export const layerPendingPayments = Layer.effectDiscard(
  Effect.gen(function* () {
    const services = { payments: yield* ChannelPaymentStore, orders: yield* Orders }
    const sql = yield* SqlClient.SqlClient
    yield* repeatPeriodically("recording waiting payments", PENDING_PAYMENTS_POLL_MS, () =>
      Effect.provideService(
        applyAllPendingPayments(services),
        CurrentActor,
        systemActor("service", "settle waiting payments")
      )
    )
    yield* repeatPeriodically("retention of waiting payments", RETENTION_INTERVAL_MS, (now) =>
      applyRetention(sql, [deleteExpiredPendingPaymentsSql(sql, new Date(now.getTime() - PENDING_CHANNEL_PAYMENT_MS))])
    )
  })
).pipe(Layer.provide([ChannelPaymentStore.layer, Orders.layer]))
