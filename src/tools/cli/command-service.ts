import { Effect, Layer } from "effect"
import { ConcurrencyLimiter } from "../../admission/concurrency/ConcurrencyLimiter.ts"
import { RateWindows } from "../../admission/windows/RateWindows.ts"
import { FailedCallCounter } from "../../changes/FailedCallCounter.ts"
import { OperatorStore } from "../../domain/access/operators/OperatorStore.ts"
import { ChannelGateway } from "../../domain/channels/port/ChannelGateway.ts"
import { Connectors } from "../../domain/channels/port/connector.ts"
import { Images } from "../../domain/guests/images/Images.ts"
import { AddressResolver } from "../../domain/webhooks/deliveries/AddressResolver.ts"
import { AllowedReceivers } from "../../domain/webhooks/deliveries/allowed-hosts.ts"
import { OutboundHttp } from "../../domain/webhooks/deliveries/OutboundHttp.ts"
import { NewEventNotifier } from "../../jobs/events/NewEventNotifier.ts"
import { Shutdown } from "../../jobs/Shutdown.ts"
import { layerCommandWakeUp } from "../../jobs/wake-up-layers.ts"
import { PublicClientEnabled, PublicUrl } from "../../platform/installation.ts"
import { Configuration } from "../../service/configuration.ts"
import { layerServiceAssembly } from "../../service/service-assembly.ts"

/**
 * The service within a command. It calls no channels. Instead, the end of the command wakes the running workers, which
 * call them.
 */
export const layerCommandService = Layer.unwrap(
  Effect.map(Configuration, ({ webhookAllowedHosts, publicUrl, publicClientEnabled }) =>
    Layer.merge(layerServiceAssembly, OperatorStore.layer).pipe(
      Layer.provide([
        Layer.provide(ChannelGateway.layer, Connectors.layerNone),
        Layer.provide(OutboundHttp.layer(webhookAllowedHosts), AddressResolver.layer),
        Images.layerDatabase,
        NewEventNotifier.layerProcess,
        RateWindows.layerMemory,
        ConcurrencyLimiter.layer(),
        Shutdown.layer,
        FailedCallCounter.layerNone
      ]),
      Layer.provide(layerCommandWakeUp),
      // Handlers read these settings when they are called, so `provide` is not enough.
      Layer.provideMerge(
        Layer.mergeAll(
          Layer.succeed(AllowedReceivers, webhookAllowedHosts),
          Layer.succeed(PublicUrl, publicUrl),
          Layer.succeed(PublicClientEnabled, publicClientEnabled)
        )
      )
    )
  )
)
