import { Clock, Effect, Layer, Logger } from "effect"
import { IdempotencyKeys } from "../../../../src/changes/IdempotencyKeys.ts"
import { PasswordCost } from "../../../../src/domain/access/operators/password.ts"
import { layerAnswerJobs } from "../../../../src/domain/automation/answering/answer-jobs.ts"
import { guestQuestionSubscribers } from "../../../../src/domain/automation/answering/guest-questions.ts"
import { layerPlanner } from "../../../../src/domain/automation/planning/planner.ts"
import { markStaysOfReservationEvents } from "../../../../src/domain/automation/planning/planning-marks.ts"
import { layerPlanJobs } from "../../../../src/domain/automation/running/plan-jobs.ts"
import { layerPreparationJobs } from "../../../../src/domain/knowledge/preparing/preparation-jobs.ts"
import { KnowledgeAnswers } from "../../../../src/domain/knowledge/search/KnowledgeAnswers.ts"
import { layerEventDispatcher, layerServiceWithSandbox } from "../../connectors/sandbox/service-with-sandbox.ts"

/** The clock on the wall, but for its day. */
const layerClockAt = (start: string) => {
  const realClock = Clock.Clock.defaultValue()
  const offsetMs = Date.parse(start) - Date.now()
  const nowMillis = () => Date.now() + offsetMs
  const shiftedClock: Clock.Clock = Object.assign(Object.create(realClock), {
    currentTimeMillisUnsafe: nowMillis,
    currentTimeMillis: Effect.sync(nowMillis)
  })
  return Layer.succeed(Clock.Clock, shiftedClock)
}

/** A service over an empty database of its own, all workers running, that is first started at an instant of a test's choice. */
export const layerStartedService = (start: string) =>
  Layer.mergeAll(
    layerEventDispatcher(markStaysOfReservationEvents, ...guestQuestionSubscribers),
    layerPlanner,
    Layer.provide(layerPlanJobs, IdempotencyKeys.layer),
    layerPreparationJobs,
    Layer.provide(layerAnswerJobs, KnowledgeAnswers.layer)
  ).pipe(
    Layer.provideMerge(layerServiceWithSandbox),
    Layer.provideMerge(Layer.succeed(PasswordCost, { N: 16, r: 8, p: 1 })),
    Layer.provideMerge(layerClockAt(start)),
    Layer.provideMerge(Logger.layer([]))
  )
