import { Layer } from "effect"
import { layerChangeRetention } from "../changes/retention.ts"
import { layerConnectorMessageRetention } from "../connectors/http/message-log.ts"
import { layerPendingPayments } from "../connectors/ingest/pending-payments-layer.ts"
import { layerOAuthRetention } from "../domain/access/oauth/retention.ts"
import { layerSessionRetention } from "../domain/access/sign-in/retention.ts"
import { guestQuestionSubscribers } from "../domain/automation/answering/guest-questions.ts"
import { markStaysOfReservationEvents } from "../domain/automation/planning/planning-marks.ts"
import { layerIdentityImageRetention } from "../domain/bookings/check-in/identity-image-retention.ts"
import { layerQuoteRetention } from "../domain/bookings/quotes/retention.ts"
import { layerOrderTimeouts } from "../domain/bookings/reservations/order-timeouts.ts"
import { layerBasePriceRetention } from "../domain/calendars/base-prices/retention.ts"
import { markAvailabilityChangesDue } from "../domain/calendars/listing-calendars/due-days.ts"
import { ChannelGateway } from "../domain/channels/port/ChannelGateway.ts"
import { layerImageRetention } from "../domain/guests/images/retention.ts"
import { layerReviewOpening } from "../domain/guests/reviews/review-opening.ts"
import { layerOfferExpiry } from "../domain/guests/special-offers/offer-expiry.ts"
import { layerNameKeyBackfill } from "../domain/name-key-backfill.ts"
import { notificationSubscribers } from "../domain/notifications/event-subscribers.ts"
import { InternalSubscribers } from "../jobs/events/internal-subscribers.ts"
import { layerConsumerWatch } from "../jobs/events/layer.ts"
import { layerBackgroundDatabase } from "../platform/database/database-layers.ts"
import { layerNoMailer, type Mailer } from "../platform/mail/Mailer.ts"
import { layerSmtpMailer } from "../platform/mail/smtp-mailer.ts"
import { layerBacklog } from "../service/backlog.ts"
import type { Settings } from "../service/configuration.ts"
import { layerJobs } from "../service/job-kinds.ts"
import { layerGuestRetention } from "../tools/privacy/guest-retention.ts"
import { type LayerConnectors, layerOutboundHttp, type SandboxLayers } from "./connector-layers.ts"

const layerMailer = ({ mail }: Settings): Layer.Layer<Mailer> =>
  mail === undefined ? layerNoMailer : layerSmtpMailer(mail)

const layerJobsWithServices = (settings: Settings, connectors: LayerConnectors) =>
  Layer.merge(layerJobs, layerConsumerWatch).pipe(
    Layer.provide(
      Layer.succeed(InternalSubscribers, [
        markAvailabilityChangesDue,
        markStaysOfReservationEvents,
        ...guestQuestionSubscribers,
        ...(settings.mail === undefined ? [] : notificationSubscribers)
      ])
    ),
    Layer.provide([
      Layer.provide(ChannelGateway.layer, connectors),
      layerOutboundHttp(settings),
      layerMailer(settings),
      layerBackgroundDatabase
    ])
  )

const layerDataRetention = Layer.provide(
  Layer.mergeAll(
    layerChangeRetention,
    layerSessionRetention,
    layerConnectorMessageRetention,
    layerImageRetention,
    layerOAuthRetention,
    layerQuoteRetention,
    layerBasePriceRetention
  ),
  layerBackgroundDatabase
)

const layerTimeouts = Layer.provide(
  Layer.mergeAll(layerOrderTimeouts, layerPendingPayments, layerOfferExpiry, layerReviewOpening),
  layerBackgroundDatabase
)

const layerGuestDataRetention = Layer.provide(
  Layer.mergeAll(layerIdentityImageRetention, layerGuestRetention, layerNameKeyBackfill),
  layerBackgroundDatabase
)

export const exportsMetrics = ({ metricsPort, otlpEndpoint }: Settings): boolean =>
  metricsPort !== undefined || otlpEndpoint !== undefined

const layerBacklogMetrics = (settings: Settings) =>
  exportsMetrics(settings) ? Layer.provide(layerBacklog, layerBackgroundDatabase) : Layer.empty

export const layerBackgroundWork = (settings: Settings, connectors: LayerConnectors, sandbox: SandboxLayers) =>
  Layer.mergeAll(
    layerJobsWithServices(settings, connectors),
    layerDataRetention,
    layerTimeouts,
    layerGuestDataRetention,
    layerBacklogMetrics(settings),
    sandbox.backgroundWork
  )
