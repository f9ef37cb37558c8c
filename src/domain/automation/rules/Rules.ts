import { Context, DateTime, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { Acting } from "../../../contract/acting.ts"
import { type BadRequest, NotFound, type ValidationFailed } from "../../../contract/errors.ts"
import { currentSecond, instantText } from "../../../contract/time.ts"
import { PublicUrl } from "../../../platform/installation.ts"
import { noSuchNamed } from "../../properties/properties/belonging.ts"
import { factsOfCode, type StayFacts } from "../facts.ts"
import { ruleFrom } from "./reading.ts"
import type { KeptRule, RuleState } from "./rule.ts"
import { type SayingRule, saidOfStay } from "./saying.ts"
import { concerns, isInScope, nightsOf, scheduledAt, type Timeliness, timelinessOf } from "./scheduling.ts"
import { RuleStore } from "./store.ts"

/** What a rule would do of a stay, as both are now. */
export interface TestedRule {
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
export class Rules extends Context.Service<
  Rules,
  {
    /** Makes a rule of what a host wrote. */
    readonly create: (
      operatorId: number,
      written: unknown
    ) => Effect.Effect<{ readonly rule_id: number }, BadRequest | NotFound | ValidationFailed, Acting>
    /** The first `most` of an operator, but for those that were removed. */
    readonly list: (operatorId: number, most: number) => Effect.Effect<ReadonlyArray<KeptRule>>
    /** What it would do of a stay of its operator. Nothing is sent and nothing changes. */
    readonly test: (id: number, stayCode: string) => Effect.Effect<TestedRule, NotFound>
    readonly pause: (id: number) => Effect.Effect<void, NotFound, Acting>
    /** What it would have done meanwhile is not made up for. */
    readonly resume: (id: number) => Effect.Effect<void, NotFound, Acting>
    readonly remove: (id: number) => Effect.Effect<void, NotFound, Acting>
  }
>()("latchkey/resources/automation/Rules") {
  static readonly layer = Layer.effect(
    Rules,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* RuleStore
      return Rules.of({
        create: creating(store),
        list: store.list,
        test: testing(store, factsOfCode(sql), yield* PublicUrl),
        pause: turning(store.pause),
        resume: turning(store.resume),
        remove: turning(store.remove)
      })
    })
  ).pipe(Layer.provide(RuleStore.layer))
}

// Bookings and messages tell their times in seconds: what came in the second in which a rule was made came after it.

const creating = (store: RuleStore["Service"]): Rules["Service"]["create"] =>
  Effect.fnUntraced(function* (operatorId, written) {
    const definition = yield* ruleFrom(written)
    const made = yield* store.create(operatorId, definition, yield* currentSecond)
    if (!made.is_operator) return yield* new NotFound({ message: `There is no operator ${operatorId}.` })
    return made.id === null ? yield* noSuchNamed(made) ?? Effect.die("a rule was not created") : { rule_id: made.id }
  })

const noSuchRule = (id: number) => new NotFound({ message: `There is no rule ${id}.` })

const turning = (turn: RuleStore["Service"]["pause"]): Rules["Service"]["pause"] =>
  Effect.fnUntraced(function* (id) {
    const former = yield* turn(id, yield* currentSecond)
    if (former === undefined) return yield* noSuchRule(id)
  })

const testing = (
  store: RuleStore["Service"],
  facts: ReturnType<typeof factsOfCode>,
  publicUrl: string
): Rules["Service"]["test"] =>
  Effect.fnUntraced(function* (id, stayCode) {
    const rule = yield* store.find(id)
    if (rule === undefined) return yield* noSuchRule(id)
    const stay = yield* facts(rule.operator_id, stayCode)
    if (stay === undefined) {
      return yield* new NotFound({ message: `There is no stay ${stayCode} of operator ${rule.operator_id}.` })
    }
    return tested(rule, stay, { now: yield* DateTime.nowAsDate, publicUrl })
  })

/** What trying a rule depends on beside the rule and the stay. */
export interface Trying {
  readonly now: Date
  readonly publicUrl: string
}

/** What a rule would do of a stay, as both are now. */
export const tested = (rule: KeptRule, stay: StayFacts, trying: Trying): TestedRule => {
  const { definition, state } = rule
  const found = {
    rule_id: rule.id,
    stay_code: stay.stay_code,
    state,
    concerns: concerns(definition, stay) && !isPassedBy(rule, stay),
    scheduled_at: null,
    timeliness: null,
    text: null
  }
  if (definition.action === "answer") return { ...found, reason: "The rule answers guests' questions." }
  const { trigger } = definition
  if (trigger.event === "inquiry") return { ...found, reason: "The rule answers inquiries without a booking." }
  if (!found.concerns) return { ...found, reason: notConcerned(rule, stay) }
  const at = scheduledAt(trigger, stay)
  const timeliness = timelinessOf({ trigger, stay, since: rule.since, now: trying.now })
  return {
    ...found,
    scheduled_at: instantText(at),
    timeliness,
    ...sayable(definition, stay, { ...trying, now: at > trying.now ? at : trying.now }, [
      ...(state === "paused" ? ["The rule is paused."] : []),
      ...(timeliness === "late" ? ["The time of the rule has passed for this stay."] : [])
    ])
  }
}

const sayable = (rule: SayingRule, stay: StayFacts, trying: Trying, [hindrance]: ReadonlyArray<string>) =>
  Result.match(saidOfStay(rule, { ...trying, stay }), {
    onSuccess: ({ text }) => ({ text, reason: hindrance ?? null }),
    onFailure: (why) => ({ text: null, reason: hindrance ?? why })
  })

/** Whether another stay of its order is the one that is reviewed. */
const isPassedBy = ({ definition }: KeptRule, { is_last }: StayFacts): boolean =>
  definition.action === "review" && !is_last

const notConcerned = (rule: KeptRule, stay: StayFacts): string => {
  if (!isInScope(rule.definition, { ...stay, nights: nightsOf(stay) })) {
    return "The rule does not cover the stay's property, channel or nights."
  }
  return concerns(rule.definition, stay)
    ? "The rule reviews an order once, after its last stay."
    : `The rule does not cover orders with the status ${stay.status}.`
}
