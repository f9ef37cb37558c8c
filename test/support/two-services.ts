import { Context, Effect, Layer, Ref, Result } from "effect"
import type { SqlClient } from "effect/sql"
import { RateWindows } from "../../src/admission/windows/RateWindows.ts"
import { AllowedReceivers, parseAllowedHosts } from "../../src/domain/webhooks/deliveries/allowed-hosts.ts"
import type { HttpFailure, HttpResponse } from "../../src/domain/webhooks/deliveries/http-call.ts"
import { type DeliveryResult, Outbound } from "../../src/domain/webhooks/deliveries/Outbound.ts"
import { PublicUrl } from "../../src/platform/installation.ts"
import { layerQuiet } from "../attacks/grounds.ts"
import { layerLocalOutbound } from "./domain/webhooks/deliveries/outbound-requests.ts"
import { layerService as layerAssembled, type layerTest } from "./harness.ts"
import { layerOwnDatabase } from "./own-database.ts"
import { BaseUrl, layerHttpServerOf } from "./server.ts"
import { findFreePort } from "./tools/cli/latchkey-process.ts"

// Two services that know nothing of each other but addresses: each has a database of its own and a real door, and asks the
// other through its guard. They have one clock, the test's.

/** What a service of the two has inside, beside what a test gives it. */
type Inside = BaseUrl | Outbound | Layer.Success<typeof layerTest>

export interface SecondService<More> {
  /** Where it listens, without a final slash. */
  readonly url: string
  /** Does something inside it. */
  readonly within: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, Exclude<R, Inside | More>>
  /** Cuts its way to others, or mends it: what it asks and posts fails meanwhile as where nobody listens. */
  readonly cut: (is: boolean) => Effect.Effect<void>
}

const NOBODY: HttpFailure = { outcome: "failed", reason: "connect", detail: "the line is cut" }
const nobody: Effect.Effect<HttpResponse | HttpFailure> = Effect.succeed(NOBODY)
const undelivered: Effect.Effect<DeliveryResult> = Effect.succeed({ ...NOBODY, durationMs: 0 })

/** They are on this machine. */
const layerLoopbackAllowed = Layer.succeed(AllowedReceivers, Result.getOrThrow(parseAllowedHosts("127.0.0.1")))

/** The way to others, for as long as it is not cut. */
const layerLine = (isCut: Ref.Ref<boolean>) =>
  Layer.effect(
    Outbound,
    Effect.map(Outbound, ({ request, post }) =>
      Outbound.of({
        request: (asking) => Effect.flatMap(Ref.get(isCut), (is) => (is ? nobody : request(asking))),
        post: (outgoing) => Effect.flatMap(Ref.get(isCut), (is) => (is ? undelivered : post(outgoing)))
      })
    )
  ).pipe(Layer.provide(layerLocalOutbound))

export type DatabaseLayer = Layer.Layer<SqlClient.SqlClient, unknown>

const service = Effect.fnUntraced(function* <More, E>(more: Layer.Layer<More, E, Inside>, database: DatabaseLayer) {
  const isCut = yield* Ref.make(false)
  const port = Number(yield* findFreePort)
  const publicUrl = `http://127.0.0.1:${port}`
  // The database is embedded and in memory, or one of its own on the server: anew for each of the two.
  const serving = layerHttpServerOf(layerAssembled(Layer.fresh(database), RateWindows.layerUnbounded), {
    port,
    publicUrl
  })
  const inside = more.pipe(
    Layer.provideMerge(Layer.merge(serving, layerLine(isCut))),
    Layer.provideMerge(Layer.mergeAll(layerQuiet, layerLoopbackAllowed, Layer.succeed(PublicUrl, publicUrl)))
  )
  const context = yield* Layer.build(Layer.fresh(inside))
  const made: SecondService<More> = {
    url: Context.get(context, BaseUrl),
    within: (work) => Effect.provide(work, context),
    cut: (is) => Ref.set(isCut, is)
  }
  return made
})

/** The two, for as long as the scope lasts, each with `more` of its own inside. */
export const startTwoServices = <More = never, E = never>(
  more: Layer.Layer<More, E, Inside>,
  [one, other]: readonly [DatabaseLayer, DatabaseLayer] = [layerOwnDatabase, layerOwnDatabase]
) => Effect.all([service(more, one), service(more, other)])
