import { Effect, Layer } from "effect"
import { Statement } from "effect/sql"
import { ConcurrencyLimiter } from "../src/admission/concurrency/ConcurrencyLimiter.ts"
import { RateWindows } from "../src/admission/windows/RateWindows.ts"
import { FailedCallCounter } from "../src/changes/FailedCallCounter.ts"
import { toReceivedInput } from "../src/contract/input.ts"
import { ChannelGateway } from "../src/domain/channels/port/ChannelGateway.ts"
import { Connectors } from "../src/domain/channels/port/connector.ts"
import { Images } from "../src/domain/guests/images/Images.ts"
import { OutboundHttp } from "../src/domain/webhooks/deliveries/OutboundHttp.ts"
import { NewEventNotifier } from "../src/jobs/events/NewEventNotifier.ts"
import { Shutdown } from "../src/jobs/Shutdown.ts"
import { WakeUp } from "../src/jobs/WakeUp.ts"
import { Service } from "../src/service/service.ts"
import { layerServiceAssembly } from "../src/service/service-assembly.ts"

// The Service in the process of the bench, without HTTP and without windows.

export const layerInProcessWith = <E, R>(channels: Layer.Layer<ChannelGateway, E, R>) =>
  layerServiceAssembly.pipe(
    Layer.provide([FailedCallCounter.layer, Images.layerDatabase]),
    Layer.provide([
      channels,
      RateWindows.layerUnbounded,
      ConcurrencyLimiter.layer(),
      WakeUp.layerProcess,
      OutboundHttp.layerNoContent,
      NewEventNotifier.layerProcess,
      Shutdown.layer
    ])
  )

/** The same without any connector. */
export const layerInProcess = layerInProcessWith(Layer.provide(ChannelGateway.layer, Connectors.layerNone))

/** The data an operation answers; dies when it is refused. */
export const callWith = Effect.fnUntraced(function* (token: string, operation: string, fields: object) {
  const service = yield* Service
  const { envelope } = yield* service.call(operation, {
    transport: "rest",
    headers: { "service-access-token": token },
    params: {},
    receive: Effect.succeed(toReceivedInput({ encoding: "json", fields }))
  })
  if (envelope.error_code !== 0) {
    yield* Effect.die(new Error(`${operation}: ${envelope.error_code} ${envelope.error_msg}`))
  }
  return envelope.data
})

/** A statement as it is sent: its text, and the values of its parameters. */
export type Sent = readonly [text: string, values: ReadonlyArray<unknown>]

/** What an effect answers, and the statements it sends. */
export const withStatements = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const statements: Array<Sent> = []
    const recorded = Effect.provideService(effect, Statement.CurrentTransformer, (statement) => {
      statements.push(statement.compile())
      return Effect.succeed(statement)
    })
    return Effect.map(recorded, (answer) => ({ answer, statements }))
  })
