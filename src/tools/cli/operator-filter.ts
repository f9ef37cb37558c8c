import { Effect, Option } from "effect"
import { OperatorStore } from "../../domain/access/operators/OperatorStore.ts"
import { toUnknownOperatorError } from "./command-failure.ts"

export const resolveOperatorFilter = Effect.fnUntraced(function* (operator: Option.Option<number>) {
  if (Option.isNone(operator)) return undefined
  const timeZone = yield* OperatorStore.use((store) => store.findTimeZone(operator.value))
  return timeZone === undefined ? yield* toUnknownOperatorError(operator.value) : operator.value
}, Effect.provide(OperatorStore.layer))
