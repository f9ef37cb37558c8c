import { Result } from "effect"
import { formatUtcInstant } from "../../../contract/time.ts"
import type { Assignee } from "../../work/staffs/assignment.ts"
import { toTaskContent } from "../task-content.ts"
import type { AutomationRuleTest } from "./contract.ts"
import type { StoredRule, TaskRule } from "./rule.ts"
import { type MessageOrReviewRule, renderStayText } from "./rule-text.ts"
import { appliesToStay, classifyTimeliness, computeScheduledAt, isInScope, nightsOf } from "./scheduling.ts"
import type { TestedStay } from "./tested-stays.ts"

const SECRET_MASK = "••••"

/** Also masks the token of the guest portal, which shows the lock code. */
export const maskDoorCode = (stay: TestedStay): TestedStay => ({
  ...stay,
  lock_code: stay.lock_code === null || stay.lock_code.trim() === "" ? stay.lock_code : SECRET_MASK,
  guide_token: stay.guide_token === null ? null : SECRET_MASK
})

interface RuleTestContext {
  readonly now: Date
  readonly publicUrl: string
  /** The staff member that a task rule names. Null if it names none. */
  readonly assignee: Assignee | null
}

export type TestedRule = Pick<StoredRule, "id" | "definition" | "state" | "since">

export const testRule = (rule: TestedRule, stay: TestedStay, context: RuleTestContext): AutomationRuleTest => {
  const { definition, state } = rule
  const result = {
    rule_id: rule.id,
    stay_code: stay.stay_code,
    state,
    applies_to_stay: appliesToStay(definition, stay) && !isReviewedAtOtherStay(rule, stay),
    scheduled_at: null,
    timeliness: null,
    text: null,
    task: null,
    guest_name: stay.guest_name,
    channel_type: stay.channel_type
  }
  if (definition.action === "answer") return { ...result, reason: "The rule answers guests' questions." }
  const { trigger } = definition
  if (trigger.event === "inquiry") return { ...result, reason: "The rule answers inquiries without a booking." }
  if (!result.applies_to_stay) return { ...result, reason: explainNotApplicable(rule, stay) }
  const at = computeScheduledAt(trigger, stay)
  const timeliness = classifyTimeliness({ trigger, stay, since: rule.since, now: context.now })
  return {
    ...result,
    scheduled_at: formatUtcInstant(at),
    timeliness,
    ...describeAction(definition, stay, { ...context, now: at > context.now ? at : context.now }, [
      ...(state === "paused" ? ["The rule is paused."] : []),
      ...(timeliness === "late" ? ["The time of the rule has passed for this stay."] : [])
    ])
  }
}

const describeAction = (
  definition: MessageOrReviewRule | typeof TaskRule.Type,
  stay: TestedStay,
  context: RuleTestContext,
  obstacles: ReadonlyArray<string>
): Pick<AutomationRuleTest, "text" | "task" | "reason"> =>
  definition.action === "task"
    ? { text: null, task: toTaskContent(definition, context.assignee, stay), reason: obstacles[0] ?? null }
    : { task: null, ...renderTestText(definition, stay, context, obstacles) }

const renderTestText = (
  rule: MessageOrReviewRule,
  stay: TestedStay,
  context: RuleTestContext,
  [obstacle]: ReadonlyArray<string>
) =>
  Result.match(renderStayText(rule, { ...context, stay }), {
    onSuccess: ({ text }) => ({ text, reason: obstacle ?? null }),
    onFailure: (problem) => ({ text: null, reason: obstacle ?? problem })
  })

const isReviewedAtOtherStay = ({ definition }: TestedRule, { is_last }: TestedStay): boolean =>
  definition.action === "review" && !is_last

const explainNotApplicable = (rule: TestedRule, stay: TestedStay): string => {
  if (!isInScope(rule.definition, { ...stay, nights: nightsOf(stay) })) {
    return "The rule does not cover the stay's property, channel or nights."
  }
  return appliesToStay(rule.definition, stay)
    ? "The rule reviews an order once, after its last stay."
    : `The rule does not cover orders with the status ${stay.status}.`
}
