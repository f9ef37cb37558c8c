import { Context, DateTime, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { CurrentActor } from "../../../contract/actor.ts"
import { type BadRequest, NotFound, type ValidationFailed } from "../../../contract/errors.ts"
import { currentSecond, formatUtcInstant } from "../../../contract/time.ts"
import { PublicUrl } from "../../../platform/installation.ts"
import { toMissingReferenceError } from "../../properties/properties/ownership.ts"
import { findStayFacts, type StayFacts } from "../template-facts.ts"
import type { RuleState, StoredRule } from "./rule.ts"
import { parseRuleDefinition } from "./rule-parser.ts"
import { type MessageOrReviewRule, renderStayText } from "./rule-text.ts"
import {
  appliesToStay,
  classifyTimeliness,
  computeScheduledAt,
  isInScope,
  nightsOf,
  type Timeliness
} from "./scheduling.ts"
import { RuleStore } from "./store.ts"

/** What a rule would do of a stay, as both are now. */
export interface RuleTestResult {
  readonly rule_id: number
  readonly stay_code: string
  readonly state: RuleState
  /** Whether the rule is for the stay. */
  readonly concerns: boolean
  /** When; null where it never is of this stay. */
  readonly scheduled_at: string | null
  readonly timeliness: Timeliness | null
  /** What it would say then; null where it cannot be said. */
  readonly text: string | null
  /** Why nothing would happen; null: it would. */
  readonly reason: string | null
}

/** Rules of hosts, for whoever runs the service. Each change is in the trail. */
export class AutomationRules extends Context.Service<
  AutomationRules,
  {
    /** Makes a rule of what a host wrote. */
    readonly create: (
      operatorId: number,
      input: unknown
    ) => Effect.Effect<{ readonly rule_id: number }, BadRequest | NotFound | ValidationFailed, CurrentActor>
    /** The first `most` of an operator, but for those that were removed. */
    readonly list: (operatorId: number, most: number) => Effect.Effect<ReadonlyArray<StoredRule>>
    /** What it would do of a stay of its operator. Nothing is sent and nothing changes. */
    readonly test: (id: number, stayCode: string) => Effect.Effect<RuleTestResult, NotFound>
    readonly pause: (id: number) => Effect.Effect<void, NotFound, CurrentActor>
    /** What it would have done meanwhile is not made up for. */
    readonly resume: (id: number) => Effect.Effect<void, NotFound, CurrentActor>
    readonly remove: (id: number) => Effect.Effect<void, NotFound, CurrentActor>
  }
>()("latchkey/domain/automation/rules/AutomationRules") {
  static readonly layer = Layer.effect(
    AutomationRules,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* RuleStore
      return AutomationRules.of({
        create: makeCreate(store),
        list: store.list,
        test: makeTest(store, findStayFacts(sql), yield* PublicUrl),
        pause: makeSetState(store.pause),
        resume: makeSetState(store.resume),
        remove: makeSetState(store.remove)
      })
    })
  ).pipe(Layer.provide(RuleStore.layer))
}

// Bookings and messages tell their times in seconds: what came in the second in which a rule was made came after it.

const makeCreate = (store: RuleStore["Service"]): AutomationRules["Service"]["create"] =>
  Effect.fnUntraced(function* (operatorId, input) {
    const definition = yield* parseRuleDefinition(input)
    const createdRule = yield* store.create(operatorId, definition, yield* currentSecond)
    if (!createdRule.is_operator) return yield* new NotFound({ message: `There is no operator ${operatorId}.` })
    return createdRule.id === null
      ? yield* toMissingReferenceError(createdRule) ?? Effect.die("a rule was not created")
      : { rule_id: createdRule.id }
  })

const noSuchRule = (id: number) => new NotFound({ message: `There is no rule ${id}.` })

const makeSetState = (setState: RuleStore["Service"]["pause"]): AutomationRules["Service"]["pause"] =>
  Effect.fnUntraced(function* (id) {
    const previousState = yield* setState(id, yield* currentSecond)
    if (previousState === undefined) return yield* noSuchRule(id)
  })

const makeTest = (
  store: RuleStore["Service"],
  findStay: ReturnType<typeof findStayFacts>,
  publicUrl: string
): AutomationRules["Service"]["test"] =>
  Effect.fnUntraced(function* (id, stayCode) {
    const rule = yield* store.find(id)
    if (rule === undefined) return yield* noSuchRule(id)
    const stay = yield* findStay(rule.operator_id, stayCode)
    if (stay === undefined) {
      return yield* new NotFound({ message: `There is no stay ${stayCode} of operator ${rule.operator_id}.` })
    }
    return testRule(rule, stay, { now: yield* DateTime.nowAsDate, publicUrl })
  })

/** What trying a rule depends on beside the rule and the stay. */
export interface RuleTestContext {
  readonly now: Date
  readonly publicUrl: string
}

/** What a rule would do of a stay, as both are now. */
export const testRule = (rule: StoredRule, stay: StayFacts, context: RuleTestContext): RuleTestResult => {
  const { definition, state } = rule
  const result = {
    rule_id: rule.id,
    stay_code: stay.stay_code,
    state,
    concerns: appliesToStay(definition, stay) && !isReviewedAtOtherStay(rule, stay),
    scheduled_at: null,
    timeliness: null,
    text: null
  }
  if (definition.action === "answer") return { ...result, reason: "The rule answers guests' questions." }
  const { trigger } = definition
  if (trigger.event === "inquiry") return { ...result, reason: "The rule answers inquiries without a booking." }
  if (!result.concerns) return { ...result, reason: explainNotApplicable(rule, stay) }
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

/** Whether another stay of its order is the one that is reviewed. */
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
