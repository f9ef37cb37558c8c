import { Effect, Layer } from "effect"
import { PlanningQueue } from "../../domain/automation/planning/PlanningQueue.ts"
import { planOnce } from "../../domain/automation/planning/planner.ts"
import type { RuleDefinition } from "../../domain/automation/rules/rule.ts"
import { RuleStore } from "../../domain/automation/rules/store.ts"
import { MESSAGING_CHANNEL } from "./conversations.ts"
import type { DemoOperator } from "./demo-operator.ts"

/** All guests of MESSAGING_CHANNEL have a conversation, so every planned message can be sent. */
export const DEMO_AUTOMATION_RULES: ReadonlyArray<RuleDefinition> = [
  {
    name: "Two days before check-in",
    action: "send_message",
    trigger: { event: "check_in", when: "before", hours: 48 },
    text: "Hello {{guest.first_name}}, we look forward to having you at {{property.name}} from {{stay.check_in_date}}, {{stay.check_in_time}}. All about your stay: {{stay.page}}",
    channel_types: [MESSAGING_CHANNEL]
  },
  {
    name: "On the day of check-in",
    action: "send_message",
    trigger: { event: "check_in", when: "before", days: 0, at: "09:00" },
    text: "Good morning {{guest.first_name}}, your flat is ready from {{stay.check_in_time}} today.",
    channel_types: [MESSAGING_CHANNEL]
  },
  {
    name: "After check-out",
    action: "send_message",
    trigger: { event: "check_out", when: "after", hours: 3 },
    text: "Thank you for staying at {{property.name}}, {{guest.first_name}}. Come back soon!",
    channel_types: [MESSAGING_CHANNEL]
  },
  {
    name: "Review of the guest",
    action: "review",
    trigger: { event: "check_out", when: "after", days: 1, at: "10:00" },
    score: 5,
    text: "{{guest.first_name}} left the flat as it was. Welcome back any time.",
    channel_types: [MESSAGING_CHANNEL]
  },
  { name: "What guests ask", action: "answer" }
]

/**
 * Rules skip earlier messages and missed actions. Planning runs here, so that the first visitor sees planned actions.
 */
export const writeAutomation = Effect.fn("demo.writeAutomation")(
  function* ({ operatorId, now }: DemoOperator) {
    const rules = yield* RuleStore
    const host = { operatorId, grantId: undefined }
    yield* Effect.forEach(DEMO_AUTOMATION_RULES, (rule) => rules.create(host, rule, now), { discard: true })
    yield* Effect.repeat(planOnce, { while: (more) => more })
  },
  Effect.orDie,
  Effect.provide(Layer.merge(RuleStore.layer, PlanningQueue.layer))
)
