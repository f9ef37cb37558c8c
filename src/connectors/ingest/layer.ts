import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Acting, byItself } from "../../contract/acting.ts"
import { Orders } from "../../domain/bookings/reservations/Orders.ts"
import { ChannelMoneyStore } from "../../domain/money/channel-money.ts"
import { forgettingWaiting } from "../../domain/money/waiting-money.ts"
import { periodically } from "../../jobs/loop.ts"
import { applyRetention, RETENTION_MS } from "../../jobs/retention.ts"
import { CHANNEL_MONEY_WAITS_MS } from "../../platform/limits.ts"
import { settleAllWaiting } from "./money.ts"

/** Milliseconds between two looks for payments whose order came in while nobody saw to them. */
const WAITING_MS = 60_000

/** Sees to what waits of what channels said, for as long as the process runs, over a database. */
export const layerHearingLater = Layer.effectDiscard(
  Effect.gen(function* () {
    const services = { money: yield* ChannelMoneyStore, orders: yield* Orders }
    const sql = yield* SqlClient.SqlClient
    yield* periodically("recording waiting payments", WAITING_MS, () =>
      Effect.provideService(settleAllWaiting(services), Acting, byItself("service", "settle waiting payments"))
    )
    yield* periodically("retention of waiting payments", RETENTION_MS, (now) =>
      applyRetention(sql, [forgettingWaiting(sql, new Date(now.getTime() - CHANNEL_MONEY_WAITS_MS))])
    )
  })
).pipe(Layer.provide([ChannelMoneyStore.layer, Orders.layer]))
