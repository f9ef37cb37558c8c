import { Clock, Effect, Layer, Logger } from "effect"
import { Keys } from "../../../../src/changes/Keys.ts"
import { PasswordCost } from "../../../../src/domain/access/operators/password.ts"
import { layerAnswering } from "../../../../src/domain/automation/answering/answering.ts"
import { followGuestMessages } from "../../../../src/domain/automation/answering/asked.ts"
import { followStays } from "../../../../src/domain/automation/planning/follow-stays.ts"
import { layerPlanning } from "../../../../src/domain/automation/planning/planning.ts"
import { layerRunning } from "../../../../src/domain/automation/running/running.ts"
import { layerPreparing } from "../../../../src/domain/knowledge/preparing/preparing.ts"
import { KnowledgeAnswers } from "../../../../src/domain/knowledge/search/KnowledgeAnswers.ts"
import { handingOut, layerWhole } from "../../connectors/sandbox/whole.ts"

/** The clock on the wall, but for its day. */
const layerClockAt = (start: string) => {
  const real = Clock.Clock.defaultValue()
  const ahead = Date.parse(start) - Date.now()
  const nowMillis = () => Date.now() + ahead
  const shifted: Clock.Clock = Object.assign(Object.create(real), {
    currentTimeMillisUnsafe: nowMillis,
    currentTimeMillis: Effect.sync(nowMillis)
  })
  return Layer.succeed(Clock.Clock, shifted)
}

/** A service over an empty database of its own, all workers running, that is first started at an instant of a test's choice. */
export const layerStarted = (start: string) =>
  Layer.mergeAll(
    handingOut(followStays, ...followGuestMessages),
    layerPlanning,
    Layer.provide(layerRunning, Keys.layer),
    layerPreparing,
    Layer.provide(layerAnswering, KnowledgeAnswers.layer)
  ).pipe(
    Layer.provideMerge(layerWhole),
    Layer.provideMerge(Layer.succeed(PasswordCost, { N: 16, r: 8, p: 1 })),
    Layer.provideMerge(layerClockAt(start)),
    Layer.provideMerge(Logger.layer([]))
  )
