import { DateTime, Effect } from "effect"
import { type Caller, CurrentCaller } from "../../../contract/caller.ts"
import { Forbidden, NotFound } from "../../../contract/errors.ts"
import { toPage } from "../../../contract/page.ts"
import { currentSecond, formatUtcInstant } from "../../../contract/time.ts"
import { PublicUrl } from "../../../platform/installation.ts"
import { stayNotFoundError } from "../../bookings/stays/rules.ts"
import { RowId } from "../../column-schemas.ts"
import { type GrantKey, grantEndedError, toGrantKey } from "../../connection-grants.ts"
import { changeHandler, handleOperations, layerOperations, voidChangeHandler } from "../../operation-handlers.ts"
import { toMissingReferenceError } from "../../properties/properties/ownership.ts"
import {
  type AutomationRule,
  AutomationRuleOperations,
  type create_automation_rule,
  type list_automation_rules,
  type test_automation_rule
} from "./contract.ts"
import { parseRuleDefinition } from "./rule-parser.ts"
import type { ListedRule } from "./rule-queries.ts"
import { maskDoorCode, testRule } from "./rule-test.ts"
import { RuleStore } from "./store.ts"

export const layerAutomationRules = layerOperations(
  Effect.gen(function* () {
    const [store, publicUrl] = [yield* RuleStore, yield* PublicUrl]
    return handleOperations(AutomationRuleOperations, {
      list_automation_rules: listRules(store),
      create_automation_rule: changeHandler(createRule(store), RowId, ({ id }) => ({ rule_id: id })),
      test_automation_rule: testOnStay(store, publicUrl),
      pause_automation_rule: voidChangeHandler(changeState(store, store.pause)),
      resume_automation_rule: voidChangeHandler(changeState(store, store.resume)),
      delete_automation_rule: voidChangeHandler(changeState(store, store.remove))
    })
  })
)

type Store = RuleStore["Service"]

const listRules = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof list_automation_rules.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const { rows, total } = yield* store.search(caller.operatorId, toPage(payload))
    return { rules: rows.map((rule) => toAutomationRule(rule, caller)), total }
  })

const toAutomationRule = (
  { id, definition, state, since, created_at, grant_id }: ListedRule,
  { grantId }: Caller
): AutomationRule => ({
  id,
  ...definition,
  state,
  manageable: grantId === null || grantId === grant_id,
  active_since: formatUtcInstant(since),
  created_at: formatUtcInstant(created_at)
})

const createRule = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof create_automation_rule.payloadSchema.Type) {
    const definition = yield* parseRuleDefinition(payload)
    const { id, ...row } = yield* store.create(toGrantKey(yield* CurrentCaller), definition, yield* currentSecond)
    return id === null ? yield* toMissingReferenceError(row) ?? grantEndedError : { id }
  })

const testOnStay = (store: Store, publicUrl: string) =>
  Effect.fnUntraced(function* ({ id, stay_code }: typeof test_automation_rule.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const { rule, stay } = yield* store.findWithStay(caller.operatorId, id, stay_code)
    if (rule === null) return yield* ruleNotFoundError
    if (stay === null) return yield* stayNotFoundError
    const visibleStay = mayReadDoorCodes(caller) ? stay : maskDoorCode(stay)
    return testRule(rule, visibleStay, { now: yield* DateTime.nowAsDate, publicUrl })
  })

const mayReadDoorCodes = ({ role, grantId }: Caller): boolean => role === "main" && grantId === null

const changeState = (store: Store, setState: Store["pause"]) =>
  Effect.fnUntraced(function* ({ id }: { readonly id: number }) {
    const scope = toGrantKey(yield* CurrentCaller)
    return (yield* setState(scope, id, yield* currentSecond)) ?? (yield* explainUnchanged(store, scope, id))
  })

const explainUnchanged = Effect.fnUntraced(function* (store: Store, scope: GrantKey, id: number) {
  const { is_there, is_granted } = yield* store.findAccess(scope, id)
  if (!is_granted) return yield* grantEndedError
  return yield* is_there ? createdByOthersError : ruleNotFoundError
})

const ruleNotFoundError = new NotFound({ message: "id: no such rule." })
const createdByOthersError = new Forbidden({
  message: "id: only the application that created this rule, or the host, may change it."
})
