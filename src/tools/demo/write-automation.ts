import { Effect, Layer } from "effect"
import { PlanningQueue } from "../../domain/automation/planning/PlanningQueue.ts"
import { planOnce } from "../../domain/automation/planning/planner.ts"
import { RuleStore } from "../../domain/automation/rules/store.ts"
import { DEMO_AUTOMATION_RULES } from "./automation-rules.ts"
import type { DemoOperator } from "./demo-operator.ts"

/**
 * What is done by itself from now on: nothing that guests have said so far is answered, and what was due is not made up for. It is
 * planned as the planner does: whoever looks first finds what is about to be done.
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
