import { DateTime, Effect, Result } from "effect"
import { CurrentCaller } from "../../contract/caller.ts"
import { toSortedUniqueIds } from "../../contract/id-list.ts"
import { toPage } from "../../contract/page.ts"
import { formatInstantInZone } from "../../contract/time.ts"
import { PublicUrl } from "../../platform/installation.ts"
import { PLANNED_DAYS } from "../../platform/limits.ts"
import { stayNotFoundError } from "../bookings/stays/rules.ts"
import { toChannelTypes } from "../channels/port/channel-types-parameter.ts"
import { HostReviews } from "../guests/reviews/HostReviews.ts"
import { handleOperations, layerOperations, voidChangeHandler } from "../operation-handlers.ts"
import { toUnknownPropertiesError } from "../properties/properties/ownership.ts"
import {
  actionNotFoundError,
  answerNotExecutableError,
  parseActionTimeRange,
  retryWhileActionChanges,
  taskNotExecutableError,
  toActionError
} from "./action-rules.ts"
import {
  AutomationOperations,
  type delete_automation_action,
  type execute_automation_action,
  type query_upcoming_automation_actions
} from "./contract.ts"
import { makeRunAction } from "./running/action-runner.ts"
import { PlanQueue } from "./running/PlanQueue.ts"
import { prepareAction, stillApplies } from "./running/plan-preparation.ts"
import { ActionStore } from "./store.ts"

const UPCOMING_ACTIONS_MS = PLANNED_DAYS * 24 * 60 * 60 * 1000

const queryUpcomingActions = (store: ActionStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof query_upcoming_automation_actions.payloadSchema.Type) {
    const { operatorId, timeZone } = yield* CurrentCaller
    const timeRange = yield* Effect.fromResult(parseActionTimeRange(payload, timeZone))
    const { type, property_ids, channel_types } = payload
    const filter = {
      ...timeRange,
      keyword: payload.keyword,
      stayCode: payload.stay_code,
      propertyIds: property_ids === undefined ? undefined : toSortedUniqueIds(property_ids),
      channelTypes: channel_types === undefined ? undefined : toChannelTypes(channel_types)
    }
    const horizon = new Date((yield* DateTime.nowAsDate).getTime() + UPCOMING_ACTIONS_MS)
    const result = yield* store.search(operatorId, type, filter, horizon, toPage(payload))
    if (result.unknown_properties.length > 0) return yield* toUnknownPropertiesError(result.unknown_properties)
    if (!result.stay_known) return yield* stayNotFoundError
    const actions = result.actions.map((action) => ({
      ...action,
      scheduled_at: formatInstantInZone(new Date(action.scheduled_at), timeZone)
    }))
    return { actions, total: actions.length }
  })

const executeAction = (queue: PlanQueue["Service"], runAction: ReturnType<typeof makeRunAction>, publicUrl: string) =>
  Effect.fnUntraced(function* ({ plan_id }: typeof execute_automation_action.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const attempt = Effect.gen(function* () {
      const plan = yield* queue.findContext(operatorId, plan_id)
      if (plan === undefined) return yield* actionNotFoundError
      if (plan.kind === "answer") return yield* answerNotExecutableError
      if (plan.kind === "task") return yield* taskNotExecutableError
      if (!stillApplies(plan)) return yield* actionNotFoundError
      const action = prepareAction(plan, yield* DateTime.nowAsDate, publicUrl)
      return yield* runAction(plan, yield* Effect.fromResult(Result.mapError(action, toActionError)))
    })
    return yield* retryWhileActionChanges(attempt)
  })

const deleteAction = (queue: PlanQueue["Service"]) =>
  Effect.fnUntraced(function* ({ plan_id }: typeof delete_automation_action.payloadSchema.Type) {
    const { operatorId } = yield* CurrentCaller
    const deletedPlan = yield* queue.remove(operatorId, plan_id, yield* DateTime.nowAsDate)
    return deletedPlan ?? (yield* actionNotFoundError)
  })

export const layerAutomation = layerOperations(
  Effect.gen(function* () {
    const [store, queue, reviews] = [yield* ActionStore, yield* PlanQueue, yield* HostReviews]
    const publicUrl = yield* PublicUrl
    return handleOperations(AutomationOperations, {
      query_upcoming_automation_actions: queryUpcomingActions(store),
      execute_automation_action: voidChangeHandler(executeAction(queue, makeRunAction(queue, reviews), publicUrl)),
      delete_automation_action: voidChangeHandler(deleteAction(queue))
    })
  })
)
