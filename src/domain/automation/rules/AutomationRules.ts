import { Context, DateTime, Effect, Layer } from "effect"
import type { CurrentActor } from "../../../contract/actor.ts"
import { type BadRequest, NotFound, type ValidationFailed } from "../../../contract/errors.ts"
import { currentSecond } from "../../../contract/time.ts"
import { PublicUrl } from "../../../platform/installation.ts"
import { toMissingReferenceError } from "../../properties/properties/ownership.ts"
import type { StoredRule } from "./rule.ts"
import { parseRuleDefinition } from "./rule-parser.ts"
import { type RuleTestResult, testRule } from "./rule-test.ts"
import { RuleStore } from "./store.ts"

/** Rules of any operator, for the administrator. Each change is in the audit log. */
export class AutomationRules extends Context.Service<
  AutomationRules,
  {
    /** Creates a rule from what a host wrote. */
    readonly create: (
      operatorId: number,
      input: unknown
    ) => Effect.Effect<{ readonly rule_id: number }, BadRequest | NotFound | ValidationFailed, CurrentActor>
    /** Returns the first `limit` rules of an operator, oldest first. */
    readonly list: (operatorId: number, limit: number) => Effect.Effect<ReadonlyArray<StoredRule>>
    /** Returns what the rule would do of a stay of its operator. Nothing is sent and nothing changes. */
    readonly test: (id: number, stayCode: string) => Effect.Effect<RuleTestResult, NotFound>
    readonly pause: (id: number) => Effect.Effect<void, NotFound, CurrentActor>
    /** Actions missed during the pause are skipped. */
    readonly resume: (id: number) => Effect.Effect<void, NotFound, CurrentActor>
    readonly remove: (id: number) => Effect.Effect<void, NotFound, CurrentActor>
  }
>()("latchkey/domain/automation/rules/AutomationRules") {
  static readonly layer = Layer.effect(
    AutomationRules,
    Effect.gen(function* () {
      const store = yield* RuleStore
      return AutomationRules.of({
        create: makeCreate(store),
        list: (operatorId, limit) => Effect.map(store.search(operatorId, { offset: 0, limit }), ({ rows }) => rows),
        test: makeTest(store, yield* PublicUrl),
        pause: makeSetState(store, "pause"),
        resume: makeSetState(store, "resume"),
        remove: makeSetState(store, "remove")
      })
    })
  ).pipe(Layer.provide(RuleStore.layer))
}

const makeCreate = (store: RuleStore["Service"]): AutomationRules["Service"]["create"] =>
  Effect.fnUntraced(function* (operatorId, input) {
    const definition = yield* parseRuleDefinition(input)
    const createdRule = yield* store.create({ operatorId, grantId: undefined }, definition, yield* currentSecond)
    if (!createdRule.is_operator) return yield* new NotFound({ message: `There is no operator ${operatorId}.` })
    return createdRule.id === null
      ? yield* toMissingReferenceError(createdRule) ?? Effect.die("a rule was not created")
      : { rule_id: createdRule.id }
  })

const noSuchRule = (id: number) => new NotFound({ message: `There is no rule ${id}.` })

/** Returns the operator whose rule has this id. */
const findOwner = Effect.fnUntraced(function* (store: RuleStore["Service"], id: number) {
  return (yield* store.findOwner(id)) ?? (yield* noSuchRule(id))
})

const makeSetState = (
  store: RuleStore["Service"],
  change: "pause" | "resume" | "remove"
): AutomationRules["Service"]["pause"] =>
  Effect.fnUntraced(function* (id) {
    const operatorId = yield* findOwner(store, id)
    const previousState = yield* store[change]({ operatorId, grantId: undefined }, id, yield* currentSecond)
    if (previousState === undefined) return yield* noSuchRule(id)
  })

const makeTest = (store: RuleStore["Service"], publicUrl: string): AutomationRules["Service"]["test"] =>
  Effect.fnUntraced(function* (id, stayCode) {
    const operatorId = yield* findOwner(store, id)
    const { rule, stay } = yield* store.findWithStay(operatorId, id, stayCode)
    if (rule === null) return yield* noSuchRule(id)
    if (stay === null) {
      return yield* new NotFound({ message: `There is no stay ${stayCode} of operator ${operatorId}.` })
    }
    return testRule(rule, stay, { now: yield* DateTime.nowAsDate, publicUrl })
  })
