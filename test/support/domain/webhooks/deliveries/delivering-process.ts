// A process that delivers webhooks and records events until it is killed. Prints "ready", then the id of each event it
// has recorded. From the environment: DATABASE_URL or DATA_DIR, OPERATOR, EVENTS (how many it records), AHEAD_MS (how
// far its clock is ahead, so that no test need wait for a lease to end).
import { NodeRuntime } from "@effect/platform-node"
import { Clock, Effect, Layer, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import { AddressResolver } from "../../../../../src/domain/webhooks/deliveries/AddressResolver.ts"
import { parseAllowedHosts } from "../../../../../src/domain/webhooks/deliveries/allowed-hosts.ts"
import { layerDeliveries } from "../../../../../src/domain/webhooks/deliveries/layer.ts"
import { Outbound } from "../../../../../src/domain/webhooks/deliveries/Outbound.ts"
import { recordEvent } from "../../../../../src/jobs/events/event-statements.ts"
import { NewEvents } from "../../../../../src/jobs/events/NewEvents.ts"
import { WakeUp } from "../../../../../src/jobs/WakeUp.ts"
import { layerEmbedded } from "../../../../../src/platform/database/embedded.ts"
import { layerPostgres } from "../../../../../src/platform/database/postgres.ts"
import { traceCteSql } from "../../../../../src/platform/database/trace-statements.ts"

const { DATABASE_URL, DATA_DIR, OPERATOR, EVENTS, AHEAD_MS } = process.env

const RECORDS = 3

const real = Clock.Clock.defaultValue()
const nowMillis = () => Date.now() + Number(AHEAD_MS)
const shifted: Clock.Clock = Object.assign(Object.create(real), {
  currentTimeMillisUnsafe: nowMillis,
  currentTimeMillis: Effect.sync(nowMillis)
})
const layerClock = Layer.succeed(Clock.Clock, shifted)

const layerDatabase =
  DATABASE_URL === undefined
    ? layerEmbedded(DATA_DIR ?? "")
    : layerPostgres({ url: Redacted.make(DATABASE_URL), synchronousCommit: "off" })

/** Each event is committed by a statement of its own before its id is printed. */
const recording = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  console.log("ready")
  for (let n = 0; n < Number(EVENTS); n++) {
    const change = sql`(VALUES (${Number(OPERATOR)}::bigint, ${n % RECORDS}::bigint)) AS change (operator_id, id)`
    const event = recordEvent(sql, "transaction_updated", {
      from: change,
      record: sql`'transaction:' || id`,
      fields: { transaction_id: sql`id` },
      at: new Date(nowMillis())
    })
    const rows = yield* sql<{ id: number }>`WITH ${traceCteSql(sql, undefined)} ${event} RETURNING id`
    console.log(rows[0]?.id)
  }
})

const layerDelivering = layerDeliveries.pipe(
  Layer.provide(Outbound.layer(Result.getOrThrow(parseAllowedHosts("127.0.0.1")))),
  Layer.provide([AddressResolver.layer, WakeUp.layerProcess, NewEvents.layerProcess])
)

Layer.effectDiscard(recording).pipe(
  Layer.provideMerge(layerDelivering),
  Layer.provide(layerDatabase),
  Layer.provide(layerClock),
  Layer.launch,
  NodeRuntime.runMain
)
