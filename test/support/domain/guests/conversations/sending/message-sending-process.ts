// A process that sends what waits for guests, by connectors on loopback, until nothing waits any more. From the environment:
// DATABASE_URL, AHEAD_MS (how far its clock is ahead, so that no test need wait for a lease to end).
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Clock, Effect, Layer, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import { layerWithHttpConnectors } from "../../../../../../src/connectors/http/connectors-layer.ts"
import { ChannelGateway } from "../../../../../../src/domain/channels/port/ChannelGateway.ts"
import { Connectors } from "../../../../../../src/domain/channels/port/connector.ts"
import { layerMessageJobs } from "../../../../../../src/domain/guests/conversations/sending/message-jobs.ts"
import { AddressResolver } from "../../../../../../src/domain/webhooks/deliveries/AddressResolver.ts"
import { parseAllowedHosts } from "../../../../../../src/domain/webhooks/deliveries/allowed-hosts.ts"
import { OutboundHttp } from "../../../../../../src/domain/webhooks/deliveries/OutboundHttp.ts"
import { WakeUp } from "../../../../../../src/jobs/WakeUp.ts"
import { layerPostgres } from "../../../../../../src/platform/database/postgres.ts"

const { DATABASE_URL = "", AHEAD_MS } = process.env

const realClock = Clock.Clock.defaultValue()
const nowMillis = () => Date.now() + Number(AHEAD_MS)
const shiftedClock: Clock.Clock = Object.assign(Object.create(realClock), {
  currentTimeMillisUnsafe: nowMillis,
  currentTimeMillis: Effect.sync(nowMillis)
})

const layerDatabase = layerPostgres({ url: Redacted.make(DATABASE_URL) })

const layerSenderOverHttp = layerMessageJobs.pipe(
  Layer.provide(ChannelGateway.layer),
  Layer.provide(layerWithHttpConnectors),
  Layer.provide([
    Connectors.layerNone,
    OutboundHttp.layer(Result.getOrThrow(parseAllowedHosts("127.0.0.1"))),
    WakeUp.layerProcess
  ]),
  Layer.provide(AddressResolver.layer)
)

const loadQueuedCount = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ waiting: number }>`SELECT sum(waiting)::int AS waiting FROM message_lanes`
)

Effect.repeat(Effect.andThen(Effect.sleep(20), loadQueuedCount), { until: ([row]) => row?.waiting === 0 }).pipe(
  Effect.provide(Layer.provideMerge(layerSenderOverHttp, layerDatabase)),
  Effect.provide(Layer.succeed(Clock.Clock, shiftedClock)),
  NodeRuntime.runMain
)
