import { Effect, Layer, Redacted } from "effect"
import { ConcurrencyLimiter } from "../../../../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { RateWindows } from "../../../../../src/admission/windows/RateWindows.ts"
import { FailedCallCounter } from "../../../../../src/changes/FailedCallCounter.ts"
import { toReceivedInput } from "../../../../../src/contract/input.ts"
import { ChannelGateway } from "../../../../../src/domain/channels/port/ChannelGateway.ts"
import { Connectors } from "../../../../../src/domain/channels/port/connector.ts"
import { Images } from "../../../../../src/domain/guests/images/Images.ts"
import { OutboundHttp } from "../../../../../src/domain/webhooks/deliveries/OutboundHttp.ts"
import { NewEventNotifier } from "../../../../../src/jobs/events/NewEventNotifier.ts"
import { Shutdown } from "../../../../../src/jobs/Shutdown.ts"
import { WakeUp } from "../../../../../src/jobs/WakeUp.ts"
import { layerPostgres } from "../../../../../src/platform/database/postgres.ts"
import { Service } from "../../../../../src/service/service.ts"
import { layerServiceAssembly } from "../../../../../src/service/service-assembly.ts"

// A process of its own that creates the same reservation many times at once: what a client's retries look like when
// the service runs in several processes. Started by idempotency.system.test.ts; prints the distinct answers it got.

const createReservationRepeatedly = Effect.gen(function* () {
  const [token, fields, times] = process.argv.slice(2)
  const service = yield* Service
  const create = service.call("create_reservation", {
    transport: "rest",
    headers: { "service-access-token": token },
    params: {},
    receive: Effect.sync(() => toReceivedInput({ encoding: "json", fields: JSON.parse(fields ?? "{}") }))
  })
  // The connections and the token are ready before the race begins.
  yield* service.findCaller({ "service-access-token": token })
  const responses = yield* Effect.forEach(Array.from({ length: Number(times) }), () => create, {
    concurrency: "unbounded"
  })
  return Array.from(
    new Set(responses.map(({ envelope }) => JSON.stringify([envelope.error_code, envelope.error_msg, envelope.data])))
  )
})

const layerProcess = layerServiceAssembly.pipe(
  Layer.provide([FailedCallCounter.layer, Images.layerDatabase]),
  Layer.provide([
    Layer.provide(ChannelGateway.layer, Connectors.layerNone),
    RateWindows.layerUnbounded,
    ConcurrencyLimiter.layer(),
    WakeUp.layerProcess,
    OutboundHttp.layerNoContent,
    NewEventNotifier.layerProcess,
    Shutdown.layer
  ]),
  Layer.provide(layerPostgres({ url: Redacted.make(process.env["PROCESS_DATABASE_URL"] ?? ""), maxConnections: 8 }))
)

const distinctResponses = await Effect.runPromise(createReservationRepeatedly.pipe(Effect.provide(layerProcess)))
console.log(`answers ${JSON.stringify(distinctResponses)}`)
