import { Effect, Option } from "effect"
import { OperatorStore } from "../../domain/access/operators/OperatorStore.ts"
import { toUnknownOperatorError } from "./command-failure.ts"

/** Returns the operator_id that a filter names, or undefined without one. Fails with NotFound for an unknown operator. */
export const resolveOperatorFilter = Effect.fnUntraced(function* (operator: Option.Option<number>) {
  if (Option.isNone(operator)) return undefined
  const timeZone = yield* OperatorStore.use((store) => store.findTimeZone(operator.value))
  return timeZone === undefined ? yield* toUnknownOperatorError(operator.value) : operator.value
}, Effect.provide(OperatorStore.layer))
