import { RULE_TRIAL_LISTED } from "../../../platform/limits.ts"
import type { AutomationRuleTrial } from "./contract.ts"
import type { RuleDefinition } from "./rule.ts"
import { maskDoorCode, testRule } from "./rule-test.ts"
import type { TestedStay, TrialStays } from "./tested-stays.ts"

interface TrialContext {
  readonly now: Date
  readonly publicUrl: string
  readonly mayReadDoorCodes: boolean
}

type TrialStay = AutomationRuleTrial["planned"][number]

const NO_CONVERSATION_REASON = "There is no conversation with the guest."
const INQUIRY_NOTE = "The rule acts when a guest writes, so its actions cannot be listed in advance."

/** Returns the stays on which a rule would act if it were created now, and those on which it never would, with the reasons. */
export const tryRule = (
  definition: RuleDefinition,
  { stays, total, assignee }: Pick<TrialStays, "stays" | "total" | "assignee">,
  context: TrialContext
): AutomationRuleTrial => {
  const actsOnStays = definition.action !== "answer" && definition.trigger.event !== "inquiry"
  const results = (actsOnStays ? stays : []).map((stay) => tryStay(definition, stay, { ...context, assignee }))
  const planned = results
    .filter(({ reason }) => reason === null)
    .toSorted((one, other) => (one.scheduled_at ?? "").localeCompare(other.scheduled_at ?? ""))
  const never = results.filter(({ reason }) => reason !== null)
  return {
    planned: planned.slice(0, RULE_TRIAL_LISTED),
    more_planned: Math.max(0, planned.length - RULE_TRIAL_LISTED),
    never: never.slice(0, RULE_TRIAL_LISTED),
    more_never: Math.max(0, never.length - RULE_TRIAL_LISTED),
    more_stays: actsOnStays ? total - stays.length : 0,
    note: actsOnStays ? null : INQUIRY_NOTE
  }
}

const tryStay = (
  definition: RuleDefinition,
  stay: TestedStay,
  { mayReadDoorCodes, ...context }: TrialContext & Pick<TrialStays, "assignee">
): TrialStay => {
  const rule = { id: 0, definition, state: "active", since: context.now } as const
  const { stay_code, scheduled_at, text, task, reason, guest_name, channel_type } = testRule(
    rule,
    mayReadDoorCodes ? stay : maskDoorCode(stay),
    context
  )
  const needsConversation = definition.action === "send_message" && !stay.has_conversation
  return {
    stay_code,
    scheduled_at,
    text,
    task,
    reason: reason ?? (needsConversation ? NO_CONVERSATION_REASON : null),
    guest_name,
    channel_type,
    property_id: stay.property_id,
    property_title: stay.title
  }
}
