import { Effect } from "effect"
import { NotFound } from "../../../contract/errors.ts"
import type { Asking } from "./KnowledgeAnswers.ts"
import { AnswerStore } from "./store.ts"

/**
 * Who asks on the command line, by its flags: the guest of a stay, or a stranger where none is named. A failure names the one that
 * is wrong.
 */
export const askerNamed = Effect.fnUntraced(function* (
  operatorId: number,
  stayCode: string | undefined
): Effect.fn.Return<Asking, NotFound, AnswerStore> {
  const { known } = yield* AnswerStore
  const { operator, stay } = yield* known(operatorId, stayCode)
  if (!operator) return yield* new NotFound({ message: `--operator: there is no operator ${operatorId}.` })
  if (stayCode === undefined) return { stranger: true }
  if (!stay) {
    return yield* new NotFound({ message: `--stay: operator ${operatorId} has no stay ${JSON.stringify(stayCode)}.` })
  }
  return { stayCode }
})
