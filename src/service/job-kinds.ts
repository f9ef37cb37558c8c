import { Layer } from "effect"
import { IdempotencyKeys } from "../changes/IdempotencyKeys.ts"
import { layerLinkJobs, linkJobs } from "../domain/access/sign-in/mailed-links/link-jobs.ts"
import { answerJobs, layerAnswerJobs } from "../domain/automation/answering/answer-jobs.ts"
import { layerPlanner, planningBacklog } from "../domain/automation/planning/planner.ts"
import { layerPlanJobs, planJobs } from "../domain/automation/running/plan-jobs.ts"
import { layerPushJobsWithPrices } from "../domain/calendars/base-prices/missed-price-pushes.ts"
import { calendarJobs, layerCalendarJobs } from "../domain/calendars/imported-calendars/calendar-jobs.ts"
import { comparisonJobs, layerComparisonJobs } from "../domain/calendars/listing-calendars/comparison-jobs.ts"
import { pushJobs } from "../domain/calendars/listing-calendars/push-jobs.ts"
import { layerMessageJobs, messageJobs } from "../domain/guests/conversations/sending/message-jobs.ts"
import { layerPreparationJobs, preparationJobs } from "../domain/knowledge/preparing/preparation-jobs.ts"
import { KnowledgeAnswers } from "../domain/knowledge/search/KnowledgeAnswers.ts"
import { layerNotificationJobs, notificationJobs } from "../domain/notifications/notification-jobs.ts"
import { deliveryJobs } from "../domain/webhooks/deliveries/delivery-attempt.ts"
import { eventBacklog } from "../domain/webhooks/deliveries/EventDispatcher.ts"
import { layerDeliveries } from "../domain/webhooks/deliveries/layer.ts"
import { layerRequestDatabase } from "../platform/database/database-layers.ts"

/** To add a kind of job, declare it with `defineJobs` in its domain folder and add one entry here. */
export const JOB_KINDS = [
  { layer: layerDeliveries, backlog: [...eventBacklog, ...deliveryJobs.backlog] },
  { layer: layerPushJobsWithPrices, backlog: pushJobs.backlog },
  { layer: layerComparisonJobs, backlog: comparisonJobs.backlog },
  { layer: layerMessageJobs, backlog: messageJobs.backlog },
  { layer: layerCalendarJobs, backlog: calendarJobs.backlog },
  { layer: layerPlanner, backlog: planningBacklog },
  // The request database makes commits durable, which `layerPlanJobs` requires.
  { layer: Layer.provide(layerPlanJobs, [IdempotencyKeys.layer, layerRequestDatabase]), backlog: planJobs.backlog },
  { layer: Layer.provide(layerAnswerJobs, KnowledgeAnswers.layer), backlog: answerJobs.backlog },
  { layer: layerPreparationJobs, backlog: preparationJobs.backlog },
  { layer: layerLinkJobs, backlog: linkJobs.backlog },
  { layer: layerNotificationJobs, backlog: notificationJobs.backlog }
] as const

type JobLayer = (typeof JOB_KINDS)[number]["layer"]

const LAYERS: ReadonlyArray<Layer.Layer<never, Layer.Error<JobLayer>, Layer.Services<JobLayer>>> = JOB_KINDS.map(
  ({ layer }) => layer
)

export const layerJobs = Layer.mergeAll(Layer.empty, ...LAYERS)
