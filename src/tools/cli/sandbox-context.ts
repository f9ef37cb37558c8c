import { Effect, Layer, Option } from "effect"
import { Flag } from "effect/cli"
import { Ingest } from "../../connectors/ingest/Ingest.ts"
import { layerSandbox } from "../../connectors/sandbox/layer.ts"
import { Marketplace } from "../../connectors/sandbox/Marketplace.ts"
import { SandboxAccess } from "../../connectors/sandbox/SandboxAccess.ts"
import { SandboxQueries } from "../../connectors/sandbox/SandboxQueries.ts"
import { BadRequest } from "../../contract/errors.ts"
import { layerCommandWakeUp } from "../../jobs/wake-up-layers.ts"
import { Configuration } from "../../service/configuration.ts"
import { DEMO_EMAIL } from "../demo/seed.ts"

export const withSandbox = <A, E>(
  work: (market: Marketplace["Service"], queries: SandboxQueries["Service"]) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    const { sandbox } = yield* Configuration
    const layerAllowed = SandboxAccess.layerFromSettings(sandbox, DEMO_EMAIL)
    return yield* Effect.gen(function* () {
      if (!(yield* (yield* SandboxAccess).isAllowed)) return yield* sandboxUnavailableError
      return yield* work(yield* Marketplace, yield* SandboxQueries)
    }).pipe(
      Effect.provide(Layer.provideMerge(layerSandbox, Layer.merge(Ingest.layer, layerAllowed))),
      Effect.provide(layerCommandWakeUp)
    )
  })

const sandboxUnavailableError = new BadRequest({
  message: "SANDBOX: must be 1, unless HOST and PUBLIC_URL are loopback and the demo operator exists."
})

export const SANDBOX_GUEST = "Sandbox Guest"

export const toProvidedFields = <Options extends Readonly<Record<string, Option.Option<unknown>>>>(options: Options) =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))
  )

export const textFlag = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)
export const integerFlag = (name: string, description: string) =>
  Flag.Int(name).pipe(Flag.withDescription(description), Flag.optional)
export const amountFlag = (name: string, description: string) =>
  Flag.Finite(name).pipe(Flag.withDescription(description), Flag.optional)

export const channelOperatorFlags = {
  channel_type: textFlag("channel", "channel_type; required if several accounts have this id (default: the only one)"),
  operator_id: integerFlag(
    "operator",
    "operator_id; required if several operators have this id (default: the only one)"
  )
}
