// A process that delivers webhooks and records events until it is killed. Prints "ready", then the id of each event it
// has recorded. From the environment: DATABASE_URL or DATA_DIR, OPERATOR, EVENTS (how many it records), AHEAD_MS (how
// far its clock is ahead, so that no test need wait for a lease to end).
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Clock, Effect, Layer, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import { AddressResolver } from "../../../../../src/domain/webhooks/deliveries/AddressResolver.ts"
import { parseAllowedHosts } from "../../../../../src/domain/webhooks/deliveries/allowed-hosts.ts"
import { layerDeliveries } from "../../../../../src/domain/webhooks/deliveries/layer.ts"
import { OutboundHttp } from "../../../../../src/domain/webhooks/deliveries/OutboundHttp.ts"
import { recordEventSql } from "../../../../../src/jobs/events/event-statements.ts"
import { NewEventNotifier } from "../../../../../src/jobs/events/NewEventNotifier.ts"
import { WakeUp } from "../../../../../src/jobs/WakeUp.ts"
import { layerEmbedded } from "../../../../../src/platform/database/embedded.ts"
import { layerPostgres } from "../../../../../src/platform/database/postgres.ts"
import { traceCteSql } from "../../../../../src/platform/database/traceparent-sql.ts"

const { DATABASE_URL, DATA_DIR, OPERATOR, EVENTS, AHEAD_MS } = process.env

const RECORD_COUNT = 3

const realClock = Clock.Clock.defaultValue()
const nowMillis = () => Date.now() + Number(AHEAD_MS)
const shiftedClock: Clock.Clock = Object.assign(Object.create(realClock), {
  currentTimeMillisUnsafe: nowMillis,
  currentTimeMillis: Effect.sync(nowMillis)
})
const layerClock = Layer.succeed(Clock.Clock, shiftedClock)

const layerDatabase =
  DATABASE_URL === undefined
    ? layerEmbedded(DATA_DIR ?? "")
    : layerPostgres({ url: Redacted.make(DATABASE_URL), synchronousCommit: "off" })

/** Each event is committed by a statement of its own before its id is printed. */
const recordEvents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  console.log("ready")
  for (let n = 0; n < Number(EVENTS); n++) {
    const change = sql`(VALUES (${Number(OPERATOR)}::bigint, ${n % RECORD_COUNT}::bigint)) AS change (operator_id, id)`
    const event = recordEventSql(sql, "transaction_updated", {
      from: change,
      record: sql`'transaction:' || id`,
      fields: { transaction_id: sql`id` },
      at: new Date(nowMillis())
    })
    const rows = yield* sql<{ id: number }>`WITH ${traceCteSql(sql, undefined)} ${event} RETURNING id`
    console.log(rows[0]?.id)
  }
})

const layerDeliveryWorkers = layerDeliveries.pipe(
  Layer.provide(OutboundHttp.layer(Result.getOrThrow(parseAllowedHosts("127.0.0.1")))),
  Layer.provide([AddressResolver.layer, WakeUp.layerProcess, NewEventNotifier.layerProcess])
)

Layer.effectDiscard(recordEvents).pipe(
  Layer.provideMerge(layerDeliveryWorkers),
  Layer.provide(layerDatabase),
  Layer.provide(layerClock),
  Layer.launch,
  NodeRuntime.runMain
)
