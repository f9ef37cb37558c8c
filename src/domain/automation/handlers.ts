import { DateTime, Effect, Layer, Result } from "effect"
import { CurrentOperator } from "../../contract/caller.ts"
import { asList } from "../../contract/id-list.ts"
import { pageOf } from "../../contract/page.ts"
import { zonedText } from "../../contract/time.ts"
import { PublicUrl } from "../../platform/installation.ts"
import { PLANNED_DAYS } from "../../platform/limits.ts"
import { noSuchStay } from "../bookings/stays/rules.ts"
import { asChannelTypes } from "../channels/port/channel-type-list.ts"
import { HostReviews } from "../guests/reviews/HostReviews.ts"
import { done, handled, layerHandled } from "../handled.ts"
import { noSuchProperties } from "../properties/properties/belonging.ts"
import { betweenOf, hinderedBy, noSuchAction, notRunByHand, unlessActionChanges } from "./asked-actions.ts"
import {
  AutomationActions,
  type delete_automation_action,
  type execute_automation_action,
  type query_upcoming_automation_actions
} from "./contract.ts"
import { doIt } from "./running/doing.ts"
import { doingOf, follows } from "./running/judging.ts"
import { PlanQueue } from "./running/PlanQueue.ts"
import { ActionStore } from "./store.ts"

const PLANNED_MS = PLANNED_DAYS * 24 * 60 * 60 * 1000

const queryUpcomingActions = (store: ActionStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof query_upcoming_automation_actions.payloadSchema.Type) {
    const { operatorId, timeZone } = yield* CurrentOperator
    const between = yield* Effect.fromResult(betweenOf(payload, timeZone))
    const { type, property_ids, channel_types } = payload
    const wanted = {
      ...between,
      keyword: payload.keyword,
      stayCode: payload.stay_code,
      propertyIds: property_ids === undefined ? undefined : asList(property_ids),
      channelTypes: channel_types === undefined ? undefined : asChannelTypes(channel_types)
    }
    const horizon = new Date((yield* DateTime.nowAsDate).getTime() + PLANNED_MS)
    const found = yield* store.search(operatorId, type, wanted, horizon, pageOf(payload))
    if (found.unknown_properties.length > 0) return yield* noSuchProperties(found.unknown_properties)
    if (!found.stay_known) return yield* noSuchStay
    const actions = found.actions.map((action) => ({
      ...action,
      scheduled_at: zonedText(new Date(action.scheduled_at), timeZone)
    }))
    return { actions, total: actions.length }
  })

/** The same way on which a worker runs it, whatever its time. */
const executeAction = (queue: PlanQueue["Service"], run: ReturnType<typeof doIt>, publicUrl: string) =>
  Effect.fnUntraced(function* ({ plan_id }: typeof execute_automation_action.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const attempt = Effect.gen(function* () {
      const plan = yield* queue.ground(operatorId, plan_id)
      if (plan === undefined) return yield* noSuchAction
      if (plan.kind === "answer") return yield* notRunByHand
      if (!follows(plan)) return yield* noSuchAction
      const doing = doingOf(plan, yield* DateTime.nowAsDate, publicUrl)
      return yield* run(plan, yield* Effect.fromResult(Result.mapError(doing, hinderedBy)))
    })
    return yield* unlessActionChanges(attempt)
  })

const deleteAction = (queue: PlanQueue["Service"]) =>
  Effect.fnUntraced(function* ({ plan_id }: typeof delete_automation_action.payloadSchema.Type) {
    const { operatorId } = yield* CurrentOperator
    const removed = yield* queue.remove(operatorId, plan_id, yield* DateTime.nowAsDate)
    return removed ?? (yield* noSuchAction)
  })

export const layerAutomation = layerHandled(
  Effect.gen(function* () {
    const [store, queue, reviews] = [yield* ActionStore, yield* PlanQueue, yield* HostReviews]
    const publicUrl = yield* PublicUrl
    return handled(AutomationActions, {
      query_upcoming_automation_actions: queryUpcomingActions(store),
      execute_automation_action: done(executeAction(queue, doIt(queue, reviews), publicUrl)),
      delete_automation_action: done(deleteAction(queue))
    })
  })
).pipe(Layer.provide([ActionStore.layer, PlanQueue.layer, HostReviews.layer]))
