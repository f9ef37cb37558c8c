import { Effect, Layer, Redacted } from "effect"
import { layerAssembly } from "../../../src/assembly.ts"
import { Stopping } from "../../../src/background/Stopping.ts"
import { WakeUp } from "../../../src/background/WakeUp.ts"
import { Refusals } from "../../../src/changes/Refusals.ts"
import { ChannelGateway } from "../../../src/channels/ChannelGateway.ts"
import { Connectors } from "../../../src/channels/connector.ts"
import { toReceivedInput } from "../../../src/contract/input.ts"
import { layerPostgres } from "../../../src/database/postgres.ts"
import { NewEvents } from "../../../src/events/NewEvents.ts"
import { RateWindows } from "../../../src/gate/windows/RateWindows.ts"
import { Places } from "../../../src/places/Places.ts"
import { Images } from "../../../src/resources/images/Images.ts"
import { Service } from "../../../src/service.ts"

// A process of its own that creates the same reservation many times at once: what a client's retries look like when
// the service runs in several processes. Started by idempotency.test.ts; prints the distinct answers it got.

const creating = Effect.gen(function* () {
  const [token, fields, times] = process.argv.slice(2)
  const service = yield* Service
  const create = service.call("create_reservation", {
    door: "rest",
    headers: { "service-access-token": token },
    params: {},
    receive: Effect.sync(() => toReceivedInput({ encoding: "json", fields: JSON.parse(fields ?? "{}") }))
  })
  // The connections and the token are ready before the race begins.
  yield* service.callerOf({ "service-access-token": token })
  const answers = yield* Effect.forEach(Array.from({ length: Number(times) }), () => create, {
    concurrency: "unbounded"
  })
  return Array.from(
    new Set(answers.map(({ envelope }) => JSON.stringify([envelope.error_code, envelope.error_msg, envelope.data])))
  )
})

const layerProcess = layerAssembly.pipe(
  Layer.provide([Refusals.layer, Images.layerDatabase]),
  Layer.provide([
    Layer.provide(ChannelGateway.layer, Connectors.layerNone),
    RateWindows.layerUnbounded,
    Places.layer(),
    WakeUp.layerProcess,
    NewEvents.layerProcess,
    Stopping.layer
  ]),
  Layer.provide(layerPostgres({ url: Redacted.make(process.env["PROCESS_DATABASE_URL"] ?? ""), maxConnections: 8 }))
)

const answers = await Effect.runPromise(creating.pipe(Effect.provide(layerProcess)))
console.log(`answers ${JSON.stringify(answers)}`)
