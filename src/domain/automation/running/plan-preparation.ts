import { Result } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import type { MessageSource } from "../../guests/conversations/contract.ts"
import { toMessageSources, toRuleDocs } from "../message-sources.ts"
import { renderStayText } from "../rules/rule-text.ts"
import { appliesToStay, classifyTimeliness } from "../rules/scheduling.ts"
import type { FilledTemplate } from "../rules/template.ts"
import type { MessagePlanContext, ReviewPlanContext, StayPlanContext } from "./plan-context.ts"

export type PreparedAction =
  | {
      readonly kind: "message"
      readonly conversationId: number
      readonly text: string
      readonly sources: ReadonlyArray<typeof MessageSource.Type>
    }
  | { readonly kind: "review"; readonly score: number; readonly text: string }

/** If `subject` is `text`, the worker skips the action. Otherwise it retries the action. */
export interface ActionObstacle {
  readonly subject: "conversation" | "text" | "day"
  readonly reason: string
}

/** `outdated`: the rule no longer requires the plan, or the scheduled time has moved. */
type PlanDecision =
  | { readonly kind: "outdated" }
  | { readonly kind: "late"; readonly reason: string }
  | { readonly kind: "due" }

export const stillApplies = ({ is_active, kind, is_last, definition, ...stay }: StayPlanContext): boolean =>
  is_active && appliesToStay(definition, stay) && (kind !== "review" || is_last)

export const decidePlan = (plan: StayPlanContext, now: Date): PlanDecision => {
  const { definition, since, ...stay } = plan
  const { trigger } = definition
  if (trigger.event === "inquiry" || !stillApplies(plan)) return { kind: "outdated" }
  switch (classifyTimeliness({ trigger, stay, since, now })) {
    case "early":
      return { kind: "outdated" }
    case "late":
      return { kind: "late", reason: plan.reason === null ? TOO_LATE_REASON : `${TOO_LATE_REASON}: ${plan.reason}` }
    case "due":
      return { kind: "due" }
  }
}

const TOO_LATE_REASON = "the scheduled time has passed"

const failWithObstacle = (subject: ActionObstacle["subject"], reason: string): Result.Result<never, ActionObstacle> =>
  Result.fail({ subject, reason })

const renderPlanText = (
  stay: StayPlanContext,
  now: Date,
  publicUrl: string
): Result.Result<FilledTemplate, ActionObstacle> =>
  Result.mapError(
    renderStayText(stay.definition, { stay, now, publicUrl }),
    (reason): ActionObstacle => ({ subject: "text", reason })
  )

const prepareMessage = (
  plan: MessagePlanContext,
  now: Date,
  publicUrl: string
): Result.Result<PreparedAction, ActionObstacle> => {
  const { conversation_id: conversationId, rule_id, definition, title, property_id } = plan
  if (conversationId === null) return failWithObstacle("conversation", "there is no conversation with the guest")
  return Result.map(renderPlanText(plan, now, publicUrl), (filled) => ({
    kind: "message",
    conversationId,
    text: filled.text,
    sources: toMessageSources(toRuleDocs({ ...filled, rule_id, name: definition.name, title, property_id }))
  }))
}

const prepareReview = (
  plan: ReviewPlanContext,
  now: Date,
  publicUrl: string
): Result.Result<PreparedAction, ActionObstacle> => {
  const { check_out_date, time_zone } = plan
  if (dateInZone(now, time_zone) < check_out_date) {
    return failWithObstacle("day", `the guest checks out on ${check_out_date}; reviews are possible from that date on`)
  }
  const { score } = plan.definition
  return Result.map(renderPlanText(plan, now, publicUrl), ({ text }) => ({ kind: "review", score, text }))
}

/** Does not check the scheduled time. */
export const prepareAction = (
  plan: StayPlanContext,
  now: Date,
  publicUrl: string
): Result.Result<PreparedAction, ActionObstacle> =>
  plan.kind === "review" ? prepareReview(plan, now, publicUrl) : prepareMessage(plan, now, publicUrl)
