import { Layer } from "effect"
import { AllowedReceivers } from "../domain/webhooks/deliveries/allowed-hosts.ts"
import {
  Deployment,
  IdentityImageRetentionDays,
  PublicClientEnabled,
  PublicUrl,
  RetentionDays
} from "../platform/installation.ts"
import { MailEnabled } from "../platform/mail/Mailer.ts"
import { layerSealing } from "../platform/sealing/CurrentSealer.ts"
import { MetricsEnabled } from "../platform/telemetry/metrics/metric-updates.ts"
import type { Settings } from "../service/configuration.ts"
import { exportsMetrics } from "./background-work.ts"

export const layerInstallation = (settings: Settings) =>
  Layer.mergeAll(
    Layer.succeed(MetricsEnabled, exportsMetrics(settings)),
    Layer.succeed(Deployment, settings.deployment),
    Layer.succeed(PublicUrl, settings.publicUrl),
    layerSealing(settings.secretKeys),
    Layer.succeed(IdentityImageRetentionDays, settings.identityImageDays),
    Layer.succeed(RetentionDays, settings.retentionDays),
    Layer.succeed(PublicClientEnabled, settings.publicClientEnabled),
    Layer.succeed(MailEnabled, settings.mail !== undefined),
    Layer.succeed(AllowedReceivers, settings.webhookAllowedHosts)
  )
