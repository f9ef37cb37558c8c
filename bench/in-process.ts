import { Effect, Layer } from "effect"
import { Statement } from "effect/sql"
import { WakeUp } from "../src/background/WakeUp.ts"
import { ChannelGateway } from "../src/channels/ChannelGateway.ts"
import { Gate } from "../src/gate/Gate.ts"
import { Tokens } from "../src/gate/Tokens.ts"
import { RateWindows } from "../src/gate/windows/RateWindows.ts"
import { Places } from "../src/places/Places.ts"
import { layerHandlers } from "../src/resources/index.ts"
import { Service } from "../src/service.ts"

// The Service in the process of the bench, without HTTP and without windows.

const layerOpen = Layer.succeed(RateWindows, {
  admit: () => Effect.succeed({ _tag: "Admitted", remaining: [] } as const),
  count: () => Effect.void
})

export const layerInProcess = Service.layer.pipe(
  Layer.provide(layerHandlers),
  Layer.provide(ChannelGateway.layerUnconnected),
  Layer.provide(Gate.layer),
  Layer.provide(Tokens.layer),
  Layer.provide([layerOpen, Places.layer(), WakeUp.layerProcess])
)

/** The data an operation answers; dies when it is refused. */
export const callWith = Effect.fnUntraced(function* (token: string, operation: string, fields: object) {
  const service = yield* Service
  const { envelope } = yield* service.call(operation, {
    door: "rest",
    headers: { "service-access-token": token },
    params: {},
    read: Effect.succeed({ encoding: "json", fields })
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
