import { Result } from "effect"
import { formatUtcInstant } from "../../../contract/time.ts"
import type { StayFacts } from "../template-facts.ts"
import type { AutomationRuleTest } from "./contract.ts"
import type { StoredRule } from "./rule.ts"
import { type MessageOrReviewRule, renderStayText } from "./rule-text.ts"
import { appliesToStay, classifyTimeliness, computeScheduledAt, isInScope, nightsOf } from "./scheduling.ts"

const SECRET_MASK = "••••"

/** Also masks the token of the guest portal, which shows the lock code. */
export const maskDoorCode = (stay: StayFacts): StayFacts => ({
  ...stay,
  lock_code: stay.lock_code === null || stay.lock_code.trim() === "" ? stay.lock_code : SECRET_MASK,
  guide_token: stay.guide_token === null ? null : SECRET_MASK
})

interface RuleTestContext {
  readonly now: Date
  readonly publicUrl: string
}

export const testRule = (rule: StoredRule, stay: StayFacts, context: RuleTestContext): AutomationRuleTest => {
  const { definition, state } = rule
  const result = {
    rule_id: rule.id,
    stay_code: stay.stay_code,
    state,
    applies_to_stay: appliesToStay(definition, stay) && !isReviewedAtOtherStay(rule, stay),
    scheduled_at: null,
    timeliness: null,
    text: null,
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
    ...renderTestText(definition, stay, { ...context, now: at > context.now ? at : context.now }, [
      ...(state === "paused" ? ["The rule is paused."] : []),
      ...(timeliness === "late" ? ["The time of the rule has passed for this stay."] : [])
    ])
  }
}

const renderTestText = (
  rule: MessageOrReviewRule,
  stay: StayFacts,
  context: RuleTestContext,
  [obstacle]: ReadonlyArray<string>
) =>
  Result.match(renderStayText(rule, { ...context, stay }), {
    onSuccess: ({ text }) => ({ text, reason: obstacle ?? null }),
    onFailure: (problem) => ({ text: null, reason: obstacle ?? problem })
  })

const isReviewedAtOtherStay = ({ definition }: StoredRule, { is_last }: StayFacts): boolean =>
  definition.action === "review" && !is_last

const explainNotApplicable = (rule: StoredRule, stay: StayFacts): string => {
  if (!isInScope(rule.definition, { ...stay, nights: nightsOf(stay) })) {
    return "The rule does not cover the stay's property, channel or nights."
  }
  return appliesToStay(rule.definition, stay)
    ? "The rule reviews an order once, after its last stay."
    : `The rule does not cover orders with the status ${stay.status}.`
}
