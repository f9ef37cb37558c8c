import { DateTime, Effect, Equal } from "effect"
import { type Caller, CurrentCaller } from "../../../contract/caller.ts"
import { Conflict, Forbidden, NotFound } from "../../../contract/errors.ts"
import { makeImmutableFieldCheck } from "../../../contract/immutable-fields.ts"
import { toPage } from "../../../contract/page.ts"
import { currentSecond, formatUtcInstant } from "../../../contract/time.ts"
import { retryOptimistically } from "../../../platform/database/optimistic-retry.ts"
import { PublicUrl } from "../../../platform/installation.ts"
import { ACTION_ATTEMPTS } from "../../../platform/limits.ts"
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
  type test_automation_rule,
  type try_automation_rule,
  update_automation_rule
} from "./contract.ts"
import type { RuleDefinition } from "./rule.ts"
import { applyRuleEdit, checkRuleStaff } from "./rule-edit.ts"
import { parseRuleDefinition } from "./rule-parser.ts"
import type { ListedRule } from "./rule-queries.ts"
import { maskDoorCode, testRule } from "./rule-test.ts"
import { tryRule } from "./rule-trial.ts"
import { RuleStore, RuleVersion } from "./store.ts"

export const layerAutomationRules = layerOperations(
  Effect.gen(function* () {
    const [store, publicUrl] = [yield* RuleStore, yield* PublicUrl]
    return handleOperations(AutomationRuleOperations, {
      list_automation_rules: listRules(store),
      create_automation_rule: changeHandler(createRule(store), RowId, ({ id }) => ({ rule_id: id })),
      try_automation_rule: tryNewRule(store, publicUrl),
      update_automation_rule: changeHandler(updateRule(store), RuleVersion, ({ version }) => ({ version })),
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
  { id, definition, state, version, since, created_at, grant_id }: ListedRule,
  { grantId }: Caller
): AutomationRule => ({
  id,
  ...definition,
  state,
  version,
  manageable: grantId === null || grantId === grant_id,
  active_since: formatUtcInstant(since),
  created_at: formatUtcInstant(created_at)
})

const createRule = (store: Store) =>
  Effect.fnUntraced(function* (payload: typeof create_automation_rule.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const definition = yield* parseRuleDefinition(payload)
    yield* checkStaff(store, caller.operatorId, definition)
    const { id, ...row } = yield* store.create(toGrantKey(caller), definition, yield* currentSecond)
    return id === null ? yield* toMissingReferenceError(row) ?? grantEndedError : { id }
  })

const namedStaffOf = (definition: RuleDefinition): number | undefined =>
  definition.action === "task" && typeof definition.task.staff === "number" ? definition.task.staff : undefined

const checkStaff = Effect.fnUntraced(function* (store: Store, operatorId: number, definition: RuleDefinition) {
  const staffId = namedStaffOf(definition)
  if (staffId === undefined) return
  yield* Effect.fromResult(checkRuleStaff(yield* store.findAssignee(operatorId, staffId), definition))
})

const tryNewRule = (store: Store, publicUrl: string) =>
  Effect.fnUntraced(function* (payload: typeof try_automation_rule.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const definition = yield* parseRuleDefinition(payload)
    const [now, staffId] = [yield* currentSecond, namedStaffOf(definition)]
    const { operatorId } = caller
    const trialStays = yield* store.findTrialStays({ operatorId, conditions: definition, staffId, now })
    const missingReferenceError = toMissingReferenceError({ ...trialStays, unknown_room_types: [] })
    if (missingReferenceError !== undefined) return yield* missingReferenceError
    if (staffId !== undefined) yield* Effect.fromResult(checkRuleStaff(trialStays.assignee, definition))
    return tryRule(definition, trialStays, { now, publicUrl, mayReadDoorCodes: mayReadDoorCodes(caller) })
  })

const updateRule = (store: Store) =>
  Effect.fnUntraced(function* ({ id, ...payload }: typeof update_automation_rule.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const scope = toGrantKey(caller)
    const staff = payload.task?.staff
    const { rule, assignee } = yield* store.findEdited(
      caller.operatorId,
      id,
      typeof staff === "number" ? staff : undefined
    )
    if (rule === null) return yield* ruleNotFoundError
    const record = toAutomationRule(rule, caller)
    if (!record.manageable) return yield* createdByOthersError
    yield* Effect.fromResult(checkFixedFields(record, payload))
    const definition = yield* parseRuleDefinition(applyRuleEdit(rule.definition, payload))
    const staffId = namedStaffOf(definition)
    // The same staff member may have become inactive or been deleted. Other parts of the rule can still be edited.
    if (staffId !== undefined && staffId !== namedStaffOf(rule.definition)) {
      yield* Effect.fromResult(checkRuleStaff(assignee, definition))
    }
    if (Equal.equals(definition, rule.definition)) return { id, version: rule.version }
    const { id: writtenId, version, ...row } = yield* store.update(scope, id, { definition, version: rule.version })
    if (writtenId !== null && version !== null) return { id, version }
    const missingReferenceError = toMissingReferenceError(row)
    if (missingReferenceError !== undefined) return yield* missingReferenceError
    return yield* explainFailedUpdate(store, scope, id)
  }, retryWhileRuleChanges)

/** Fails if the rule cannot be edited. Returns undefined if another call has changed it, so that the edit is repeated. */
const explainFailedUpdate = Effect.fnUntraced(function* (store: Store, scope: GrantKey, id: number) {
  const { is_there, is_granted } = yield* store.findAccess(scope, id)
  if (!is_granted) return yield* grantEndedError
  return is_there ? undefined : yield* ruleNotFoundError
})

const checkFixedFields = makeImmutableFieldCheck(update_automation_rule.payloadSchema)

const testOnStay = (store: Store, publicUrl: string) =>
  Effect.fnUntraced(function* ({ id, stay_code }: typeof test_automation_rule.payloadSchema.Type) {
    const caller = yield* CurrentCaller
    const { rule, stay, assignee } = yield* store.findWithStay(caller.operatorId, id, stay_code)
    if (rule === null) return yield* ruleNotFoundError
    if (stay === null) return yield* stayNotFoundError
    const visibleStay = mayReadDoorCodes(caller) ? stay : maskDoorCode(stay)
    return testRule(rule, visibleStay, { now: yield* DateTime.nowAsDate, publicUrl, assignee })
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
const ruleBusyError = new Conflict({ message: "id: other requests are changing the rule at the same time; try again." })
const retryWhileRuleChanges = retryOptimistically(ACTION_ATTEMPTS, ruleBusyError)
const createdByOthersError = new Forbidden({
  message: "id: only the application that created this rule, or the host, may change it."
})
