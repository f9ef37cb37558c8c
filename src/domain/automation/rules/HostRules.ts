import { Context, DateTime, Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { runFormIdempotently } from "../../../changes/form-idempotency.ts"
import { IdempotencyKeys } from "../../../changes/IdempotencyKeys.ts"
import type { CurrentActor } from "../../../contract/actor.ts"
import type { Caller } from "../../../contract/caller.ts"
import { type ApiError, NotFound } from "../../../contract/errors.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { PublicUrl } from "../../../platform/installation.ts"
import { findStayFacts } from "../template-facts.ts"
import { AutomationRules, type RuleTestResult, testRule } from "./AutomationRules.ts"
import type { StoredRule } from "./rule.ts"
import { RuleStore } from "./store.ts"

/** How a rule is turned. */
export type RuleTransition = "pause" | "resume" | "remove"

/** What a rule would do of a stay, and to whom. */
export interface HostRuleTestResult extends RuleTestResult {
  readonly guest_name: string | null
  readonly channel_type: string
}

/** What the console lets a host do with the rules of his own; the workers are told of it. */
export class HostRules extends Context.Service<
  HostRules,
  {
    /** The same key and the same words are the same rule, made once; without a key it is another each time. */
    readonly create: (
      caller: Caller,
      written: Schema.Json,
      key: string | undefined
    ) => Effect.Effect<void, ApiError, CurrentActor>
    /** What a rule, which its host has found, would do of a stay of his. Nothing is sent and nothing changes. */
    readonly test: (rule: StoredRule, stayCode: string) => Effect.Effect<HostRuleTestResult, NotFound>
    readonly turn: (
      caller: Caller,
      id: number,
      how: RuleTransition,
      key: string | undefined
    ) => Effect.Effect<void, ApiError, CurrentActor>
  }
>()("latchkey/domain/automation/rules/HostRules") {
  static readonly layer = Layer.effect(
    HostRules,
    Effect.gen(function* () {
      const [rules, store, keys, { wake }] = [
        yield* AutomationRules,
        yield* RuleStore,
        yield* IdempotencyKeys,
        yield* WakeUp
      ]
      const [facts, publicUrl] = [findStayFacts(yield* SqlClient.SqlClient), yield* PublicUrl]
      const [changing, own] = [runFormIdempotently(keys), turningOwn(rules, store)]
      return HostRules.of({
        create: (caller, written, key) =>
          Effect.asVoid(
            Effect.ensuring(changing(caller, written, key, rules.create(caller.operatorId, written)), wake)
          ),
        test: Effect.fnUntraced(function* (rule, stayCode) {
          const stay = yield* facts(rule.operator_id, stayCode)
          if (stay === undefined) return yield* noSuchStay
          const { guest_name, channel_type } = stay
          return { guest_name, channel_type, ...testRule(rule, stay, { now: yield* DateTime.nowAsDate, publicUrl }) }
        }),
        turn: (caller, id, how, key) =>
          Effect.asVoid(Effect.ensuring(changing(caller, { id, how }, key, own(caller.operatorId, id, how)), wake))
      })
    })
  ).pipe(Layer.provide([AutomationRules.layer, RuleStore.layer, IdempotencyKeys.layer]))
}

const noSuchStay = new NotFound({ message: "There is no such stay." })
const noSuchRule = new NotFound({ message: "There is no such rule." })

const turningOwn = (rules: AutomationRules["Service"], store: RuleStore["Service"]) =>
  Effect.fnUntraced(function* (operatorId: number, id: number, how: RuleTransition) {
    // An id names a rule whosever it is.
    const rule = yield* store.find(id)
    if (rule?.operator_id !== operatorId) return yield* noSuchRule
    yield* rules[how](id)
  })
